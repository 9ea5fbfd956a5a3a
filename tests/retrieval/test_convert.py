"""What a page is, Word documents, and plain files."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.convert.convert import convert, kind_of
from retrieval.document import Page
from retrieval.errors import ConvertError
from tests.retrieval.packages import book, opendocument, presentation, workbook
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


def test_a_kind_that_is_not_known_is_refused_with_the_kinds_that_are() -> None:
    with pytest.raises(ConvertError, match=r"^https://x\.example/a\.png: .*known: \.html, .*\.docx"):
        convert(Page("https://x.example/a.png", b"\x89PNG\x00"))


def test_markdown_keeps_its_text_and_takes_its_first_heading_as_title() -> None:
    document = convert(Page("https://x.example/a.md", b"Intro\r\n\r\n# Boats  \r\n\r\nText\r\n"))
    assert (document.title, document.markdown) == ("Boats", "Intro\n\n# Boats  \n\nText\n")


def test_a_text_is_named_after_its_file_and_read_in_its_charset() -> None:
    text = "Frühstück gibt es für alle Gäste bis elf Uhr, auch süße Brötchen und heiße Getränke."
    document = convert(Page("file:///x/haus%20ordnung.txt", text.encode("cp1252")))
    assert (document.title, document.language, document.markdown) == ("haus ordnung.txt", "de", text + "\n")


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        ("Öffnungszeiten: neun bis sechs.", "utf-16"),
        ("Opening hours: nine to six.", "utf-16-le"),
        ("Opening hours: nine to six.", "utf-16-be"),
        ("Opening hours: nine to six – €5.", "utf-32"),
        ("Opening hours: nine to six – €5.", "utf-8-sig"),
        ("The café’s price is €5 – naïve “guests” pay £4.", "cp1252"),
        ("営業時間は午前九時から午後六時までです。定休日は月曜日です。", "shift_jis"),
        ("営業時間は午前九時から午後六時までです。定休日は月曜日です。", "euc_jp"),
        ("영업 시간은 오전 아홉 시부터 오후 여섯 시까지입니다. 월요일은 쉽니다.", "cp949"),
        ("营业时间为上午九点至下午六点。星期一休息。门票价格五十元。", "gb18030"),
        ("營業時間為上午九點至下午六點。星期一休息。門票價格五十元。", "big5"),
        ("Мы открыты каждый день с девяти до шести. Цена билета 500 рублей.", "cp1251"),
        ("Мы открыты каждый день с девяти до шести. Цена билета 500 рублей.", "koi8_r"),
        ("Zażółć gęślą jaźń. Jesteśmy otwarci codziennie od dziewiątej do osiemnastej.", "cp1250"),
        ("Είμαστε ανοιχτά κάθε μέρα από τις εννέα έως τις έξι.", "cp1253"),
        ("Her gün dokuzdan altıya kadar açığız. Giriş ücreti elli liradır, çocuklar için ücretsizdir.", "cp1254"),
    ],
)
def test_a_text_is_read_in_any_encoding(text: str, charset: str) -> None:
    document = convert(Page("file:///x/a.txt", f"{text}\r\nEnd".encode(charset)))
    assert document.markdown == f"{text}\nEnd\n"


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
