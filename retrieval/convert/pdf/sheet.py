"""One page as PDFium reads it: words with their places, ruled lines, links, and how much of it pictures cover."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from retrieval.convert.pdf.letters import Box, Letters
from retrieval.convert.pdf.line import Word, beside

MOST_PATHS = 20_000
MOST_DOTS = 500


@dataclass(slots=True)
class Sheet:
    """What stands on one page."""

    width: float
    height: float
    words: list[Word] = field(default_factory=list)
    turned: list[str] = field(default_factory=list)
    """Texts that run upwards or downwards, such as a stamp at the margin."""
    edges: list[Box] = field(default_factory=list)
    """Straight strokes: of width or of height next to nothing."""
    dots: list[tuple[float, float]] = field(default_factory=list)
    """Small round or square drawings, which may be the bullets of a list."""
    covered: float = 0.0
    """The share of the page that its largest picture covers."""


def read_sheet(page: pdfium.PdfPage) -> Sheet:
    """The page's words, edges and pictures."""
    sheet = Sheet(*page.get_size())
    links = list(_links(page))
    text_page = page.get_textpage()
    try:
        letters = Letters(text_page.raw, text_page.count_chars(), _place(page), links)
        sheet.words, sheet.turned = letters.read()
    finally:
        text_page.close()
    _drawings(page, sheet)
    sheet.words = _with_bullets(sheet.words, sheet.dots)
    return sheet


def _place(page: pdfium.PdfPage) -> tuple[float, float]:
    """The page's left and upper border in its own coordinates."""
    left, bottom, right, top = page.get_bbox()
    return min(left, right), max(bottom, top)


def _with_bullets(words: list[Word], dots: list[tuple[float, float]]) -> list[Word]:
    """Browsers draw the bullets of a list: one is put before the word that stands right of it."""
    if not dots or len(dots) > MOST_DOTS:
        return words
    found: list[Word] = []
    for before, word in pairwise([None, *words]):
        assert word is not None
        first = before is None or not beside(before, word) or word.left < before.left
        middle = word.base - 0.3 * word.size
        if first and any(0 < word.left - x < 2.5 * word.size and abs(y - middle) < 0.4 * word.size for x, y in dots):
            left = max(x for x, y in dots if x < word.left and abs(y - middle) < 0.4 * word.size)
            found.append(Word(left - 2, left + 2, word.base, word.size, "•"))
        found.append(word)
    return [replace(word, at=at) for at, word in enumerate(found)]


def _links(page: pdfium.PdfPage) -> Iterator[tuple[Box, str]]:
    """The places of links to addresses; links within the file lead nowhere in Markdown."""
    left, top = _place(page)
    at, link, box = ctypes.c_int(0), raw.FPDF_LINK(), raw.FS_RECTF()
    while raw.FPDFLink_Enumerate(page.raw, at, link):
        action = raw.FPDFLink_GetAction(link)
        if not action or not raw.FPDFLink_GetAnnotRect(link, box):
            continue
        size = raw.FPDFAction_GetURIPath(page.pdf.raw, action, None, 0)
        if not 1 < size < 4000:
            continue
        buffer = ctypes.create_string_buffer(size)
        raw.FPDFAction_GetURIPath(page.pdf.raw, action, buffer, size)
        address = buffer.value.decode("utf-8", "replace").strip()
        if re.match(r"(https?://|mailto:|tel:)\S", address):
            yield (box.left - left, top - box.top, box.right - left, top - box.bottom), address


def _drawings(page: pdfium.PdfPage, sheet: Sheet) -> None:
    """Straight strokes and the sides of boxes, and the size of the largest picture."""
    left, top = _place(page)
    area = max(sheet.width * sheet.height, 1.0)
    kinds = (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_IMAGE)
    for number, item in enumerate(page.get_objects(filter=kinds, max_depth=4)):
        if number >= MOST_PATHS:
            return
        x0, y0, x1, y1 = item.get_bounds()
        wide, high = x1 - x0, y1 - y0
        if item.type == raw.FPDF_PAGEOBJ_IMAGE:
            sheet.covered = max(sheet.covered, wide * high / area)
        elif 1.5 < wide < 7 and 0.7 < wide / max(high, 0.1) < 1.4:
            sheet.dots.append(((x0 + x1) / 2 - left, top - (y0 + y1) / 2))
        elif item.level == 0 and wide > 3 and high > 3:
            sheet.edges += [
                _box(a, b, left, top) for a, b in _strokes(item) if min(abs(a[0] - b[0]), abs(a[1] - b[1])) < 1
            ]
        elif max(wide, high) > 6 and min(wide, high) < 3:
            sheet.edges.append((x0 - left, top - y1, x1 - left, top - y0))


def _box(a: tuple[float, float], b: tuple[float, float], left: float, top: float) -> Box:
    return min(a[0], b[0]) - left, top - max(a[1], b[1]), max(a[0], b[0]) - left, top - min(a[1], b[1])


def _strokes(item: pdfium.PdfObject) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """The straight pieces of a path, in the page's coordinates."""
    matrix = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(item.raw, matrix)
    x, y = ctypes.c_float(), ctypes.c_float()
    start = last = (0.0, 0.0)
    for index in range(min(raw.FPDFPath_CountSegments(item.raw), MOST_PATHS)):
        segment = raw.FPDFPath_GetPathSegment(item.raw, index)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        point = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_MOVETO:
            start = point
        elif kind == raw.FPDF_SEGMENT_LINETO:
            yield last, point
        last = point
        if raw.FPDFPathSegment_GetClose(segment):
            yield last, start
