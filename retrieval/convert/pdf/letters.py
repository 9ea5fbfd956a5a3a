"""Puts the letters that PDFium reads together to words."""

from __future__ import annotations

import ctypes
import re
import unicodedata
from dataclasses import replace
from itertools import pairwise

import pypdfium2.raw as raw

from retrieval.convert.pdf.line import RIGHT_TO_LEFT_LETTER, PdfWord

LEAST_LINE_NUMBERS = 10
"""Numbers that must count on at a margin before they are taken for numbers of lines; chosen by hand."""
# Names of bold faces, abbreviated ones of TeX and of foundries among them.
BOLD_FACE = re.compile(r"bold|black|heavy|semibd|demi|-medi$|bx\d|tb$", re.I)
REGULAR_FACE = re.compile(r"regular|roman|medium|book|light", re.I)
LINE_END_HYPHENS = frozenset("\x02\xad\ufffe\ufffb")
"""The characters that PDFium gives for a hyphen at the end of a line."""
PRIVATE_BULLETS = dict.fromkeys(map(chr, (0xF0B7, 0xF0A7, 0xF0D8, 0xF0FC, 0xF076, 0xF02D)), "•")
"""Bullets of the symbol fonts that office programs use, which are in Unicode's private area."""

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in points from the page's upper left corner."""


class LetterReader:
    """Reads the letters of one page into words.

    PDFium is asked for a letter's size and weight only where a word begins: each question is a call into C, and a page has
    thousands of letters.
    """

    def __init__(self, text: object, count: int, upper_left: tuple[float, float], links: list[tuple[Box, str]]) -> None:
        """`text`: PDFium's text page; `count`: how many of its letters to read; `links`: places of links with addresses."""
        self._text, self._count, self._links = text, count, links
        self._left, self._top = upper_left
        self._box, self._matrix, self._flags = raw.FS_RECTF(), raw.FS_MATRIX(), ctypes.c_int()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._name = ctypes.create_string_buffer(80)
        self._bold: dict[bytes, bool] = {}
        self._words: list[PdfWord] = []
        self._letters: list[str] = []
        self._lefts: list[float] = []
        self._start = (
            0.0,
            0.0,
            0.0,
            False,
        )  # of the word so far: left border, base line, type size, whether it is bold
        self._right = self._left_before = self._left_most = self._bottom = 0.0
        self._turned: list[str] = []

    def read(self) -> tuple[list[PdfWord], list[str]]:
        """(The words in the order of the file, the texts that run upwards or downwards)."""
        for index in range(self._count):
            code = raw.FPDFText_GetUnicode(self._text, index)
            letter = chr(code) if 0 < code < 0x110000 else ""
            if (
                not letter
                or letter.isspace()
                or 0xD800 <= code < 0xE000
                or (code < 32 and letter not in LINE_END_HYPHENS)
            ):
                self._end()
                if self._turned and self._turned[-1]:
                    self._turned.append("")
                continue
            self._add_letter(index, PRIVATE_BULLETS.get(letter, letter))
        self._end()
        return _without_line_numbers(_initials_joined(self._words)), _one_text(self._turned)

    def _add_letter(self, index: int, letter: str) -> None:
        """Add a letter to the word so far, or begin a new one with it."""
        if letter in LINE_END_HYPHENS:  # PDFium gives it the place of the letter before it, or none
            if self._letters:
                self._letters.append("\u00ad" if letter == "\u00ad" else "-")
                self._lefts.append(self._lefts[-1])
            return
        raw.FPDFText_GetLooseCharBox(self._text, index, self._box)
        left, right, bottom = self._box.left - self._left, self._box.right - self._left, self._box.bottom
        if self._letters and not self._goes_on(index, letter, left, right, bottom):
            self._end()
        if not self._letters and not self._begin(index, left):
            self._turned = self._turned or [""]
            self._turned[-1] += letter
            return
        self._letters.append(letter)
        self._lefts.append(left)
        self._left_before, self._bottom = left, bottom
        first = len(self._letters) == 1
        self._left_most = left if first else min(self._left_most, left)
        self._right = right if first else max(self._right, right)

    def _goes_on(self, index: int, letter: str, left: float, right: float, bottom: float) -> bool:
        """Whether a letter belongs to the word so far; all letters of a ligature have the same place."""
        _, base, size, _ = self._start
        gap = left - self._right
        if RIGHT_TO_LEFT_LETTER.match(letter):  # such words come from either end
            gap = max(gap, self._left_most - right)
        if left != self._left_before and not -0.6 * size < gap < 0.3 * size:
            return False
        is_logo = letter.isupper() and self._letters[-1].isupper()  # the letters of LaTeX dance
        return bottom == self._bottom or abs(self._base(index) - base) <= (0.35 if is_logo else 0.2) * size

    def _base(self, index: int) -> float:
        """The base line that a letter stands on."""
        raw.FPDFText_GetCharOrigin(self._text, index, self._x, self._y)
        return self._top - self._y.value

    def _begin(self, index: int, left: float) -> bool:
        """Begin a word; false for a letter that doesn't stand upright."""
        size, upright = self._size(index)
        if upright:
            self._start = (left, self._base(index), size, self._is_bold(index))
        return upright

    def _size(self, index: int) -> tuple[float, bool]:
        """(The type size as it is seen, whether the letter stands upright)."""
        size = float(raw.FPDFText_GetFontSize(self._text, index)) or 1.0
        if not raw.FPDFText_GetMatrix(self._text, index, self._matrix):
            return size, True
        m = self._matrix
        upright = abs(m.b) <= 0.3 * (abs(m.a) + 1e-6)
        return size * float((m.c * m.c + m.d * m.d) ** 0.5) or 1.0, upright

    def _is_bold(self, index: int) -> bool:
        """Whether a letter's font is bold: by its name, or by its weight unless the name says otherwise."""
        raw.FPDFText_GetFontInfo(self._text, index, self._name, len(self._name), self._flags)
        name = self._name.value
        if name not in self._bold:
            face = name.decode("utf-8", "replace")
            heavy = int(raw.FPDFText_GetFontWeight(self._text, index)) >= 600 and not REGULAR_FACE.search(face)
            self._bold[name] = heavy or bool(BOLD_FACE.search(face))
        return self._bold[name]

    def _end(self) -> None:
        """End the word so far; letters from right to left are put in order by their places."""
        if not self._letters:
            return
        left, base, size, bold = self._start
        text = without_ligatures("".join(self._letters))
        if RIGHT_TO_LEFT_LETTER.search(text):
            placed = sorted(zip(self._lefts, self._letters, strict=True), key=lambda item: -item[0])
            text = without_ligatures("".join(letter for _, letter in placed))
        self._letters.clear()
        self._lefts.clear()
        if text:
            left = min(left, self._left_most)
            middle, height = (left + self._right) / 2, base - 0.3 * size
            link = next(
                (to for box, to in self._links if box[0] <= middle <= box[2] and box[1] <= height <= box[3]), ""
            )
            word = PdfWord(left, self._right, base, round(size, 1), text, bold=bold, link=link, order=len(self._words))
            if not (self._words and _is_drawn_twice(self._words[-1], word)):
                self._words.append(word)


