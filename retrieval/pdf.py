"""PDF as Markdown: reading order in columns, running heads removed, headings by size, page offsets kept."""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

import pypdfium2 as pdfium

from retrieval.document import Document
from retrieval.errors import ConvertError
from retrieval.language import detect

LEAST_GUTTER = 9.0
"""Points of white space between two columns."""
SAME_PLACE = 4.0
"""Points within which two lines stand at the same height of their pages."""


@dataclass(frozen=True, slots=True)
class Line:
    """A piece of text with its place on the page, in points from the top left."""

    left: float
    top: float
    right: float
    bottom: float
    text: str
    size: float
    """The size of its type, in points; bold type counts a tenth more."""

    @property
    def height(self) -> float:
        """The height of its letters in points."""
        return self.bottom - self.top


def convert_pdf(body: bytes, url: str) -> Document:
    """The PDF's text in reading order; raises ConvertError for encrypted, broken or scanned files."""
    try:
        pdf = pdfium.PdfDocument(body)
    except pdfium.PdfiumError as error:
        why = "is protected by a password" if "password" in str(error).lower() else "can't be read as a PDF"
        raise ConvertError(f"{url}: {why}; save it without protection and add it again") from error
    try:
        pages = _without_running_heads([_lines(page) for page in pdf])
        declared = (pdf.get_metadata_dict().get("Title") or "").strip()
    except pdfium.PdfiumError as error:
        raise ConvertError(f"{url}: has a page that can't be read; save it anew and add it again") from error
    finally:
        pdf.close()
    if not any(pages):
        raise ConvertError(f"{url}: holds pictures of pages but no text; run OCR on it and add it again")
    return _document(pages, url, declared)


def _document(pages: list[list[Line]], url: str, declared: str) -> Document:
    size = median(line.size for page in pages for line in page)
    texts, offsets, at = [], [], 0
    for page in pages:
        offsets.append(at)
        texts.append(_paragraphs(reading_order(page), size))
        at += len(texts[-1]) + 2
    markdown = "\n\n".join(texts) + "\n"
    heading = re.search(r"^#+ (.+)$", markdown, flags=re.M)
    title = declared or (heading[1] if heading else url.rsplit("/", 1)[-1])
    return Document(url=url, title=title, markdown=markdown, language=detect(markdown), pages=tuple(offsets))


def _lines(page: pdfium.PdfPage) -> list[Line]:
    """The page's lines: pieces on one base line with little space between them are joined."""
    text_page = page.get_textpage()
    height = page.get_height()
    pieces = []
    for index in range(text_page.count_rects()):
        left, bottom, right, top = text_page.get_rect(index)
        text = text_page.get_text_bounded(left, bottom, right, top).replace("\r", "").strip("\n\x00")
        text = re.sub("[\x02\ufffe]", "-", text)  # how PDFium marks a hyphen at the end of a line
        if text.strip():
            size = _type_size(text_page, (left + min(right, left + 4)) / 2, (top + bottom) / 2)
            pieces.append(Line(left, height - top, right, height - bottom, " ".join(text.split()), size))
    return _joined(pieces)


def _type_size(text_page: pdfium.PdfTextPage, x: float, y: float) -> float:
    index = text_page.get_index(x, y, 6, 6)
    if index is None or index < 0:
        return 0.0
    size = float(pdfium.raw.FPDFText_GetFontSize(text_page.raw, index))
    return size * 1.1 if _is_bold(text_page, index) else size


def _is_bold(text_page: pdfium.PdfTextPage, index: int) -> bool:
    name = ctypes.create_string_buffer(64)
    pdfium.raw.FPDFText_GetFontInfo(text_page.raw, index, name, len(name), ctypes.c_int())
    heavy = int(pdfium.raw.FPDFText_GetFontWeight(text_page.raw, index)) >= 600
    return heavy or any(word in name.value.lower() for word in (b"bold", b"black", b"heavy"))


def _joined(pieces: list[Line]) -> list[Line]:
    lines: list[Line] = []
    for piece in pieces:
        last = lines[-1] if lines else None
        if last and _same_line(last, piece):
            space = " " if piece.left - last.right > 0.12 * last.height else ""
            lines[-1] = Line(
                min(last.left, piece.left),
                min(last.top, piece.top),
                max(last.right, piece.right),
                max(last.bottom, piece.bottom),
                last.text + space + piece.text,
                max(last.size, piece.size),
            )
        else:
            lines.append(piece)
    return lines


def _same_line(a: Line, b: Line) -> bool:
    overlap = min(a.bottom, b.bottom) - max(a.top, b.top)
    return overlap > 0.5 * min(a.height, b.height) and -2 < b.left - a.right < min(LEAST_GUTTER, 1.2 * a.height)


