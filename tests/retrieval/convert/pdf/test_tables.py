"""Tables in PDF files, with and without ruled lines."""

from __future__ import annotations

import pytest

from retrieval.convert.pdf import convert_pdf
from retrieval.convert.pdf.limits import PdfLimits
from tests.retrieval.convert.pdf.paper import Piece, bold, grid, lines, pdf, stroke

PRICES = [["Boat", "Half day", "Full day"], ["Dinghy", "£20", "£35"], ["Canoe", "£18", "£31"], ["Kayak", "£12", "£22"]]
TABLE = "| Boat | Half day | Full day |\n| --- | --- | --- |\n| Dinghy | £20 | £35 |\n| Canoe | £18 | £31 |\n| Kayak | £12 | £22 |"
WIDTHS = (90, 80, 80)
LEFT = "The left column begins here\nand goes on about tides and\nthe harbour bar for a while\nuntil it reaches its very end."


def markdown(page: list[Piece]) -> str:
    return convert_pdf(pdf(page), "https://x.example/a.pdf").markdown


@pytest.mark.parametrize("ruled", [True, False])
def test_a_table_between_paragraphs_is_a_table_with_its_header(ruled: bool) -> None:
    page = [*lines("Our prices are listed below, and they hold for 2026.", top=720)]
    page += [*grid(PRICES, widths=WIDTHS, ruled=ruled), *lines("All prices include tax.", top=600)]
    before, table, after = markdown(page).split("\n\n")
    assert before.startswith("Our prices")
    assert table == TABLE
    assert after == "All prices include tax.\n"


def test_a_rule_under_the_header_alone_changes_nothing() -> None:
    page = [*grid(PRICES, widths=WIDTHS, ruled=False), stroke(50, 680, 300, 680)]
    assert markdown(page) == TABLE + "\n"


@pytest.mark.parametrize("ruled", [True, False])
def test_cells_of_several_lines_are_whole(ruled: bool) -> None:
    rows = [["Country", "Delivery", "Returns"], ["Norway", "5 to 7\nworking days", "Customer pays\nreturn postage"]]
    rows += [["Chile", "10 days", "None"], ["Peru", "12 to 15\nworking days", "None"]]
    found = markdown(grid(rows, widths=(90, 110, 130), ruled=ruled))
    assert found == (
        "| Country | Delivery | Returns |\n| --- | --- | --- |\n"
        "| Norway | 5 to 7 working days | Customer pays return postage |\n"
        "| Chile | 10 days | None |\n| Peru | 12 to 15 working days | None |\n"
    )


def test_rows_in_groups_with_titles_stay_rows() -> None:
    page: list[Piece] = []
    rows = [
        ("Boat", "Price", 0),
        ("Winter", "", 8),
        ("Dinghy", "£20", 0),
        ("Canoe", "£18", 0),
        ("Summer", "", 8),
        ("Kayak", "£30", 0),
    ]
    y = 700.0
    for name, price, gap in rows:
        y -= 12 + gap
        page += [(50, y, 10, name), *([(200.0, y, 10.0, price)] if price else [])]
    assert "| Dinghy | £20 |\n| Canoe | £18 |\n" in markdown(page)


def test_a_table_within_a_column_stays_in_it() -> None:
    rows = [["Part", "Code"], ["Bracket", "BR-201"], ["Sensor", "SN-442"]]
    page = lines(LEFT * 3) + grid(rows, left=330, widths=(80, 80))
    table = "| Part | Code |\n| --- | --- |\n| Bracket | BR-201 |\n| Sensor | SN-442 |"
    assert markdown(page).endswith(table + "\n")
    across = sorted(lines(LEFT * 2), key=str) + grid(rows, left=330, widths=(80, 80), ruled=False)
    assert table in markdown(sorted(across, key=lambda piece: -piece[1] if isinstance(piece, tuple) else 0.0))


def test_pipes_in_cells_are_escaped() -> None:
    assert "| a \\| b |" in markdown(grid([["x", "y"], ["one", "a | b"], ["two", "c"]], widths=(80, 80)))


def spanning() -> list[Piece]:
    """A name that stands over two rows; only the strokes say so."""
    page: list[Piece] = [(54, 686, 10, "Boat"), (144, 686, 10, "Price"), (54, 656, 10, "Double"), (144, 666, 10, "£30")]
    page += [(144, 646, 10, "£28 in winter"), stroke(50, 700, 240, 700), stroke(50, 680, 240, 680)]
    page += [stroke(140, 660, 240, 660), stroke(50, 640, 240, 640)]
    return page + [stroke(x, 640, x, 700) for x in (50, 140, 240)]


