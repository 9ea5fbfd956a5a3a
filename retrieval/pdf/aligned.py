"""Tables without ruled lines: rows of short pieces that stand under each other. Columns of prose are never one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from retrieval.formats.tables import has_head, markdown_table
from retrieval.pdf.hyphen import joined_text
from retrieval.pdf.line import Line, beside, joined

FULL_STOP = re.compile(r"[.!?:;…。！？][\"'”’»)\]]*$")
MOST_WORDS = 9.0
"""Words in a table's cell, on average."""

Row = list[Line]


def is_prose(lines: Sequence[Line]) -> bool:
    """Whether lines under each other are running text: sentences go on from line to line, or the lines fill a width."""
    if len(lines) < 2:
        return False
    ordered = sorted(lines, key=lambda line: line.bottom)
    length = median(len(line.text) for line in ordered)
    if len(ordered) == 2:
        return length >= 25 and _goes_on(*ordered)
    if length < 18:
        return False
    on = sum(_goes_on(a, b) for a, b in pairwise(ordered))
    widest = max(line.width for line in ordered)
    full = sum(line.width > 0.8 * widest for line in ordered)
    return on >= 0.35 * (len(ordered) - 1) or (length >= 30 and full >= 0.6 * len(ordered))


def _goes_on(a: Line, b: Line) -> bool:
    return b.text[:1].islower() and not FULL_STOP.search(a.text)


def find_table(rows: Sequence[Row]) -> tuple[int, int, Line] | None:
    """The first table among the rows: where it begins and ends, and the block that stands for it."""
    at = 0
    while at < len(rows):
        end = _end_of_pieces(rows, at)
        if end - at >= 2:
            found = _table(rows, at, end)
            if found is not None:
                return found
        at = max(end, at + 1)
    return None


def _end_of_pieces(rows: Sequence[Row], start: int) -> int:
    """Where rows of several pieces end; a row of one piece within them may go on with a cell above it."""
    if len(rows[start]) < 2 or any(line.block for line in rows[start]):
        return start
    end, limit = start + 1, len(rows)
    while end < limit and not any(line.block for line in rows[end]):
        if len(rows[end]) < 2 and not _wraps(rows[end - 1], rows[end]):
            break
        end += 1
    return end


def _wraps(above: Row, row: Row) -> bool:
    """Whether a row's only piece stands under a cell of the row above, close to it, and not under the first."""
    line = row[0]
    close = line.top - max(other.bottom for other in above) < 0.6 * line.size
    under = [other for other in above if abs(other.left - line.left) < 3]
    first = min(above, key=lambda other: other.left)
    return close and bool(under) and (len(above) > 1 or line.left - first.left < 3) and line.width < 400


def _table(rows: Sequence[Row], start: int, end: int) -> tuple[int, int, Line] | None:
    while end - start >= 2:
        chosen = rows[start:end]
        columns = _columns_of(chosen)
        if _is_table(chosen, columns):
            return start, end, _block(chosen, columns)
        # A row that bridges the columns, such as a line of text just above the table, may hide them.
        if len(columns) < 2 and len(_columns_of(rows[start + 1 : end])) >= 2:
            start += 1
        elif len(columns) < 2 and len(_columns_of(rows[start : end - 1])) >= 2:
            end -= 1
        else:
            return None
    return None


