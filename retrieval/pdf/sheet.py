"""One page as PDFium reads it: words with their places, ruled lines, links, and how much of it pictures cover."""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from retrieval.pdf.line import Word, beside

MOST_LETTERS = 200_000
"""More on one page are drawings made of letters, or a trap."""
MOST_PATHS = 20_000
MOST_DOTS = 500
LEAST_NUMBERED = 10
"""Numbers that must count on at a margin before they are taken for those of lines."""
BOLD = re.compile(r"bold|black|heavy|semibd|demi|-medi$|bx\d|tb$", re.I)
PLAIN = re.compile(r"regular|roman|medium|book|light", re.I)
BREAKS = frozenset("\x02\xad\ufffe\ufffb")
"""How PDFium gives a hyphen that stands at the end of a line."""
PRIVATE_BULLETS = dict.fromkeys(map(chr, (0xF0B7, 0xF0A7, 0xF0D8, 0xF0FC, 0xF076, 0xF02D)), "•")
"""Bullets of the symbol fonts that office programs use; they stand in the private area."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


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
        letters = _Letters(text_page.raw, min(text_page.count_chars(), MOST_LETTERS), _place(page), links)
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


class _Letters:
    """Reads letters into words. PDFium is asked for a letter's size and weight only where a word begins."""

    def __init__(self, text: object, count: int, place: tuple[float, float], links: list[tuple[Box, str]]) -> None:
        self._text, self._count, self._links = text, count, links
        self._left, self._top = place
        self._box, self._matrix, self._flags = raw.FS_RECTF(), raw.FS_MATRIX(), ctypes.c_int()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._name = ctypes.create_string_buffer(80)
        self._bold: dict[bytes, bool] = {}
        self._words: list[Word] = []
        self._letters: list[str] = []
        self._start = (0.0, 0.0, 0.0, False)
        self._right = self._left_before = self._bottom = 0.0
        self._turned: list[str] = []

    def read(self) -> tuple[list[Word], list[str]]:
        for index in range(self._count):
            code = raw.FPDFText_GetUnicode(self._text, index)
            letter = chr(code) if 0 < code < 0x110000 else ""
            if not letter or letter.isspace() or 0xD800 <= code < 0xE000 or (code < 32 and letter not in BREAKS):
                self._end()
                if self._turned and self._turned[-1]:
                    self._turned.append("")
                continue
            self._take(index, PRIVATE_BULLETS.get(letter, letter))
        self._end()
        return _without_line_numbers(_initials(self._words)), _texts(self._turned)

    def _take(self, index: int, letter: str) -> None:
        if letter in BREAKS:  # a break is given the place of the letter before it, or none
            if self._letters:
                self._letters.append("\u00ad" if letter == "\u00ad" else "-")
            return
        raw.FPDFText_GetLooseCharBox(self._text, index, self._box)
        left, right, bottom = self._box.left - self._left, self._box.right - self._left, self._box.bottom
        if self._letters and not self._goes_on(index, left, bottom):
            self._end()
        if not self._letters and not self._begin(index, left):
            self._turned = self._turned or [""]
            self._turned[-1] += letter
            return
        self._letters.append(letter)
        self._left_before, self._bottom = left, bottom
        self._right = max(self._right, right) if len(self._letters) > 1 else right

    def _goes_on(self, index: int, left: float, bottom: float) -> bool:
        """Whether a letter belongs to the word so far; all letters of a ligature have its place."""
        _, base, size, _ = self._start
        if left != self._left_before and not -0.6 * size < left - self._right < 0.3 * size:
            return False
        return bottom == self._bottom or abs(self._base(index) - base) <= 0.2 * size

    def _base(self, index: int) -> float:
        raw.FPDFText_GetCharOrigin(self._text, index, self._x, self._y)
        return self._top - self._y.value

    def _begin(self, index: int, left: float) -> bool:
        """Begin a word; false for a letter that doesn't stand upright."""
        size, upright = self._size(index)
        if upright:
            self._start = (left, self._base(index), size, self._is_bold(index))
        return upright

    def _size(self, index: int) -> tuple[float, bool]:
        """The size of type as it is seen, and whether the letter stands upright."""
        size = float(raw.FPDFText_GetFontSize(self._text, index)) or 1.0
        if not raw.FPDFText_GetMatrix(self._text, index, self._matrix):
            return size, True
        m = self._matrix
        upright = abs(m.b) <= 0.3 * (abs(m.a) + 1e-6)
        return size * float((m.c * m.c + m.d * m.d) ** 0.5) or 1.0, upright

    def _is_bold(self, index: int) -> bool:
        raw.FPDFText_GetFontInfo(self._text, index, self._name, len(self._name), self._flags)
        name = self._name.value
        if name not in self._bold:
            face = name.decode("utf-8", "replace")
            heavy = int(raw.FPDFText_GetFontWeight(self._text, index)) >= 600 and not PLAIN.search(face)
            self._bold[name] = heavy or bool(BOLD.search(face))
        return self._bold[name]

    def _end(self) -> None:
        if not self._letters:
            return
        left, base, size, bold = self._start
        text = _plain("".join(self._letters))
        self._letters.clear()
        if text:
            middle, height = (left + self._right) / 2, base - 0.3 * size
            link = next(
                (to for box, to in self._links if box[0] <= middle <= box[2] and box[1] <= height <= box[3]), ""
            )
            word = Word(left, self._right, base, round(size, 1), text, bold, link, len(self._words))
            if not (self._words and _twice(self._words[-1], word)):
                self._words.append(word)


