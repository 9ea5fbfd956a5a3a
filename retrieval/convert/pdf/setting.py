"""How the lines of a stretch are set: where they begin and end, what stands side by side, what is bold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from retrieval.convert.pdf.line import Line, beside, joined


@dataclass(slots=True)
class Column:
    """Where the lines of a stretch begin and end, and how far their base lines are apart."""

    left: float
    right: float
    leading: float
    apart: bool = False
    """Whether its lines are short and each begins anew, as those of an address do."""

    @classmethod
    def of(cls, lines: Sequence[Line], body: float) -> Column:
        """Read off lines; those in the body's size count where there are any."""
        chosen = [line for line in lines if not line.block]
        texts = [line for line in chosen if abs(line.size - body) < 0.1 * body] or chosen or list(lines)
        steps = sorted(b.bottom - a.bottom for a, b in pairwise(texts) if b.bottom > a.bottom + 0.5 * a.size)
        size = texts[0].size
        leading = steps[len(steps) // 4] if steps else 1.3 * size
        return cls(
            min(line.left for line in texts),
            max(line.right for line in texts),
            min(max(leading, size), 2.2 * size),
            all(len(line.words) <= 5 and not line.text[:1].islower() for line in texts),
        )

    def is_full(self, line: Line, following: Line) -> bool:
        """Whether the first word of the next line would not have fitted behind a line."""
        word = following.words[0] if following.words else None
        wide = min(word.right - word.left, 0.4 * (self.right - self.left)) if word else 0.0
        return line.right + wide > self.right - 1.2 * line.size


def bold_runs(rows: Sequence[Line]) -> list[int]:
    """For each line in bold type how many of them stand close together, this one included."""
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


def side_by_side(lines: Sequence[Line]) -> list[Line]:
    """Pieces that follow each other at one height are one line."""
    rows: list[list[Line]] = []
    for line in lines:
        last = rows[-1][-1] if rows else None
        if last is not None and not last.block and not line.block and beside(last, line) and line.left > last.left:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [joined(row) if len(row) > 1 else row[0] for row in rows]
