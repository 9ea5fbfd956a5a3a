"""The reading order of PDF pages: columns, boxes beside them, and what spans them."""

from __future__ import annotations

import pytest

from retrieval.convert.pdf import convert_pdf
from tests.retrieval.convert.pdf.paper import Piece, lines, pdf

LEFT = "The left column begins here\nand goes on about tides and\nthe harbour bar for a while\nuntil it reaches its very end."
RIGHT = "The right column follows it\nand speaks of radio channels\nand of batteries in pouches\nuntil that is said as well."
THIRD = "The third column comes last\nand is about the knots that\nare tied at the quay by all\nwho have a boat of their own."
WIDE = "This line is as wide as the page since it belongs to no column, and it must be read where it stands in full."


def text(*pages: list[Piece]) -> str:
    return " ".join(convert_pdf(pdf(*pages), "https://x.example/a.pdf").markdown.split())


def flat(*texts: str) -> str:
    return " ".join(" ".join(texts).split())


def by_rows(*columns: list[Piece]) -> list[Piece]:
    """The columns' lines as a program writes them that goes across the page."""
    return [piece for row in zip(*columns, strict=True) for piece in row]


@pytest.mark.parametrize("gap", [9, 60])
def test_two_columns_written_row_by_row_are_read_one_after_the_other(gap: int) -> None:
    width = 135
    assert text(by_rows(lines(LEFT), lines(RIGHT, left=50 + width + gap))) == flat(LEFT, RIGHT)


def test_two_columns_written_one_after_the_other_keep_their_order() -> None:
    assert text(lines(LEFT) + lines(RIGHT, left=300)) == flat(LEFT, RIGHT)


def test_three_columns_are_read_one_after_the_other() -> None:
    assert text(by_rows(lines(LEFT), lines(RIGHT, left=210), lines(THIRD, left=380))) == flat(LEFT, RIGHT, THIRD)


def test_lines_over_the_whole_width_part_what_is_above_from_what_is_below() -> None:
    above = by_rows(lines(LEFT, top=760), lines(RIGHT, left=320, top=760))
    below = by_rows(lines(THIRD, top=660), lines(LEFT, left=320, top=660))
    assert text([*above, (50, 690, 10, WIDE), *below]) == flat(LEFT, RIGHT, WIDE, THIRD, LEFT)


def test_a_heading_over_both_columns_parts_them_though_it_is_short() -> None:
    above = by_rows(lines(LEFT, top=760), lines(RIGHT, left=320, top=760))
    below = by_rows(lines(THIRD, top=660), lines(LEFT, left=320, top=660))
    assert text([*above, (50, 685, 16, "Knots"), *below]) == flat(LEFT, RIGHT, "# Knots", THIRD, LEFT)


def test_a_box_beside_the_text_does_not_cut_its_lines() -> None:
    body = [f"Line {at} of the body goes on with a sentence that has no end in" for at in range(12)]
    box = ["Contact desk", "Phone 0800 555 010", "Mon to Fri 9 to 17"]
    page: list[Piece] = []
    for at, line in enumerate(body):
        page += [(50.0, 700.0 - 12 * at, 9.0, box[at])] if at < len(box) else []
        page.append((200.0, 700.0 - 12 * at, 9.0, line))
    found = text(page)
    assert flat(*body) in found
    assert flat(*box) in found.replace("17", "17").replace("\n", " ")


def test_headings_written_after_all_the_text_come_to_their_places() -> None:
    page = [*lines(LEFT, top=700), *lines(RIGHT, top=600), (50, 720, 14, "First"), (50, 620, 14, "Second")]
    assert text(page) == flat("## First", LEFT, "## Second", RIGHT)


def test_a_page_written_from_its_end_to_its_beginning_is_read_from_the_top() -> None:
    pieces = lines("\n".join(f"Line {at} of a page that was written backwards" for at in range(12)))
    assert text(pieces[::-1]) == flat(*(f"Line {at} of a page that was written backwards" for at in range(12)))


def test_a_paragraph_that_runs_over_to_the_next_column_is_one_paragraph() -> None:
    first = "The first column ends within a\nsentence about the tides, and\nit is the second one that has"
    second = "the rest of it. Then there is\nanother sentence that ends in\nthe very same column at last."
    found = convert_pdf(pdf(by_rows(lines(first), lines(second, left=320))), "https://x.example/a.pdf").markdown
    assert found == flat(first, second) + "\n"


def test_columns_of_prose_are_never_a_table() -> None:
    pages = [by_rows(lines(a), lines(b, left=320)) for a, b in ((LEFT, RIGHT), (RIGHT, THIRD), (THIRD, LEFT))]
    gaps = [by_rows(lines(f"{a}\n \n{b}"), lines(f"{b}\n \n{a}", left=320)) for a, b in ((LEFT, RIGHT), (THIRD, LEFT))]
    for page in [*pages, *gaps]:
        assert "|" not in text(page)
