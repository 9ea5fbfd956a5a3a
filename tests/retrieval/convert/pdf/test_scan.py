"""Scanned pages, with and without a program that reads them, and the limits of PDF files."""

from __future__ import annotations

from pathlib import Path

import pypdfium2 as pdfium
import pytest

from retrieval.convert.pdf import convert_pdf
from retrieval.convert.pdf.limits import PdfLimits
from retrieval.convert.pdf.scan import page_image
from retrieval.errors import ConvertError
from tests.retrieval.convert.pdf.paper import lines, pdf, picture

URL = "https://boats.example/guide.pdf"


def script(folder: Path, text: str) -> str:
    """A program named tesseract."""
    path = folder / "tesseract"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return f"{folder}:/usr/bin:/bin"


def test_scans_need_tesseract_and_the_sentence_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConvertError, match="OCR extra \\(tesseract"):
        convert_pdf(pdf([picture()], [picture()]), URL)


def test_one_scanned_page_among_others_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    document = convert_pdf(pdf(lines("Text of page one."), [picture()], []), URL)
    assert document.notes == ("page 2 is a scan without text",)
    assert document.markdown == "Text of page one.\n"


def test_a_stamp_on_a_scanned_page_does_not_make_it_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    document = convert_pdf(pdf([picture(), *lines("Made by a scanner")], lines("Text of page two.")), URL)
    assert document.notes == ("page 1 is a scan without text",)
    assert "Made by a scanner" in document.markdown


def test_scans_are_read_by_tesseract_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = 'if [ "$1" = --list-langs ]; then printf "List\\ndeu\\neng\\nosd\\n"; exit; fi\necho "$4"; head -c 2\n'
    monkeypatch.setenv("PATH", script(tmp_path, read + 'printf "\\n\\nRefund code: certi-\\nficate\\n"'))
    document = convert_pdf(pdf(lines("Text."), [picture()]), URL)
    assert document.markdown.split("\n\n") == ["Text.", "eng+deu P5", "Refund code: certificate\n"]
    assert document.pages == (0, 7)
    assert document.notes == ()


@pytest.mark.parametrize(("what", "why"), [("exit 3", "tesseract can't read"), ("sleep 20", "takes longer")])
def test_a_scan_that_cannot_be_read_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, why: str
) -> None:
    monkeypatch.setenv("PATH", script(tmp_path, f'if [ "$1" = --list-langs ]; then echo eng; exit; fi\nexec {what}'))
    with pytest.raises(ConvertError, match=why):
        convert_pdf(pdf([picture()]), URL, limits=PdfLimits(scan_seconds=0.5))


def test_the_picture_of_a_huge_page_is_made_small() -> None:
    document = pdfium.PdfDocument(pdf([picture()]))
    head = page_image(document[0], 1000).split(b"\n")[:3]
    assert head[0] == b"P5"
    assert int(head[1].split()[0]) * int(head[1].split()[1]) < 1200


def test_too_many_pages_and_scans_and_letters_are_cut_and_the_pages_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", script(tmp_path, "echo read"))
    body = pdf(lines("Page one, more"), [picture()], [picture()], lines("Page four"))
    document = convert_pdf(body, URL, limits=PdfLimits(pages=3, scans=1, letters=9))
    assert document.notes == ("page 3 is a scan without text", "only the first 3 of 4 pages were read; split the file")
    assert "more" not in document.markdown