def _plain(text: str) -> str:
    """Ligatures as their letters; everything else as it was written."""
    text = re.sub("[\ufb00-\ufb06]", lambda match: unicodedata.normalize("NFKC", match[0]), text)
    return re.sub(r"[\x00-\x08\x0b-\x1f\ufeff\u200b]", "", text)


def _twice(a: Word, b: Word) -> bool:
    """The same word drawn again in its place, which some programs do for bold type."""
    return a.text == b.text and abs(a.left - b.left) < 0.15 * a.size and abs(a.base - b.base) < 0.15 * a.size


def _initials(words: list[Word]) -> list[Word]:
    """A large initial that stands over several lines becomes the first letter of its word."""
    found: list[Word] = []
    for word in words:
        last = found[-1] if found else None
        if (
            last is not None
            and len(last.text) == 1
            and last.text.isalpha()
            and last.size > 1.8 * word.size
            and 0 <= word.left - last.right < word.size
            and last.base > word.base + 0.5 * word.size
            and last.top < word.bottom
        ):
            found[-1] = Word(
                last.left, word.right, word.base, word.size, last.text + word.text, word.bold, word.link, last.at
            )
        else:
            found.append(word)
    return found


def _without_line_numbers(words: list[Word]) -> list[Word]:
    """Drafts and contracts number their lines at the margin: whole numbers that count on, left or right of everything."""
    numbers = [word for word in words if word.text.isdigit()]
    if len(numbers) < LEAST_NUMBERED:
        return words
    for side in (min(word.left for word in words), max(word.right for word in words)):
        column = sorted(
            (word for word in numbers if min(abs(word.left - side), abs(word.right - side)) < 2 * word.size),
            key=lambda word: word.base,
        )
        steps = [int(b.text[:9]) - int(a.text[:9]) for a, b in pairwise(column)]
        if len(column) >= LEAST_NUMBERED and steps.count(1) + steps.count(5) >= 0.9 * len(steps):
            taken = {id(word) for word in column}
            return [word for word in words if id(word) not in taken]
    return words


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


def _texts(parts: list[str]) -> list[str]:
    text = " ".join(part for part in map(_plain, parts) if part)
    return [text] if text else []


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