def _columns_of(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """From where to where each column reaches: the strips that no row crosses part them."""
    columns: list[tuple[float, float]] = []
    for line in sorted((line for row in rows for line in row), key=lambda line: line.left):
        if columns and line.left - columns[-1][1] < 0.4 * line.size:
            columns[-1] = (columns[-1][0], max(columns[-1][1], line.right))
        else:
            columns.append((line.left, line.right))
    return columns


def _is_table(rows: Sequence[Row], columns: list[tuple[float, float]]) -> bool:
    lines = [line for row in rows for line in row]
    if len(columns) < 2 or sum(len(row) >= 2 for row in rows) < max(2, 0.5 * len(rows)):
        return False
    if sum(len(line.words) for line in lines) > MOST_WORDS * len(lines):
        return False
    places = [[line for line in lines if left - 1 <= line.left <= right] for left, right in columns]
    filled = sum(len(place) >= 0.5 * sum(len(row) >= 2 for row in rows) for place in places)
    if filled < 2:
        return False
    prose = [is_prose(place) for place in places]
    if _is_equation(rows) or sum(map(_is_aligned, places)) < 2:
        return False
    if not any(prose):
        return True
    return not all(prose) and _rows_begin_together(rows, places, prose)


def _is_equation(rows: Sequence[Row]) -> bool:
    """Formulas with their numbers, and other rows that hold hardly a word, are no table."""
    text = " ".join(line.text for row in rows for line in row)
    letters = sum(len(word) for word in re.findall(r"[^\W_]{2,}", text))
    numbers = sum(bool(re.fullmatch(r"\(\d+[a-z]?\)", row[-1].text)) for row in rows)
    return letters < 0.4 * len(text.replace(" ", "")) or numbers >= max(1, 0.4 * len(rows))


def _is_aligned(lines: Sequence[Line]) -> bool:
    """Whether most pieces of a column begin, end or are centred at one place."""
    for places in (
        [line.left for line in lines],
        [line.right for line in lines],
        [(line.left + line.right) / 2 for line in lines],
    ):
        if max(sum(abs(place - other) < 2.5 for other in places) for place in places) >= max(2, 0.6 * len(lines)):
            return True
    return False


def _rows_begin_together(rows: Sequence[Row], places: list[list[Line]], prose: list[bool]) -> bool:
    """Whether running text begins anew wherever the other columns have a piece: labels with their descriptions."""
    short = [line for place, is_text in zip(places, prose, strict=True) if not is_text for line in place]
    for place in (place for place, is_text in zip(places, prose, strict=True) if is_text):
        ordered = sorted(place, key=lambda line: line.bottom)
        inner = [(a, b) for a, b in pairwise(ordered) if any(beside(line, b) for line in short)]
        if not inner or sum(_goes_on(a, b) for a, b in inner) > 0.25 * len(inner):
            return False
    return True


def _block(rows: Sequence[Row], columns: list[tuple[float, float]]) -> Line:
    texts: list[list[str]] = []
    close = _close(rows)
    for before, row in pairwise([None, *rows]):
        assert row is not None
        cells = [""] * len(columns)
        for line in row:
            place = max(index for index, (left, _) in enumerate(columns) if left <= line.left + 1)
            cells[place] = f"{cells[place]} {line.marked}".strip()
        if before is not None and _continues(before, row, texts[-1], cells, close):
            texts[-1] = [
                joined_text(above, cell) if cell else above for above, cell in zip(texts[-1], cells, strict=True)
            ]
        else:
            texts.append(cells)
    bold = all(line.bold for line in rows[0]) and not all(line.bold for line in rows[-1])
    whole = joined([line for row in rows for line in row])
    return replace(whole, block=markdown_table(texts, head=bold or has_head(texts)))


def _close(rows: Sequence[Row]) -> float:
    """The distance of base lines up to which a row goes on with the cells above; 0 where all rows are as far apart."""
    steps = [_base(b) - _base(a) for a, b in pairwise(rows)]
    least = min(steps, default=0.0)
    far = sum(step > 1.35 * least for step in steps[1:])
    return least * 1.2 if far >= 2 or (far and steps[0] > 1.35 * least) else 0.0


def _base(row: Row) -> float:
    return max(line.bottom for line in row)


def _continues(before: Row, row: Row, above: list[str], cells: list[str], close: float) -> bool:
    if not all(up for up, cell in zip(above, cells, strict=True) if cell):
        return False
    if close and _base(row) - _base(before) <= close:
        return True
    filled = [cell for cell in cells if cell]
    return not cells[0] and (len(filled) == 1 or all(cell[:1].islower() for cell in filled))

