"""PDF files as documents: titles, pages, and files that can't be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.convert.pdf import convert_pdf
from retrieval.errors import ConvertError
from retrieval.split.by_headings import split
from tests.retrieval.convert.pdf.paper import lines, pdf

URL = "https://boats.example/guide.pdf"


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


def test_chunks_of_one_long_section_know_the_page_that_each_begins_on() -> None:
    pages = [lines("\n".join(f"Sentence {at} of page {name}." for at in range(8))) for name in ("one", "two", "three")]
    document = convert_pdf(pdf(*pages), URL)
    for chunk in split(document, chunk_tokens=60, overlap=0.0):
        first = next(name for name in ("one", "two", "three") if f"page {name}" in chunk.text)
        assert chunk.page == ("one", "two", "three").index(first) + 1


def test_the_title_is_the_declared_one_then_the_heading_then_the_name() -> None:
    page = [(50.0, 780.0, 20.0, "Guide"), *lines("Some text.\nAnd more.\nAnd more still.")]
    assert convert_pdf(pdf(page, title="Declared"), URL).title == "Declared"
    assert convert_pdf(pdf(page, title="Microsoft Word - guide.docx"), URL).title == "Guide"
    assert convert_pdf(pdf(page), URL).title == "Guide"
    assert convert_pdf(pdf(lines("Some text.")), URL).title == "guide.pdf"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (pdf(lines("Secret"), encrypted=True), "protected by a password"),
        (b" \n", "is an empty file"),
        (pdf([]), "holds no text"),
        (b"%PDF-1.4\nnothing else", "can't be read as a PDF"),
        (pdf(lines("One page"), listed=3), "has a page that can't be read"),
    ],
    ids=["encrypted", "nothing", "empty", "broken", "missing pages"],
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
    assert numbers == list(range(1, 17))
    assert "| Hire in the harbour | 16 knots | 22 knots | 0.4 m |" in document.markdown
    assert "nobody should have to guess why a guide says no" in " ".join(document.markdown.split())
    assert len(document.pages) >= 2
