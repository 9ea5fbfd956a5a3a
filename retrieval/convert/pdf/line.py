"""Words and lines with their places on a page, in points (1/72 inch) from its upper left corner."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import groupby, pairwise

from retrieval.convert.office.writing import linked

ASCENT, DESCENT = 0.75, 0.25
"""How far letters reach above and below their base line, as shares of the type size: typical of Latin type."""
MOST_WORD_GAP = 0.7
"""The widest white space between two words of one line, in type sizes; what is wider parts cells or columns. Chosen by hand."""
ITEM_SIGN = re.compile(r"[•▪◦‣●○■□▶►➢➤✓✔–—*·o-]|\(?(\d{1,3}|[a-z]|[ivx]{1,5})[.)]")
"""A bullet or number alone, as it stands before a list's item, often with much white space behind it."""

DOT_LEADERS = re.compile(r"\s?(?:[.·…_]\s?){5,}")
"""Dots that lead the eye from a name to its page or price: `Kayak ......... 35`."""
RIGHT_TO_LEFT_LETTER = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
"""A letter of a script that is written from right to left."""


@dataclass(frozen=True, slots=True)
class PdfWord:
    """A word: its borders, its base line and its type size in points, and its letters in reading order."""

    left: float
    right: float
    base: float
    size: float
    text: str
    _: KW_ONLY
    bold: bool = False
    link: str = ""
    """The address that it leads to."""
    order: int = 0
    """Its place in the order of the file."""

    @property
    def top(self) -> float:
        """The upper border of its letters."""
        return self.base - ASCENT * self.size

    @property
    def bottom(self) -> float:
        """The lower border of its letters."""
        return self.base + DESCENT * self.size


@dataclass(frozen=True, slots=True)
class PdfLine:
    """Words at one height without wide white space between them: a line of a column, or one of a cell.

    A table takes the place of its lines as a single line whose `block` is the table's Markdown.
    """

    left: float
    right: float
    top: float
    bottom: float
    size: float
    words: tuple[PdfWord, ...]
    _: KW_ONLY
    block: str = ""

    @property
    def order(self) -> int:
        """Its place in the order of the file."""
        return min(word.order for word in self.words)

    @property
    def text(self) -> str:
        """Its words, parted by a space."""
        return " ".join(word.text for word in self.words)

    @property
    def bold(self) -> bool:
        """Whether all of it is in bold type."""
        return bool(self.words) and all(word.bold for word in self.words)

    @property
    def width(self) -> float:
        """Its width in points."""
        return self.right - self.left

    @property
    def markdown(self) -> str:
        """Its text, with links as Markdown."""
        parts = []
        for link, words in groupby(self.words, key=lambda word: word.link):
            text = " ".join(word.text for word in words)
            parts.append(linked(text, link))
        return " ".join(parts)


PdfRow = list[PdfLine]
"""Lines that stand at one height, from the left."""


def line_of(words: Sequence[PdfWord]) -> PdfLine:
    """Words as one line; its type size is that of most of its letters."""
    sizes: dict[float, int] = {}
    for word in words:
        sizes[word.size] = sizes.get(word.size, 0) + len(word.text)
    return PdfLine(
        min(word.left for word in words),
        max(word.right for word in words),
        min(word.top for word in words),
        max(word.bottom for word in words),
        max(sizes, key=lambda size: (sizes[size], size)),
        tuple(words),
    )


def joined_line(lines: Sequence[PdfLine]) -> PdfLine:
    """Lines that stand beside each other as one."""
    return line_of([word for line in lines for word in line.words])


def at_same_height(a: PdfWord | PdfLine, b: PdfWord | PdfLine) -> bool:
    """Whether two pieces stand at the same height: they overlap by half of the flatter one's height."""
    overlap = min(a.bottom, b.bottom) - max(a.top, b.top)
    return overlap > 0.5 * min(a.bottom - a.top, b.bottom - b.top)


def lines_of_words(words: Sequence[PdfWord]) -> list[PdfLine]:
    """Words, in the order of the file, as lines; a line ends where the white space is wide."""
    lines: list[list[PdfWord]] = []
    for before, word in pairwise([None, *words]):
        assert word is not None
        if before is not None and at_same_height(before, word) and _follows(lines[-1], before, word):
            lines[-1].append(word)
        else:
            lines.append([word])
    return [line_of(line) for line in lines]


def _follows(line: Sequence[PdfWord], before: PdfWord, word: PdfWord) -> bool:
    """Whether a word goes on with a line whose last word is `before`."""
    gap, size = word.left - before.right, max(before.size, word.size)
    if (
        RIGHT_TO_LEFT_LETTER.search(before.text + word.text)
        and -0.5 * size < before.left - word.right < MOST_WORD_GAP * size
    ):
        return True
    # a bullet stands far from its text
    wide = 4.0 if len(line) == 1 and ITEM_SIGN.fullmatch(before.text) else MOST_WORD_GAP
    return -1.5 * size < gap < wide * size and word.left > line[0].left - size


def rows_by_height(lines: Sequence[PdfLine]) -> list[list[PdfLine]]:
    """The lines as rows of those that stand at one height, from the top; each row from the left."""
    rows: list[list[PdfLine]] = []
    for line in sorted(lines, key=lambda line: (line.top + line.bottom, line.left)):
        if (
            rows
            and at_same_height(rows[-1][0], line)
            and not any(_stand_over_each_other(line, other) for other in rows[-1])
        ):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.left) for row in rows]


def _stand_over_each_other(a: PdfLine, b: PdfLine) -> bool:
    """Whether two lines cover each other by half of the shorter one's width: then they aren't side by side."""
    return min(a.right, b.right) - max(a.left, b.left) > 0.5 * min(a.width, b.width)