def test_a_cell_that_spans_rows_stands_in_each_of_them() -> None:
    assert markdown(spanning()) == ("| Boat | Price |\n| --- | --- |\n| Double | £30 |\n| Double | £28 in winter |\n")


@pytest.mark.parametrize("limits", [PdfLimits(strokes=5), PdfLimits(paths=3)])
def test_pages_with_too_many_strokes_are_drawings(limits: PdfLimits) -> None:
    document = convert_pdf(pdf(spanning()), "https://x.example/a.pdf", limits=limits)
    assert document.markdown.count("Double") == 1


def test_a_title_within_the_frame_stands_above_the_table() -> None:
    page = [(54.0, 706.0, 10.0, "Summer prices"), *grid(PRICES, widths=WIDTHS)]
    page += [stroke(50, 720, 300, 720), stroke(50, 700, 50, 720), stroke(300, 700, 300, 720)]
    assert markdown(page) == f"**Summer prices**\n\n{TABLE}\n"


def test_two_rows_of_headings_become_one() -> None:
    page: list[Piece] = [
        (54, 706, 10, "Boat"),
        (144, 706, 10, "Price"),
        *grid([["", "Half day", "Full day"], ["Dinghy", "£20", "£35"], ["Canoe", "£18", "£31"]], widths=WIDTHS),
    ]
    page += [stroke(50, 720, 300, 720), *(stroke(x, 700, x, 720) for x in (50, 140, 300))]
    assert markdown(page).startswith("| Boat | Price Half day | Price Full day |\n| --- | --- | --- |\n| Dinghy |")


def test_rows_that_only_upright_lines_part_are_rows() -> None:
    page = grid(PRICES, widths=WIDTHS, ruled=False)
    page += [stroke(50, y, 300, y) for y in (700, 680, 620)] + [stroke(x, 620, x, 700) for x in (50, 140, 220, 300)]
    assert markdown(page) == TABLE + "\n"


def test_pairs_without_a_header_have_an_empty_one() -> None:
    rows = [["Dinghy hire", "25 euros"], ["Canoe hire", "18 euros"]]
    assert markdown(grid(rows, widths=(250, 100), ruled=False)) == (
        "|  |  |\n| --- | --- |\n| Dinghy hire | 25 euros |\n| Canoe hire | 18 euros |\n"
    )


def test_a_bold_first_row_is_a_header_whatever_it_holds() -> None:
    page: list[Piece] = [bold(54, 686, 10, "Size"), bold(144, 686, 10, "Up to 2 people")]
    page += grid([["S", "20"], ["M", "35"]], top=680, widths=(90, 120), ruled=False)
    assert markdown(page).startswith("| Size | Up to 2 people |\n| --- | --- |\n| S | 20 |")


def test_frames_and_charts_are_no_tables() -> None:
    frame: list[Piece] = [
        stroke(40, 780, 560, 780),
        stroke(40, 100, 560, 100),
        stroke(40, 100, 40, 780),
        stroke(560, 100, 560, 780),
    ]
    assert "|" not in markdown([*frame, *lines(LEFT)])
    ticks: list[Piece] = [stroke(60 + 20 * at, 100, 60 + 20 * at, 106) for at in range(20)]
    ticks += [stroke(40, 120 + 20 * at, 46, 120 + 20 * at) for at in range(20)]
    assert "|" not in markdown([*frame, *ticks, *lines("One word\nTwo words\nThree words")])


def test_formulas_with_their_numbers_are_no_table() -> None:
    page: list[Piece] = [
        piece
        for at in (1, 2, 3)
        for piece in ((80, 720 - 20 * at, 10, f"x = y + {at}"), (300, 720 - 20 * at, 10, f"({at})"))
    ]
    assert "|" not in markdown(page)


def test_labels_with_descriptions_are_a_table() -> None:
    texts = [
        "Is returned within five days of the\nend of your trip if all is well.",
        "Free until the day before, and half\nof the price after that time.",
    ]
    page: list[Piece] = []
    for at, (label, text) in enumerate(zip(["Deposit", "Cancellation"], texts, strict=True)):
        page += [(50, 700 - 24 * at, 10, label), *lines(text, left=160, top=700 - 24 * at)]
    found = markdown(page)
    assert "| Deposit | Is returned within five days of the end of your trip if all is well. |" in found
