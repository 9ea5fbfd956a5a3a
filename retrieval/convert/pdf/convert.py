"""Converts a PDF: reads its pages, takes running heads away, puts lines in order, and writes them as Markdown."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

import pypdfium2 as pdfium

from retrieval.convert.pdf import scan
from retrieval.convert.pdf.blocks import Flow
from retrieval.convert.pdf.columns import reading_order
from retrieval.convert.pdf.grid import take_grids
from retrieval.convert.pdf.heading import TypeSizes
from retrieval.convert.pdf.hyphen import DocumentSpelling
from retrieval.convert.pdf.limits import PDF_LIMITS, PdfLimits
from retrieval.convert.pdf.line import PdfLine, lines_of_words
from retrieval.convert.pdf.running import without_running_heads
from retrieval.convert.pdf.sheet import PdfSheet, read_sheet
from retrieval.document import Document
from retrieval.errors import ConvertError
from retrieval.text.language import detect

LEAST_SCAN_SHARE = 0.1
"""The share of a page without text that a picture must cover for the page to be a scan; chosen by hand."""
MOST_STAMP_WORDS = 8
"""Words fewer than which may be the stamp of a scanning program; test_a_stamp_on_a_scanned_page_does_not_make_it_text."""
# Titles that programs put into a file themselves.
JUNK_TITLE = re.compile(
    r"(untitled.*|microsoft \w+ - .*|document\s?\d*|[\W\d_]*|.*\.(docx?|pdf|indd|odt|tex|dvi|xlsx?|pptx?))", re.I
)
PDFIUM_LOCK = threading.Lock()
"""PDFium must not be called from two threads at once."""


@dataclass(slots=True)
class _PdfiumResult:
    """What PDFium read, as plain values, so that the rest needs no lock."""

    sheets: list[PdfSheet] = field(default_factory=list)
    scans: dict[int, bytes] = field(default_factory=dict)
    """Pictures of scanned pages, by the page's number from 0, where they can be read."""
    scanned: list[int] = field(default_factory=list)
    """The numbers of all scanned pages."""
    pages: int = 0
    """How many pages the file has, also those that weren't read."""
    title: str = ""


def convert_pdf(body: bytes, url: str, *, limits: PdfLimits = PDF_LIMITS) -> Document:
    """The PDF's text in reading order; raises ConvertError for files that are locked, broken, or without readable text."""
    if not body.strip():
        raise ConvertError("is an empty file; export the PDF again", about=url)
    with PDFIUM_LOCK:
        read = _read_by_pdfium(body, url, limits)
    texts = {number: scan.read_image(image, url, limits.scan_seconds) for number, image in read.scans.items()}
    if not any(sheet.words or sheet.turned for sheet in read.sheets) and not any(texts.values()):
        raise ConvertError(_why_empty(read), about=url)
    return _document(read, texts, url, limits)


def _read_by_pdfium(body: bytes, url: str, limits: PdfLimits) -> _PdfiumResult:
    try:
        pdf = pdfium.PdfDocument(body)
    except pdfium.PdfiumError as error:
        why = "is protected by a password" if "password" in str(error).lower() else "can't be read as a PDF"
        raise ConvertError(f"{why}; save it without protection and add it again", about=url) from error
    read = _PdfiumResult()
    try:
        read.pages = len(pdf)
        for number in range(min(read.pages, limits.pages)):
            page = pdf[number]
            sheet = read_sheet(page, limits)
            read.sheets.append(sheet)
            if _is_scan(sheet):
                read.scanned.append(number)
                if scan.tesseract() and len(read.scans) < limits.scans:
                    read.scans[number] = scan.page_image(page, limits.scan_pixels)
            page.close()
        read.title = (pdf.get_metadata_dict().get("Title") or "").strip()
    except pdfium.PdfiumError as error:
        raise ConvertError("has a page that can't be read; save it anew and add it again", about=url) from error
    finally:
        pdf.close()
    return read


def _is_scan(sheet: PdfSheet) -> bool:
    """Whether a page is a scan: a picture without text, or one over the whole page with no more than a stamp beside it."""
    if not sheet.words and not sheet.turned:
        return sheet.covered > LEAST_SCAN_SHARE
    return len(sheet.words) < MOST_STAMP_WORDS and sheet.covered > 0.8


def _why_empty(read: _PdfiumResult) -> str:
    """What to tell the owner of a file without readable text."""
    if not read.scanned:
        return "holds no text; export it again with its text"
    if read.scans:
        return "holds scanned pages on which no text can be made out; scan them anew with more contrast"
    return (
        "holds scanned pages without text; install the OCR extra (tesseract, in Debian tesseract-ocr) and add it again,"
        " or add a version with text"
    )


def _document(read: _PdfiumResult, texts: dict[int, str], url: str, limits: PdfLimits) -> Document:
    """The document of what was read; `texts`: those of scanned pages, by number."""
    pages, blocks = [], []
    for sheet in read.sheets:
        words, tables = take_grids(sheet.words, sheet.edges, limits.strokes)
        pages.append(lines_of_words(words))
        blocks.append(tables)
    pages, contacts = without_running_heads(pages)
    flow = _flow([[*lines, *tables] for lines, tables in zip(pages, blocks, strict=True)], read.sheets, texts)
    for text in contacts:
        flow.add_text(text)
    markdown, offsets = flow.written()
    heading = re.search(r"^#{1,2} (.+)$", markdown, flags=re.M)
    name = unquote(urlsplit(url).path.rsplit("/", 1)[-1])
    declared = "" if JUNK_TITLE.fullmatch(read.title) else read.title
    return Document(
        url=url,
        title=declared or (heading[1] if heading else name),
        markdown=markdown,
        language=detect(markdown),
        pages=offsets,
        notes=_notes(read, texts, limits),
    )


def _flow(pages: list[list[PdfLine]], sheets: list[PdfSheet], texts: dict[int, str]) -> Flow:
    every = [line for page in pages for line in page]
    sizes = TypeSizes.of(every) if every else TypeSizes(10.0, False, (), 2)
    flow = Flow(sizes, DocumentSpelling.of(line.text for line in every))
    for number, (page, sheet) in enumerate(zip(pages, sheets, strict=True)):
        flow.begin_page()
        for leaf in reading_order(sorted(page, key=lambda line: line.order)):
            flow.add_column(leaf)
        for text in [*sheet.turned, *texts.get(number, "").split("\n\n")]:
            if text:
                flow.add_text(text)
    return flow


def _notes(read: _PdfiumResult, texts: dict[int, str], limits: PdfLimits) -> tuple[str, ...]:
    """What the owner should know of pages that weren't read."""
    unread = [number for number in read.scanned if not texts.get(number)]
    notes = [f"page {number + 1} is a scan without text" for number in unread[:10]]
    if len(unread) > 10:
        notes.append(f"{len(unread) - 10} more pages are scans without text")
    if read.pages > limits.pages:
        notes.append(f"only the first {limits.pages} of {read.pages} pages were read; split the file")
    return tuple(notes)
