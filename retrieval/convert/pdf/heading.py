"""Headings: lines in larger or bolder type than the body, and the level that their type gives them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from retrieval.convert.pdf.line import Line

LARGER = 1.12
MOST_LETTERS = 150


@dataclass(frozen=True, slots=True)
class Type:
    """The document's type: the body's size and weight, and the sizes of its headings, the largest first."""

    body: float
    bold: bool
    sizes: tuple[float, ...]
    first: int
    """The level of the largest."""

    @classmethod
    def of(cls, lines: Iterable[Line]) -> Type:
        """Read off all lines; the body is what most letters are set in."""
        chosen = [line for line in lines if line.words]
        letters = Counter[tuple[float, bool]]()
        for line in chosen:
            letters[(round(line.size * 2) / 2, line.bold)] += len(line.text)
        (body, bold), _ = letters.most_common(1)[0]
        larger = Counter(line.size for line in chosen if not line.block and _is_larger(line, body))
        sizes: list[float] = []
        for size in sorted(larger, reverse=True):
            if not sizes or size < 0.94 * sizes[-1]:
                sizes.append(size)
        alone = bool(sizes) and (sizes[0] >= 1.5 * body or (larger[sizes[0]] == 1 and len(sizes) > 1))
        return cls(body, bold, tuple(sizes[:4]), 1 if alone else 2)

    def level(self, line: Line) -> int:
        """1 to 6 for a line that may be a heading by its type, 0 for others."""
        text = line.text
        if line.block or len(text) > MOST_LETTERS or not re.search(r"[^\W\d_]{2}|[^\W\d_a-zA-Z]", text):
            return 0
        if _is_larger(line, self.body):
            if text.endswith((",", ";")) or (text.endswith(".") and len(line.words) > 8):
                return 0
            places = [place for place, size in enumerate(self.sizes) if line.size >= 0.94 * size]
            return self.first + (places[0] if places else len(self.sizes))
        if line.bold and not self.bold and line.size > 0.93 * self.body and not text.endswith((".", ",", ";", ":")):
            return min(self.first + len(self.sizes), 6)
        return 0

    def written(self, line: Line) -> int:
        """The level of a heading that only its wording shows: in capitals, or numbered like `2.1 Deposits`."""
        text = line.text
        if line.block or len(text) > 80 or text.endswith((".", ",", ";", ":")):
            return 0
        letters = sum(letter.isalpha() for letter in text)
        if letters >= 5 and text.isupper() and letters > 0.6 * len(text.replace(" ", "")):
            return min(self.first + len(self.sizes), 6)
        number = re.match(r"\d+((?:\.\d+)+)\s+[^\W\d_a-z]", text)
        return min(self.first + len(self.sizes) + number[1].count("."), 6) if number else 0


def _is_larger(line: Line, body: float) -> bool:
    return line.size >= LARGER * body
