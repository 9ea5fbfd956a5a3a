"""Words and lines with their places on a page, in points from the top left."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from retrieval.convert.office.writing import linked

ASCENT, DESCENT = 0.75, 0.25
"""How far letters reach above and below their base line, as shares of the size of their type."""
NEAR = 0.7
"""White space within a line, as a share of the size of type; what is wider parts cells or columns."""
MARK = re.compile(r"[•▪◦‣●○■□▶►➢➤✓✔–—*·o-]|\(?(\d{1,3}|[a-z]|[ivx]{1,5})[.)]")
"""What stands before an item of a list."""


LEADERS = re.compile(r"\s?(?:[.·…_]\s?){5,}")
"""Dots that lead the eye from a name to its page or price."""
LEFTWARDS = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
"""Letters of scripts that are written from right to left."""


@dataclass(frozen=True, slots=True)
class Word:
    """Letters without white space between them."""

    left: float
    right: float
    base: float
    size: float
    text: str
    bold: bool = False
    link: str = ""
    at: int = 0
    """Its place in the order of the file."""

    @property
    def top(self) -> float:
        """Where its letters begin."""
        return self.base - ASCENT * self.size

    @property
    def bottom(self) -> float:
        """Where its letters end."""
        return self.base + DESCENT * self.size


@dataclass(frozen=True, slots=True)
class Line:
    """Words on one base line without wide white space between them, or a block that stands in their place.

    A table is a line with `block`: its Markdown.
    """

    left: float
    right: float
    top: float
    bottom: float
    size: float
    words: tuple[Word, ...]
    block: str = ""

    @property
    def at(self) -> int:
        """Its place in the order of the file."""
        return min(word.at for word in self.words)

    @property
    def text(self) -> str:
        """The words as they are."""
        return " ".join(word.text for word in self.words)

    @property
    def bold(self) -> bool:
        """Whether all of it is in bold type."""
        return bool(self.words) and all(word.bold for word in self.words)

    @property
    def width(self) -> float:
        """In points."""
        return self.right - self.left

    @property
    def marked(self) -> str:
        """The text with links as Markdown."""
        parts = []
        for link, words in groupby(self.words, key=lambda word: word.link):
            text = " ".join(word.text for word in words)
            parts.append(linked(text, link))
        return " ".join(parts)


def line_of(words: Sequence[Word]) -> Line:
    """The line that words make; its size is that of most of its letters."""
    sizes: dict[float, int] = {}
    for word in words:
        sizes[word.size] = sizes.get(word.size, 0) + len(word.text)
    return Line(
        min(word.left for word in words),
        max(word.right for word in words),
        min(word.top for word in words),
        max(word.bottom for word in words),
        max(sizes, key=lambda size: (sizes[size], size)),
        tuple(words),
    )


def joined(lines: Sequence[Line]) -> Line:
    """Lines that stand side by side as one."""
    return line_of([word for line in lines for word in line.words])


def beside(a: Word | Line, b: Word | Line) -> bool:
    """Whether two pieces stand at the same height: they share half of the lower one's."""
    overlap = min(a.bottom, b.bottom) - max(a.top, b.top)
    return overlap > 0.5 * min(a.bottom - a.top, b.bottom - b.top)


def lines_of(words: Sequence[Word]) -> list[Line]:
    """Words in the order of the file as lines, cut where the white space is wide."""
    lines: list[list[Word]] = []
    for before, word in pairwise([None, *words]):
        assert word is not None
        if before is not None and beside(before, word) and _follows(lines[-1], before, word):
            lines[-1].append(word)
        else:
            lines.append([word])
    return [line_of(line) for line in lines]


def _follows(line: Sequence[Word], before: Word, word: Word) -> bool:
    gap, size = word.left - before.right, max(before.size, word.size)
    if LEFTWARDS.search(before.text + word.text) and -0.5 * size < before.left - word.right < NEAR * size:
        return True
    wide = 4.0 if len(line) == 1 and MARK.fullmatch(before.text) else NEAR
    return -1.5 * size < gap < wide * size and word.left > line[0].left - size


def rows_of(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines that stand at one height together, from the top; in a row from the left."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (line.top + line.bottom, line.left)):
        if rows and beside(rows[-1][0], line) and not any(_cover(line, other) for other in rows[-1]):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.left) for row in rows]


def _cover(a: Line, b: Line) -> bool:
    """Whether one stands over or under the other rather than beside it."""
    return min(a.right, b.right) - max(a.left, b.left) > 0.5 * min(a.width, b.width)
