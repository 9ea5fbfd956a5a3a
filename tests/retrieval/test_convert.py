"""What a page is, Word documents, and plain files."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.convert import convert, kind_of
from retrieval.document import Page
from retrieval.errors import ConvertError
from tests.retrieval.paper import lines, packed, pdf, word

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize(
    ("url", "declared", "content", "kind"),
    [
        ("https://x.example/a", "text/html; charset=utf-8", b"Text", "html"),
        ("https://x.example/a", "", b"\n<!-- hello -->\n<!DOCTYPE html><p>", "html"),
        ("https://x.example/a.txt", "text/plain", b"<html><p>Text", "html"),
        ("https://x.example/a.html", "application/pdf", b"%PDF-1.7", "pdf"),
        ("https://x.example/download", "application/octet-stream", b"\n%PDF-1.7", "pdf"),
        ("https://x.example/a.docx", "application/octet-stream", b"PK\x03\x04", "docx"),
        ("https://x.example/a", WORD, b"PK\x03\x04", "docx"),
        ("https://x.example/a.zip", "application/zip", b"PK\x03\x04", ""),
        ("https://x.example/a.md", "text/plain", b"# A", "markdown"),
        ("https://x.example/a.txt", "", b"A", "text"),
        ("https://x.example/a.txt", "", b"A\x00\x01B", ""),
        ("https://x.example/a.txt", "", "\ufeffA".encode("utf-16"), "text"),
        ("https://x.example/a.bin", "application/octet-stream", b"A", ""),
        ("file:///home/x/prices.HTM", "", b"Text", "html"),
    ],
)
def test_a_page_is_what_its_bytes_say_then_its_type_and_name(
    url: str, declared: str, content: bytes, kind: str
) -> None:
    assert kind_of(Page(url, content, declared)) == kind


def test_a_kind_that_is_not_known_is_refused_with_the_kinds_that_are() -> None:
    with pytest.raises(ConvertError, match=r"^https://x\.example/a\.xlsx: .*known: \.html, .*\.docx"):
        convert(Page("https://x.example/a.xlsx", b"PK\x03\x04"))


def test_markdown_keeps_its_text_and_takes_its_first_heading_as_title() -> None:
    document = convert(Page("https://x.example/a.md", b"Intro\r\n\r\n# Boats  \r\n\r\nText\r\n"))
    assert (document.title, document.markdown) == ("Boats", "Intro\n\n# Boats  \n\nText\n")


def test_a_text_is_named_after_its_file_and_read_in_its_charset() -> None:
    text = "Frühstück gibt es für alle Gäste bis elf Uhr, auch süße Brötchen und heiße Getränke."
    document = convert(Page("file:///x/haus%20ordnung.txt", text.encode("cp1252")))
    assert (document.title, document.language, document.markdown) == ("haus ordnung.txt", "de", text + "\n")


def test_the_address_can_stand_at_the_end() -> None:
    page = Page("https://x.example/a.txt", b"Text\n")
    assert convert(page, source_url=True).markdown == "Text\n\nSource: https://x.example/a.txt\n"


def test_a_word_document_keeps_headings_lists_and_tables_in_their_order() -> None:
    body = word(
        ("Title", "Terms"),
        ("Heading 1", "Deposit"),
        ("Normal", "Pay  before\tyou sail."),
        ("List Bullet", "cash"),
        ("List Bullet", "card"),
        ("Heading 2", "Steps"),
        ("List Number", "ask"),
        ("List Number", "pay"),
        table=[["Boat", "Euros"], ["Dinghy", "50"]],
    )
    document = convert(Page("https://x.example/terms.docx", body))
    assert document.title == "Terms"
    assert document.markdown == (
        "# Terms\n\n# Deposit\n\nPay before you sail.\n\n- cash\n- card\n\n## Steps\n\n1. ask\n1. pay\n\n"
        "| Boat | Euros |\n| --- | --- |\n| Dinghy | 50 |\n"
    )


@pytest.mark.parametrize(
    "body",
    [
        b"PK\x03\x04 and no more",
        packed({"hello.txt": b"not Word"}),
        packed({"[Content_Types].xml": b"<broken", "word/document.xml": b"<broken"}),
        word(("Normal", "Text"))[:-40],
    ],
    ids=["no archive", "another archive", "broken inside", "cut short"],
)
def test_a_broken_word_document_says_so(body: bytes) -> None:
    with pytest.raises(ConvertError, match="can't be read as a Word document"):
        convert(Page("https://x.example/a.docx", body))


def test_a_document_that_unpacks_to_too_much_is_refused_before_it_is_unpacked() -> None:
    bomb = packed({f"{at}.xml": bytes(70 * 1024 * 1024) for at in range(3)})
    assert len(bomb) < 1024 * 1024
    with pytest.raises(ConvertError, match="more than 200 MiB"):
        convert(Page("https://x.example/a.docx", bomb))


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