def reading_order(lines: list[Line]) -> list[Line]:
    """Lines column by column; a line that spans columns separates what is above it from what is below.

    Pieces that stand side by side in one column become one line, cells of a table with `|` between them.
    """
    gutters = _gutters(lines)
    spanning = [line for line in lines if any(line.left < x < line.right for x in gutters)]
    borders = sorted(line.top for line in spanning)
    places: dict[tuple[int, int], list[Line]] = {}
    for line in lines:
        band = sum(1 for border in borders if border <= line.top)
        column = 0 if line in spanning else 1 + sum(1 for x in gutters if x <= line.left)
        places.setdefault((band, column), []).append(line)
    return [row for place in sorted(places) for row in _rows(places[place])]


def _rows(lines: list[Line]) -> list[Line]:
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (line.top + line.bottom) / 2):
        last = rows[-1] if rows else []
        overlap = min(last[0].bottom, line.bottom) - max(last[0].top, line.top) if last else 0
        if overlap > 0.4 * min(line.height, last[0].height if last else line.height):
            last.append(line)
        else:
            rows.append([line])
    return [_row(sorted(row, key=lambda line: line.left)) for row in rows]


def _row(pieces: list[Line]) -> Line:
    text = pieces[0].text
    for before, piece in pairwise(pieces):
        cells = piece.left - before.right > max(LEAST_GUTTER, before.height) and len(before.text) > 2
        text += (" | " if cells else " ") + piece.text
    return Line(
        pieces[0].left,
        min(piece.top for piece in pieces),
        pieces[-1].right,
        max(piece.bottom for piece in pieces),
        text,
        max(piece.size for piece in pieces),
    )


def _gutters(lines: list[Line]) -> list[float]:
    """The middles of vertical white strips that most lines leave free, with text on both sides."""
    if len(lines) < 6:
        return []
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    narrow = [line for line in lines if line.right - line.left < 0.6 * (right - left)]
    if len(narrow) < 0.6 * len(lines):
        return []
    edges = sorted((line.left, line.right) for line in narrow)
    gutters, reach = [], edges[0][1]
    for start, end in edges:
        if start - reach >= LEAST_GUTTER:
            gutters.append((start + reach) / 2)
        reach = max(reach, end)
    return [x for x in gutters if _is_column(narrow, x)]


def _is_column(lines: list[Line], x: float) -> bool:
    sides = [[len(line.text) for line in lines if (line.right < x) is before] for before in (True, False)]
    return all(len(side) >= 4 and median(side) >= 15 for side in sides)


def _without_running_heads(pages: list[list[Line]]) -> list[list[Line]]:
    """Drop lines that stand in the same place at the edge of most pages, whatever their page number."""
    if len(pages) < 2:
        return pages
    tops: dict[str, list[float]] = {}
    for line in (line for page in pages for line in _edge(page)):
        tops.setdefault(_head_key(line), []).append(line.top)

    def is_repeated(line: Line) -> bool:
        times = sum(abs(top - line.top) < SAME_PLACE for top in tops.get(_head_key(line), ()))
        return times >= max(2, 0.5 * len(pages))

    return [[line for line in page if line not in _edge(page) or not is_repeated(line)] for page in pages]


def _edge(page: list[Line]) -> list[Line]:
    rows = sorted(page, key=lambda line: line.top)
    return rows[:3] + rows[3:][-3:]


def _head_key(line: Line) -> str:
    return re.sub(r"\d+", "#", line.text).strip().lower()


def _paragraphs(lines: list[Line], size: float) -> str:
    blocks: list[str] = []
    for before, line in pairwise([None, *lines]):
        assert line is not None
        heading = line.size > 1.08 * size and len(line.text) < 120 and not line.text.endswith((".", ","))
        if heading:
            blocks.append(f"{'#' if line.size > 1.5 * size else '##'} {line.text}")
        elif blocks and before and not blocks[-1].startswith("#") and _continues(before, line):
            blocks[-1] = _append(blocks[-1], line.text)
        else:
            blocks.append(re.sub(r"^[•▪◦]\s*", "- ", line.text))
    return "\n\n".join(blocks)


def _continues(before: Line, line: Line) -> bool:
    if " | " in line.text or " | " in before.text or re.match(r"([•▪◦–*-]|\d+[.)])\s", line.text):
        return False
    next_column = line.bottom < before.top and not before.text.endswith((".", "!", "?", ":"))
    return next_column or 0 < line.bottom - before.bottom < 1.5 * max(line.size, line.height)


def _append(text: str, line: str) -> str:
    if text.endswith(("-", "\u00ad", "\u2010")) and line[:1].islower():
        return text[:-1] + line
    return f"{text} {line}"
