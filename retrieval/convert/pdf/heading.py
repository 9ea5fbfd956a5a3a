"""Tells headings by their type, larger or bolder than the body's, and gives them levels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from retrieval.convert.pdf.line import PdfLine

LEAST_HEADING_SIZE = 1.12
"""Times the body's type size from which a line may be a heading; chosen by hand."""
MOST_HEADING_LINE_CHARACTERS = 150


@dataclass(frozen=True, slots=True)
class TypeSizes:
    """The type of a document: `body` is the size of its text, `bold` whether that is bold, `sizes` those of headings.

    Sizes are in points, those of headings from the largest to the smallest, four at most.
    """

    body: float
    bold: bool
    sizes: tuple[float, ...]
    first: int
    """The level of headings in the largest size: 1 if that is a title, else 2."""

    @classmethod
    def of(cls, lines: Iterable[PdfLine]) -> TypeSizes:
        """Measured on all lines; the body is the size and weight that most letters are set in."""
        chosen = [line for line in lines if line.words]
        letters = Counter[tuple[float, bool]]()
        for line in chosen:
            letters[(round(line.size * 2) / 2, line.bold)] += len(line.text)
        (body, bold), _ = letters.most_common(1)[0]
        larger = Counter(line.size for line in chosen if not line.block and _is_larger(line, body))
        sizes: list[float] = []  # sizes that differ by less than 6 % are one: rounding, or a heading in capitals
        for size in sorted(larger, reverse=True):
            if not sizes or size < 0.94 * sizes[-1]:
                sizes.append(size)
        alone = bool(sizes) and (sizes[0] >= 1.5 * body or (larger[sizes[0]] == 1 and len(sizes) > 1))
        return cls(body, bold, tuple(sizes[:4]), 1 if alone else 2)

    def level(self, line: PdfLine) -> int:
        """The level, 1 to 6, of a line that may be a heading by its type; 0 for others."""
        text = line.text
        if line.block or len(text) > MOST_HEADING_LINE_CHARACTERS or not re.search(r"[^\W\d_]{2}|[^\W\d_a-zA-Z]", text):
            return 0
        if _is_larger(line, self.body):
            if text.endswith((",", ";")) or (text.endswith(".") and len(line.words) > 8):
                return 0
            ranks = [rank for rank, size in enumerate(self.sizes) if line.size >= 0.94 * size]
            return self.first + (ranks[0] if ranks else len(self.sizes))
        if line.bold and not self.bold and line.size > 0.93 * self.body and not text.endswith((".", ",", ";", ":")):
            return min(self.first + len(self.sizes), 6)
        return 0

    def written(self, line: PdfLine) -> int:
        """The level of a line that its wording makes a heading: all capitals, or a number as in `2.1 Deposits`; else 0."""
        text = line.text
        if line.block or len(text) > 80 or text.endswith((".", ",", ";", ":")):
            return 0
        letters = sum(letter.isalpha() for letter in text)
        if letters >= 5 and text.isupper() and letters > 0.6 * len(text.replace(" ", "")):
            return min(self.first + len(self.sizes), 6)
        number = re.match(r"\d+((?:\.\d+)+)\s+[^\W\d_a-z]", text)
        return min(self.first + len(self.sizes) + number[1].count("."), 6) if number else 0


def _is_larger(line: PdfLine, body: float) -> bool:
    return line.size >= LEAST_HEADING_SIZE * body
