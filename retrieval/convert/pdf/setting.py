"""Measures how the lines of a column are set: their borders, their distance, what is bold, what stands side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from retrieval.convert.pdf.line import PdfLine, at_same_height, joined_line


@dataclass(slots=True)
class ColumnSetting:
    """A column's left and right border, and `leading`, how far its lines' lower borders are apart; in points."""

    left: float
    right: float
    leading: float
    apart: bool = False
    """Whether its lines are short and each stands for itself, as those of a postal address do."""

    @classmethod
    def of(cls, lines: Sequence[PdfLine], body: float) -> ColumnSetting:
        """Measured on lines; those in the type size `body` count, if there are any."""
        chosen = [line for line in lines if not line.block]
        texts = [line for line in chosen if abs(line.size - body) < 0.1 * body] or chosen or list(lines)
        steps = sorted(b.bottom - a.bottom for a, b in pairwise(texts) if b.bottom > a.bottom + 0.5 * a.size)
        size = texts[0].size
        leading = (
            steps[len(steps) // 4] if steps else 1.3 * size
        )  # the lower quartile: gaps between paragraphs don't count
        return cls(
            min(line.left for line in texts),
            max(line.right for line in texts),
            min(max(leading, size), 2.2 * size),
            all(len(line.words) <= 5 and not line.text[:1].islower() for line in texts),
        )

    def is_full(self, line: PdfLine, following: PdfLine) -> bool:
        """Whether a line is full: the first word of the next one wouldn't have fitted behind it."""
        word = following.words[0] if following.words else None
        wide = min(word.right - word.left, 0.4 * (self.right - self.left)) if word else 0.0
        return line.right + wide > self.right - 1.2 * line.size


def bold_runs(rows: Sequence[PdfLine]) -> list[int]:
    """For each line in bold type how many such lines stand close together, this one included; 0 for other lines."""
    runs = [0] * len(rows)
    start = 0
    for index, line in enumerate(rows):
        above = rows[index - 1] if index else None
        if above is None or not (above.bold and line.bold) or line.bottom - above.bottom > 1.5 * line.size:
            start = index
        if line.bold:
            for at in range(start, index + 1):
                runs[at] = index + 1 - start
    return runs


def joined_at_same_height(lines: Sequence[PdfLine]) -> list[PdfLine]:
    """The lines, with those that follow each other at one height joined to one."""
    rows: list[list[PdfLine]] = []
    for line in lines:
        last = rows[-1][-1] if rows else None
        if (
            last is not None
            and not last.block
            and not line.block
            and at_same_height(last, line)
            and line.left > last.left
        ):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [joined_line(row) if len(row) > 1 else row[0] for row in rows]
