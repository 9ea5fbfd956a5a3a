"""Reads one page by PDFium: its words, ruled lines, bullets that are drawings, and how much of it a picture covers."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, field, replace
from itertools import pairwise

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from retrieval.convert.pdf.letters import Box, LetterReader
from retrieval.convert.pdf.limits import PDF_LIMITS, PdfLimits
from retrieval.convert.pdf.line import PdfWord, at_same_height

MOST_BULLET_DOTS = 500
"""Small drawings of one page; more are a pattern, not the bullets of a list."""


@dataclass(slots=True)
class PdfSheet:
    """What stands on one page; places are in points from its upper left corner."""

    width: float
    height: float
    _: KW_ONLY
    words: list[PdfWord] = field(default_factory=list)
    turned: list[str] = field(default_factory=list)
    """Texts that run upwards or downwards, such as a stamp at the margin."""
    edges: list[Box] = field(default_factory=list)
    """Straight strokes: boxes whose width or height is next to nothing."""
    dots: list[tuple[float, float]] = field(default_factory=list)
    """Small round or square drawings, which may be the bullets of a list."""
    covered: float = 0.0
    """The share of the page that its largest picture covers."""


def read_sheet(page: pdfium.PdfPage, limits: PdfLimits = PDF_LIMITS) -> PdfSheet:
    """What stands on a page; call it only while PDFium's lock is held."""
    sheet = PdfSheet(*page.get_size())
    links = list(_links(page))
    text_page = page.get_textpage()
    try:
        count = min(text_page.count_chars(), limits.letters)
        letters = LetterReader(text_page.raw, count, _upper_left(page), links)
        sheet.words, sheet.turned = letters.read()
    finally:
        text_page.close()
    _read_drawings(page, sheet, limits.paths)
    sheet.words = _with_bullets(sheet.words, sheet.dots)
    return sheet


def _upper_left(page: pdfium.PdfPage) -> tuple[float, float]:
    """The page's left and upper border in PDF's coordinates, whose y grows upwards."""
    left, bottom, right, top = page.get_bbox()
    return min(left, right), max(bottom, top)


def _with_bullets(words: list[PdfWord], dots: list[tuple[float, float]]) -> list[PdfWord]:
    """The words, with a bullet before each that stands right of a dot at a line's beginning: browsers draw bullets so."""
    if not dots or len(dots) > MOST_BULLET_DOTS:
        return words
    marked: list[PdfWord] = []
    for before, word in pairwise([None, *words]):
        assert word is not None
        first = before is None or not at_same_height(before, word) or word.left < before.left
        middle = word.base - 0.3 * word.size
        if first and any(0 < word.left - x < 2.5 * word.size and abs(y - middle) < 0.4 * word.size for x, y in dots):
            left = max(x for x, y in dots if x < word.left and abs(y - middle) < 0.4 * word.size)
            marked.append(PdfWord(left - 2, left + 2, word.base, word.size, "•"))
        marked.append(word)
    return [replace(word, order=at) for at, word in enumerate(marked)]


def _links(page: pdfium.PdfPage) -> Iterator[tuple[Box, str]]:
    """(Place, address) of links to addresses; links within the file lead nowhere in Markdown."""
    left, top = _upper_left(page)
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


def _read_drawings(page: pdfium.PdfPage, sheet: PdfSheet, most_paths: int) -> None:
    """Put a page's straight strokes, sides of boxes, dots and the size of its largest picture into its sheet."""
    left, top = _upper_left(page)
    area = max(sheet.width * sheet.height, 1.0)
    kinds = (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_IMAGE)
    for number, item in enumerate(page.get_objects(filter=kinds, max_depth=4)):
        if number >= most_paths:
            return
        x0, y0, x1, y1 = item.get_bounds()
        wide, high = x1 - x0, y1 - y0
        if item.type == raw.FPDF_PAGEOBJ_IMAGE:
            sheet.covered = max(sheet.covered, wide * high / area)
        # a dot, a box (whose sides are strokes), or a thin box that is drawn instead of a stroke
        elif 1.5 < wide < 7 and 0.7 < wide / max(high, 0.1) < 1.4:
            sheet.dots.append(((x0 + x1) / 2 - left, top - (y0 + y1) / 2))
        elif item.level == 0 and wide > 3 and high > 3:
            sheet.edges += [
                _box(a, b, left, top)
                for a, b in _straight_pieces(item, most_paths)
                if min(abs(a[0] - b[0]), abs(a[1] - b[1])) < 1
            ]
        elif max(wide, high) > 6 and min(wide, high) < 3:
            sheet.edges.append((x0 - left, top - y1, x1 - left, top - y0))


def _box(a: tuple[float, float], b: tuple[float, float], left: float, top: float) -> Box:
    """The box around two points of PDF's coordinates, from the upper left corner (left, top) of the page."""
    return min(a[0], b[0]) - left, top - max(a[1], b[1]), max(a[0], b[0]) - left, top - min(a[1], b[1])


def _straight_pieces(item: pdfium.PdfObject, most: int) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """The straight pieces of a drawing as pairs of points, in PDF's coordinates."""
    matrix = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(item.raw, matrix)
    x, y = ctypes.c_float(), ctypes.c_float()
    start = last = (0.0, 0.0)
    for index in range(min(raw.FPDFPath_CountSegments(item.raw), most)):
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
