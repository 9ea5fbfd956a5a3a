"""Tables without ruled lines: rows of short pieces that stand under each other. Columns of prose are never one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from retrieval.convert.pdf.cells import Cells, Columns, Row, cells_of, columns_of, place_of, table_block
from retrieval.convert.pdf.line import Line, beside
from retrieval.convert.pdf.prose import goes_on, is_prose

MOST_WORDS = 9.0
"""Words in a line of a table's cell, on average."""
MOST_IN_BLOCK = 16.0
"""Words in a wrapped cell, on average."""
FAR = 3.0
"""White space between two rows of a table, at most, in sizes of type."""
TIGHT = 0.5
"""White space between two lines of a cell, at most, in sizes of type."""
MOST_ROWS = 300


def find_table(rows: Sequence[Row]) -> tuple[int, int, Line] | None:
    """The first table among the rows: where it begins and ends, and the block that stands for it."""
    at = 0
    while at < len(rows):
        start, end = _candidate(rows, at)
        if end - start >= 2:
            found = _table(rows, start, end)
            if found is not None:
                return found
        at = max(end, at + 1)
    return None


def _candidate(rows: Sequence[Row], start: int) -> tuple[int, int]:
    """Rows of several pieces from `start`, with rows of one piece that fit into a column close above or below."""
    if not _is_several(rows[start]):
        return start, start
    end, several = start + 1, [rows[start]]
    while end < min(len(rows), start + MOST_ROWS) and _white(rows[end - 1], rows[end]) < FAR * rows[end][0].size:
        if _is_several(rows[end]):
            several.append(rows[end])
        elif not _fits(rows, end, several):
            break
        end += 1
    while start and _fits(rows, start - 1, several):
        start -= 1
    return start, end


def _is_several(row: Row) -> bool:
    return len(row) > 1 and not any(line.block for line in row)


def _white(above: Row, below: Row) -> float:
    return min(line.top for line in below) - max(line.bottom for line in above)


def _fits(rows: Sequence[Row], index: int, several: Sequence[Row]) -> bool:
    """Whether a row's only piece stands within a column, close to a row above or below and in its type."""
    row, line = rows[index], rows[index][0]
    if len(row) > 1 or line.block or abs(line.size - several[0][0].size) > 0.1 * line.size:
        return False
    above = _white(rows[index - 1], row) if index else FAR * line.size
    below = _white(row, rows[index + 1]) if index + 1 < len(rows) else FAR * line.size
    if min(above, below) > TIGHT * line.size:
        return False
    columns = columns_of(several)
    last = columns[-1]
    ends = [left for left, _ in columns[1:]] + [last[1] + 2 * line.size]
    return abs(line.left - last[0]) < 3 or any(
        left - 2 <= line.left and line.right < end - 0.3 * line.size
        for (left, _), end in zip(columns, ends, strict=True)
    )


def _table(rows: Sequence[Row], start: int, end: int) -> tuple[int, int, Line] | None:
    while end - start >= 2:
        chosen = rows[start:end]
        columns = columns_of(chosen)
        if len(columns) >= 2:
            cells = _cells(chosen, columns)
            return (start, end, table_block(chosen, cells)) if cells else None
        # A row that bridges the columns, such as a line of text just above the table, may hide them.
        if len(columns_of(rows[start + 1 : end])) >= 2:
            start += 1
        elif len(columns_of(rows[start : end - 1])) >= 2:
            end -= 1
        else:
            return None
    return None


def _cells(rows: Sequence[Row], columns: Columns) -> Cells:
    """The cells of a table; none if the rows are no table."""
    lines = [line for row in rows for line in row]
    several = sum(len(row) >= 2 for row in rows)
    places = [[line for line in lines if place_of(line, columns) == place] for place in range(len(columns))]
    if several < 2 or sum(map(_is_aligned, places)) < 2 or _is_equation(rows):
        return []
    cells, blocks = cells_of(rows, columns)
    if len(cells) < 2 or sum(sum(map(bool, row)) >= 2 for row in cells) < max(2, 0.5 * len(cells)):
        return []
    filled = [sum(bool(row[place]) for row in cells) for place in range(len(columns))]
    words = sum(len(line.words) for line in lines)
    if sum(count >= 0.5 * len(cells) for count in filled) < 2:
        return []
    if blocks:
        return cells if words <= MOST_IN_BLOCK * sum(filled) else []
    return cells if words <= MOST_WORDS * len(lines) and not _is_text(places) else []


def _is_text(places: list[list[Line]]) -> bool:
    """Whether the columns are running text, rather than labels with their descriptions or short cells."""
    prose = [is_prose(place) for place in places]
    return any(prose) and (all(prose) or not _rows_begin_together(places, prose))


def _is_equation(rows: Sequence[Row]) -> bool:
    """Formulas with their numbers, and other rows that hold hardly a word, are no table."""
    text = " ".join(line.text for row in rows for line in row)
    letters = sum(len(word) for word in re.findall(r"[^\W_]{2,}|\d", text))
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


def _rows_begin_together(places: list[list[Line]], prose: list[bool]) -> bool:
    """Whether running text begins anew wherever the other columns have a piece: labels with their descriptions."""
    short = [line for place, is_text in zip(places, prose, strict=True) if not is_text for line in place]
    for place in (place for place, is_text in zip(places, prose, strict=True) if is_text):
        ordered = sorted(place, key=lambda line: line.bottom)
        inner = [(a, b) for a, b in pairwise(ordered) if any(beside(line, b) for line in short)]
        if not inner or sum(goes_on(a, b) for a, b in inner) > 0.25 * len(inner):
            return False
    return True
