"""A PDF as a document: its pages are read, their running heads taken away, and their lines put in order."""

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
from retrieval.convert.pdf.heading import Type
from retrieval.convert.pdf.hyphen import Spelling
from retrieval.convert.pdf.line import Line, lines_of
from retrieval.convert.pdf.running import without_running_heads
from retrieval.convert.pdf.sheet import Sheet, read_sheet
from retrieval.document import Document
from retrieval.errors import ConvertError
from retrieval.text.language import detect

MOST_PAGES = 2000
MOST_SCANS = 100
"""Scanned pages of one file that are read; each takes seconds."""
PICTURE = 0.1
"""The least share of a page without text that a picture must cover for the page to be a scan."""
STAMP = 8
"""Words that scanning programs put on the pages that they make, at most."""
JUNK_TITLE = re.compile(
    r"(untitled.*|microsoft \w+ - .*|document\s?\d*|[\W\d_]*|.*\.(docx?|pdf|indd|odt|tex|dvi|xlsx?|pptx?))", re.I
)
ONE_AT_A_TIME = threading.Lock()
"""PDFium may not be called from two threads at once."""


@dataclass(slots=True)
class _Read:
    """What PDFium gave: plain values, so that the rest needs no lock."""

    sheets: list[Sheet] = field(default_factory=list)
    scans: dict[int, bytes] = field(default_factory=dict)
    scanned: list[int] = field(default_factory=list)
    pages: int = 0
    title: str = ""


def convert_pdf(body: bytes, url: str) -> Document:
    """The PDF's text in reading order; raises ConvertError for encrypted, broken, empty or scanned files."""
    if not body.strip():
        raise ConvertError(f"{url}: is an empty file; export the PDF again")
    with ONE_AT_A_TIME:
        read = _read(body, url)
    texts = {number: scan.read(image, url) for number, image in read.scans.items()}
    if not any(sheet.words or sheet.turned for sheet in read.sheets) and not any(texts.values()):
        raise ConvertError(f"{url}: {_why_empty(read)}")
    return _document(read, texts, url)


def _read(body: bytes, url: str) -> _Read:
    try:
        pdf = pdfium.PdfDocument(body)
    except pdfium.PdfiumError as error:
        why = "is protected by a password" if "password" in str(error).lower() else "can't be read as a PDF"
        raise ConvertError(f"{url}: {why}; save it without protection and add it again") from error
    read = _Read()
    try:
        read.pages = len(pdf)
        for number in range(min(read.pages, MOST_PAGES)):
            page = pdf[number]
            sheet = read_sheet(page)
            read.sheets.append(sheet)
            if _is_scan(sheet):
                read.scanned.append(number)
                if scan.program() and len(read.scans) < MOST_SCANS:
                    read.scans[number] = scan.picture(page)
            page.close()
        read.title = (pdf.get_metadata_dict().get("Title") or "").strip()
    except pdfium.PdfiumError as error:
        raise ConvertError(f"{url}: has a page that can't be read; save it anew and add it again") from error
    finally:
        pdf.close()
    return read


def _is_scan(sheet: Sheet) -> bool:
    """A picture without text, or over the whole page with no more than a stamp beside it."""
    if not sheet.words and not sheet.turned:
        return sheet.covered > PICTURE
    return len(sheet.words) < STAMP and sheet.covered > 0.8


def _why_empty(read: _Read) -> str:
    if not read.scanned:
        return "holds no text; export it again with its text"
    if read.scans:
        return "holds scanned pages on which no text can be made out; scan them anew with more contrast"
    return (
        "holds scanned pages without text; install the OCR extra (tesseract, in Debian tesseract-ocr) and add it again,"
        " or add a version with text"
    )


def _document(read: _Read, texts: dict[int, str], url: str) -> Document:
    pages, blocks = [], []
    for sheet in read.sheets:
        words, tables = take_grids(sheet.words, sheet.edges)
        pages.append(lines_of(words))
        blocks.append(tables)
    pages, contacts = without_running_heads(pages)
    flow = _flow([[*lines, *tables] for lines, tables in zip(pages, blocks, strict=True)], read.sheets, texts)
    for text in contacts:
        flow.text(text)
    markdown, offsets = flow.markdown()
    heading = re.search(r"^#{1,2} (.+)$", markdown, flags=re.M)
    name = unquote(urlsplit(url).path.rsplit("/", 1)[-1])
    declared = "" if JUNK_TITLE.fullmatch(read.title) else read.title
    return Document(
        url=url,
        title=declared or (heading[1] if heading else name),
        markdown=markdown,
        language=detect(markdown),
        pages=offsets,
        notes=_notes(read, texts),
    )


def _flow(pages: list[list[Line]], sheets: list[Sheet], texts: dict[int, str]) -> Flow:
    every = [line for page in pages for line in page]
    kind = Type.of(every) if every else Type(10.0, False, (), 2)
    flow = Flow(kind, Spelling.of(line.text for line in every))
    for number, (page, sheet) in enumerate(zip(pages, sheets, strict=True)):
        flow.page()
        for leaf in reading_order(sorted(page, key=lambda line: line.at)):
            flow.column(leaf)
        for text in [*sheet.turned, *texts.get(number, "").split("\n\n")]:
            if text:
                flow.text(text)
    return flow


def _notes(read: _Read, texts: dict[int, str]) -> tuple[str, ...]:
    unread = [number for number in read.scanned if not texts.get(number)]
    notes = [f"page {number + 1} is a scan without text" for number in unread[:10]]
    if len(unread) > 10:
        notes.append(f"{len(unread) - 10} more pages are scans without text")
    if read.pages > MOST_PAGES:
        notes.append(f"only the first {MOST_PAGES} of {read.pages} pages were read; split the file")
    return tuple(notes)
