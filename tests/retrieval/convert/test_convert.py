"""Pages of any kind as documents, and files that no converter can read."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.convert.convert import convert
from retrieval.document import Page
from retrieval.errors import ConvertError
from tests.retrieval.convert.office.packages import opendocument, packed, word
from tests.retrieval.convert.pdf.paper import lines, pdf


def test_a_kind_that_is_not_known_is_refused_with_the_kinds_that_are() -> None:
    with pytest.raises(ConvertError, match=r"^https://x\.example/a\.png: .*known: \.html, .*\.docx"):
        convert(Page("https://x.example/a.png", b"\x89PNG\x00"))


def test_the_address_can_stand_at_the_end() -> None:
    page = Page("https://x.example/a.txt", b"Text\n")
    assert convert(page, source_url=True).markdown == "Text\n\nSource: https://x.example/a.txt\n"


def test_the_examples_terms_are_read_whole(example: Path) -> None:
    content = (example / "documents" / "terms-of-hire.docx").read_bytes()
    document = convert(Page("https://x.example/terms-of-hire.docx", content))
    assert document.language == "en"
    assert document.markdown.startswith("# ")
    assert len(document.markdown) > 2000


def test_every_page_of_the_example_can_be_converted(example: Path) -> None:
    files = [file for file in example.rglob("*") if file.suffix in (".html", ".pdf", ".docx")]
    documents = [convert(Page(file.as_uri(), file.read_bytes())) for file in files]
    assert len(documents) > 25
    assert all(document.title and document.markdown.strip() for document in documents)


def test_a_pdf_is_converted_by_its_bytes() -> None:
    assert convert(Page("https://x.example/get?id=7", pdf(lines("Plain text")))).markdown == "Plain text\n"


def refused(body: bytes, why: str, name: str = "a.docx") -> None:
    with pytest.raises(ConvertError, match=why) as caught:
        convert(Page(f"https://x.example/{name}", body))
    assert str(caught.value).startswith(f"https://x.example/{name}: ")


@pytest.mark.parametrize(
    ("name", "body", "why"),
    [
        ("a.docx", b"PK\x03\x04 and no more", "can't be read as a Word document"),
        ("a.docx", word(("Normal", "Text"))[:-40], "can't be read as a Word document"),
        ("a.docx", packed({"[Content_Types].xml": b"", "word/document.xml": b"<broken"}), "holds broken XML"),
        ("a.docx", packed({"[Content_Types].xml": b"", "word/x.xml": b""}), "save it as .docx"),
        ("a.xlsx", packed({"[Content_Types].xml": b"", "xl/x.xml": b""}), "save it as .xlsx"),
        ("a.pptx", packed({"[Content_Types].xml": b"", "ppt/x.xml": b""}), "save it as .pptx"),
        ("a.odt", packed({"mimetype": b"application/vnd.oasis.opendocument.text"}), "save it as .odt"),
        ("a.odt", opendocument("<text:h text:outline-level='x'/>")[:60], "can't be read as an OpenDocument"),
        ("a.ods", packed({"mimetype": b"application/vnd.oasis.opendocument.spreadsheet"}), "not a kind of file"),
        ("a.docx", b"", "is an empty file"),
        ("a.csv", b" \n", "is an empty file"),
    ],
    ids=lambda part: part if isinstance(part, str) else "body",  # bytes hold the time of packing
)  # fmt: skip
def test_a_broken_file_says_what_it_is_and_what_to_do(name: str, body: bytes, why: str) -> None:
    refused(body, why, name)
