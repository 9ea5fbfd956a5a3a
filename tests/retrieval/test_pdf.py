"""PDF to Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.errors import ConvertError
from retrieval.pdf import convert_pdf
from retrieval.split import split
from tests.retrieval.paper import lines, pdf

URL = "https://boats.example/guide.pdf"
LEFT = "The left column begins here\nand goes on about tides and\nthe harbour bar for a while\nuntil it reaches its very end."
RIGHT = "The right column follows it\nand speaks of radio channels\nand of batteries in pouches\nuntil that is said as well."


def markdown(body: bytes) -> str:
    return convert_pdf(body, URL).markdown


def test_two_columns_are_read_one_after_the_other() -> None:
    pieces = [pair for both in zip(lines(LEFT), lines(RIGHT, left=320), strict=True) for pair in both]
    text = " ".join(markdown(pdf(pieces)).split())
    assert text == f"{LEFT} {RIGHT}".replace("\n", " ")


def test_cells_of_a_table_stay_in_their_row() -> None:
    rows = [(50.0, 700.0 - 20 * at, 10.0, name) for at, name in enumerate(["Dinghy hire", "Canoe hire"])]
    prices = [(300.0, 700.0 - 20 * at, 10.0, price) for at, price in enumerate(["25 euros", "18 euros"])]
    assert markdown(pdf(rows + prices)) == "Dinghy hire | 25 euros\n\nCanoe hire | 18 euros\n"


def test_a_word_broken_at_the_end_of_a_line_is_joined() -> None:
    assert markdown(pdf(lines("Bring your certi-\nficate to the quay"))) == "Bring your certificate to the quay\n"


def test_a_name_with_a_hyphen_stays_as_it_is() -> None:
    assert "Anglo- Saxon" in markdown(pdf(lines("All about the Anglo-\nSaxon boats")))


def test_running_heads_and_page_numbers_are_left_out() -> None:
    texts = ["tides", "radio", "weather"]
    pages = [
        [(50, 800, 8, "Skipper's guide"), *lines(f"All there is to say of {text}."), (280, 30, 8, f"Page {at} of 3")]
        for at, text in enumerate(texts, 1)
    ]
    found = markdown(pdf(*pages))
    assert found.split("\n\n") == [f"All there is to say of {text}." for text in texts[:2]] + [
        "All there is to say of weather.\n"
    ]


def test_prices_at_the_edges_of_pages_are_not_taken_for_page_numbers() -> None:
    pages = [
        lines("Kayak for a day 30\nA text of its own", top=800),
        lines("Another text\nKayak for a day 45", top=700),
    ]
    assert {"30", "45"} <= set(markdown(pdf(*pages)).split())


def test_larger_type_is_a_heading_and_bullets_are_a_list() -> None:
    page = [
        (50.0, 780.0, 20.0, "Guide"),
        (50.0, 740.0, 13.0, "Tides"),
        *lines("High water comes late.\n• Bring a slate\n• Bring a watch", top=715),
    ]
    assert markdown(pdf(page)).split("\n\n") == [
        "# Guide",
        "## Tides",
        "High water comes late.",
        "- Bring a slate",
        "- Bring a watch\n",
    ]


def test_chunks_know_their_page() -> None:
    pages = [
        [(50.0, 700.0, 14.0, name), *lines(f"{name} " + "word " * 12 + "end.\n" + f"All of {name}.", top=650)]
        for name in ("Alpha", "Beta", "Gamma")
    ]
    document = convert_pdf(pdf(*pages), URL)
    assert [document.markdown[at:].split()[1] for at in document.pages] == ["Alpha", "Beta", "Gamma"]
    assert [(chunk.heading_path, chunk.page) for chunk in split(document, chunk_tokens=40)] == [
        (("Alpha",), 1),
        (("Beta",), 2),
        (("Gamma",), 3),
    ]


def test_the_title_is_the_declared_one_then_the_heading_then_the_name() -> None:
    page = [(50.0, 780.0, 20.0, "Guide"), *lines("Some text.\nAnd more.\nAnd more still.")]
    assert convert_pdf(pdf(page, title="Declared"), URL).title == "Declared"
    assert convert_pdf(pdf(page), URL).title == "Guide"
    assert convert_pdf(pdf(lines("Some text.")), URL).title == "guide.pdf"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (pdf(lines("Secret"), encrypted=True), "protected by a password"),
        (pdf([]), "run OCR on it"),
        (b"%PDF-1.4\nnothing else", "can't be read as a PDF"),
        (pdf(lines("One page"), listed=3), "has a page that can't be read"),
    ],
    ids=["encrypted", "scanned", "broken", "missing pages"],
)
def test_a_file_that_cannot_be_read_says_why(body: bytes, why: str) -> None:
    with pytest.raises(ConvertError, match=why) as caught:
        convert_pdf(body, URL)
    assert str(caught.value).startswith(URL)


def test_the_examples_guide_keeps_its_order_and_loses_its_running_heads(example: Path) -> None:
    document = convert_pdf((example / "documents" / "skipper-guide.pdf").read_bytes(), URL)
    headings = [line for line in document.markdown.splitlines() if line.startswith("#")]
    names = [heading.split()[1].rstrip(".") for heading in headings]
    numbers = [int(name) for name in names if name.isdigit()]
    assert numbers == sorted(numbers)
    assert len(numbers) >= 6
    assert "Hire in the harbour | 16 knots | 22 knots | 0.4 m" in document.markdown
    assert "nobody should have to guess why a guide says no" in " ".join(document.markdown.split())
    assert len(document.pages) >= 2
