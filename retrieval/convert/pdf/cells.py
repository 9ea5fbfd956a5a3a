"""Pieces of a table without ruled lines as rows of cells; a cell may be wrapped over several lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from retrieval.convert.office.tables import has_head, markdown_table
from retrieval.convert.pdf.hyphen import join_lines
from retrieval.convert.pdf.line import LEADERS, LEFTWARDS, Line, beside, joined

CLOSE = 1.2
"""Lines of one cell are at most this times as far apart as the closest lines of the table."""
APART = 1.3
"""Rows whose cells are wrapped are at least this times as far apart."""

Row = list[Line]
Columns = list[tuple[float, float]]
"""From where to where each column reaches."""
Cells = list[list[list[Line]]]
"""For each row and column the lines of the cell."""


def columns_of(rows: Sequence[Row]) -> Columns:
    """The columns that the white strips which no row crosses part."""
    columns: Columns = []
    for line in sorted((line for row in rows for line in row), key=lambda line: line.left):
        if columns and line.left - columns[-1][1] < 0.4 * line.size:
            columns[-1] = (columns[-1][0], max(columns[-1][1], line.right))
        else:
            columns.append((line.left, line.right))
    return columns


def place_of(line: Line, columns: Columns) -> int:
    """The column that a line stands in."""
    return max((index for index, (left, _) in enumerate(columns) if left <= line.left + 1), default=0)


def cells_of(rows: Sequence[Row], columns: Columns) -> tuple[Cells, bool]:
    """The cells, and whether they were put together from lines that stand close: each row is then a row of blocks.

    Where the blocks of two columns don't pair up, as they never do in columns of prose, each line is a row.
    """
    whole = sum(len(row) >= 2 and place_of(row[0], columns) == 0 for row in rows)
    least = _least_step(rows, columns)
    if whole < len(rows) and least:
        blocks = _blocks(rows, columns, least)
        wrapped = [row for row in blocks if any(len(cell) > 1 for cell in row)]
        if wrapped and sum(map(_holds_records, wrapped)) < 0.5 * len(wrapped):
            return blocks, True
    return _by_line(rows, columns), False


def _holds_records(row: list[list[Line]]) -> bool:
    """Whether several lines of the first cell have a line beside them in all other cells: that is a group of rows."""
    first, *others = [cell for cell in row if cell]
    complete = [all(any(beside(line, other) for other in cell) for cell in others) for line in first]
    return bool(others) and sum(complete) > 1


def _least_step(rows: Sequence[Row], columns: Columns) -> float:
    """How far the lines of wrapped cells are apart; 0 where all lines of all columns are about as far apart."""
    steps = [
        b.bottom - a.bottom
        for place in range(len(columns))
        for a, b in pairwise(line for row in rows for line in row if place_of(line, columns) == place)
    ]
    least = min(steps, default=0.0)
    return least if least and max(steps) > APART * least else 0.0


def _blocks(rows: Sequence[Row], columns: Columns, least: float) -> Cells:
    blocks: list[tuple[int, list[Line]]] = []
    for place in range(len(columns)):
        own = [line for row in rows for line in row if place_of(line, columns) == place]
        for before, line in pairwise([None, *own]):
            assert line is not None
            if before is not None and line.bottom - before.bottom <= CLOSE * least:
                blocks[-1][1].append(line)
            else:
                blocks.append((place, [line]))
    found: Cells = []
    reach = float("-inf")
    for place, block in sorted(blocks, key=lambda item: item[1][0].top):
        if block[0].top > reach - 0.3 * block[0].size:
            found.append([[] for _ in columns])
        if found[-1][place]:
            return []
        found[-1][place] = block
        reach = max(reach, block[-1].bottom)
    return found


def _by_line(rows: Sequence[Row], columns: Columns) -> Cells:
    """Every row by itself; but one without a name goes on with the cells above it."""
    found: Cells = []
    for row in rows:
        cells: list[list[Line]] = [[] for _ in columns]
        for line in row:
            cells[place_of(line, columns)].append(line)
        if found and _continues(found[-1], cells):
            for above, cell in zip(found[-1], cells, strict=True):
                above.extend(cell)
        else:
            found.append(cells)
    return found


def _continues(above: list[list[Line]], cells: list[list[Line]]) -> bool:
    if not all(up for up, cell in zip(above, cells, strict=True) if cell):
        return False
    filled = [cell for cell in cells if cell]
    lower = all(cell[0].text[:1].islower() for cell in filled)
    return (not cells[0] and (len(filled) == 1 or lower)) or (len(filled) == 1 and lower)


def table_block(rows: Sequence[Row], cells: Cells) -> Line:
    """The line that stands for the table."""
    texts = [
        [LEADERS.sub(" … ", join_lines([line.marked for line in cell])).strip(" …") for cell in row] for row in cells
    ]
    if len(LEFTWARDS.findall("".join(map("".join, texts)))) > 0.3 * sum(map(len, map("".join, texts))):
        texts = [row[::-1] for row in texts]
    first, last = ([line for cell in row for line in cell] for row in (cells[0], cells[-1]))
    bold = all(line.bold for line in first) and not all(line.bold for line in last)
    whole = joined([line for row in rows for line in row])
    return replace(whole, block=markdown_table(texts, head=bold or has_head(texts)))