def without_ligatures(text: str) -> str:
    """The text with ligatures as their letters, and without control characters."""
    text = re.sub(
        "[\ufb00-\ufb06\ufb1d-\ufdfb\ufe70-\ufefc]", lambda match: unicodedata.normalize("NFKC", match[0]), text
    )
    return re.sub(r"[\x00-\x08\x0b-\x1f\ufeff\u200b]", "", text)


def _is_drawn_twice(a: PdfWord, b: PdfWord) -> bool:
    """Whether word b is word a drawn again in its place, as some programs do for bold type."""
    return a.text == b.text and abs(a.left - b.left) < 0.15 * a.size and abs(a.base - b.base) < 0.15 * a.size


def _initials_joined(words: list[PdfWord]) -> list[PdfWord]:
    """The words, with a large initial that stands over several lines as the first letter of its word."""
    joined: list[PdfWord] = []
    for word in words:
        last = joined[-1] if joined else None
        if (
            last is not None
            and len(last.text) == 1
            and last.text.isalpha()
            and last.size > 1.8 * word.size
            and 0 <= word.left - last.right < word.size
            and last.base > word.base + 0.5 * word.size
            and last.top < word.bottom
        ):
            joined[-1] = replace(word, left=last.left, text=last.text + word.text, order=last.order)
        else:
            joined.append(word)
    return joined


def _without_line_numbers(words: list[PdfWord]) -> list[PdfWord]:
    """The words without numbers of lines, as drafts and contracts have them: whole numbers that count on at a margin."""
    numbers = [word for word in words if word.text.isdigit()]
    if len(numbers) < LEAST_LINE_NUMBERS:
        return words
    for side in (min(word.left for word in words), max(word.right for word in words)):
        column = sorted(
            (word for word in numbers if min(abs(word.left - side), abs(word.right - side)) < 2 * word.size),
            key=lambda word: word.base,
        )
        steps = [int(b.text[:9]) - int(a.text[:9]) for a, b in pairwise(column)]
        if len(column) >= LEAST_LINE_NUMBERS and steps.count(1) + steps.count(5) >= 0.9 * len(steps):
            taken = {id(word) for word in column}
            return [word for word in words if id(word) not in taken]
    return words


def _one_text(parts: list[str]) -> list[str]:
    text = " ".join(part for part in map(without_ligatures, parts) if part)
    return [text] if text else []
