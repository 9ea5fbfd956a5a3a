"""What kind of file a page is."""

from __future__ import annotations

import tracemalloc

import pytest

from retrieval.convert.convert import kind_of
from retrieval.convert.office.package import MIB
from retrieval.document import Page
from tests.retrieval.convert.office.packages import book, opendocument, packed, presentation, word, workbook

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
        ("https://x.example/a.zip", "application/octet-stream", packed({"a.txt": b"a"}), "zip"),
        ("https://x.example/a.bin", "", packed({"a.txt": b"a"}), "zip"),
        ("https://x.example/a.zip", "application/zip", word(("Normal", "A")), "docx"),
        ("https://x.example/a.docx", "", workbook(("name='a'", "")), "xlsx"),
        ("https://x.example/a", "", presentation(), "pptx"),
        ("https://x.example/a.zip", "", opendocument(""), "odt"),
        ("https://x.example/a.zip", "", book(), "epub"),
        ("https://x.example/a.docx", "", b"{\\rtf1 A}", "rtf"),
        ("https://x.example/a.bin", "", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "doc"),
        ("https://x.example/a.tsv", "", b"a\tb", "csv"),
        ("https://x.example/a", "text/csv; charset=utf-8", b"a,b", "csv"),
        ("https://x.example/a.csv", "text/plain", b"a,b", "csv"),
        ("https://x.example/a.pdf", "", b"no PDF", ""),
        ("https://x.example/a.docx", "", b"no archive", ""),
        ("https://x.example/readme.md", "", b"<p align='center'>A</p>", "markdown"),
        ("https://x.example/a.txt", "", "A plain text".encode("utf-16-le"), "text"),
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


def test_what_an_archive_says_it_is_is_not_unpacked_whole_to_be_read() -> None:
    body = packed({"mimetype": bytes(40 * MIB)})
    tracemalloc.start()
    try:
        assert kind_of(Page("https://x.example/x", body)) == "zip"
        assert tracemalloc.get_traced_memory()[1] < 2 * MIB
    finally:
        tracemalloc.stop()
