"""Puts the pieces of a table without ruled lines into rows of cells; a cell may be wrapped over several lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from retrieval.convert.office.tables import has_head, markdown_table
from retrieval.convert.pdf.hyphen import join_lines
from retrieval.convert.pdf.line import DOT_LEADERS, RIGHT_TO_LEFT_LETTER, PdfLine, PdfRow, at_same_height, joined_line

MOST_STEP_IN_CELL = 1.2
"""Lines of one cell are at most this many times as far apart as the closest lines of the table; chosen by hand."""
LEAST_STEP_BETWEEN_ROWS = 1.3
"""Rows of wrapped cells are at least this many times as far apart as the lines of a cell; chosen by hand."""

ColumnSpans = list[tuple[float, float]]
"""The (left, right) border of each column, in points."""
CellLines = list[list[list[PdfLine]]]
"""The lines of each cell, by row and column."""


def columns_of(rows: Sequence[PdfRow]) -> ColumnSpans:
    """The columns of rows: they are parted by white strips that no row crosses."""
    columns: ColumnSpans = []
    for line in sorted((line for row in rows for line in row), key=lambda line: line.left):
        if columns and line.left - columns[-1][1] < 0.4 * line.size:
            columns[-1] = (columns[-1][0], max(columns[-1][1], line.right))
        else:
            columns.append((line.left, line.right))
    return columns


def column_of(line: PdfLine, columns: ColumnSpans) -> int:
    """The index of the column that a line begins in."""
    return max((index for index, (left, _) in enumerate(columns) if left <= line.left + 1), default=0)


def cells_of(rows: Sequence[PdfRow], columns: ColumnSpans) -> tuple[CellLines, bool]:
    """(The cells, whether cells are wrapped over several lines).

    Cells are wrapped where lines stand close together in blocks and the blocks of all columns pair up, which they never do in
    columns of prose; else each line is a row.
    """
    complete = sum(len(row) >= 2 and column_of(row[0], columns) == 0 for row in rows)
    least = _step_in_wrapped_cells(rows, columns)
    if complete < len(rows) and least:
        blocks = _cells_of_blocks(rows, columns, least)
        wrapped = [row for row in blocks if any(len(cell) > 1 for cell in row)]
        if wrapped and sum(map(_holds_records, wrapped)) < 0.5 * len(wrapped):
            return blocks, True
    return _cells_by_line(rows, columns), False


def _holds_records(row: list[list[PdfLine]]) -> bool:
    """Whether a row of blocks is a group of rows: several lines of its first cell have a line beside them in all others."""
    first, *others = [cell for cell in row if cell]
    complete = [all(any(at_same_height(line, other) for other in cell) for cell in others) for line in first]
    return bool(others) and sum(complete) > 1


def _step_in_wrapped_cells(rows: Sequence[PdfRow], columns: ColumnSpans) -> float:
    """How far the lines of wrapped cells are apart, in points; 0 where all lines of all columns are about as far apart."""
    steps = [
        b.bottom - a.bottom
        for column in range(len(columns))
        for a, b in pairwise(line for row in rows for line in row if column_of(line, columns) == column)
    ]
    least = min(steps, default=0.0)
    return least if least and max(steps) > LEAST_STEP_BETWEEN_ROWS * least else 0.0


def _cells_of_blocks(rows: Sequence[PdfRow], columns: ColumnSpans, least: float) -> CellLines:
    """The cells, each a block of lines that stand close; none where the blocks of two columns don't pair up.

    `least`: how far the closest lines are apart.
    """
    blocks: list[tuple[int, list[PdfLine]]] = []
    for column in range(len(columns)):
        own = [line for row in rows for line in row if column_of(line, columns) == column]
        for before, line in pairwise([None, *own]):  # None before the first: each column begins a block
            assert line is not None
            if before is not None and line.bottom - before.bottom <= MOST_STEP_IN_CELL * least:
                blocks[-1][1].append(line)
            else:
                blocks.append((column, [line]))
    cells: CellLines = []
    reach = float("-inf")
    for column, block in sorted(blocks, key=lambda item: item[1][0].top):
        if block[0].top > reach - 0.3 * block[0].size:
            cells.append([[] for _ in columns])
        if cells[-1][column]:
            return []
        cells[-1][column] = block
        reach = max(reach, block[-1].bottom)
    return cells


def _cells_by_line(rows: Sequence[PdfRow], columns: ColumnSpans) -> CellLines:
    """The cells with each row by itself; but one without a first cell goes on with the cells above it."""
    made: CellLines = []
    for row in rows:
        cells: list[list[PdfLine]] = [[] for _ in columns]
        for line in row:
            cells[column_of(line, columns)].append(line)
        if made and _goes_on_with_cells(made[-1], cells):
            for above, cell in zip(made[-1], cells, strict=True):
                above.extend(cell)
        else:
            made.append(cells)
    return made


def _goes_on_with_cells(above: list[list[PdfLine]], cells: list[list[PdfLine]]) -> bool:
    """Whether a row is the second line of the cells above it: it begins with small letters, or has no name of its own."""
    if not all(up for up, cell in zip(above, cells, strict=True) if cell):
        return False
    filled = [cell for cell in cells if cell]
    lower = all(cell[0].text[:1].islower() for cell in filled)
    return (not cells[0] and (len(filled) == 1 or lower)) or (len(filled) == 1 and lower)


def table_block(rows: Sequence[PdfRow], cells: CellLines) -> PdfLine:
    """The line that stands for a table, with the table's Markdown as its block."""
    texts = [
        [DOT_LEADERS.sub(" … ", join_lines([line.markdown for line in cell])).strip(" …") for cell in row]
        for row in cells
    ]
    # in scripts from right to left the first column is the rightmost one
    if len(RIGHT_TO_LEFT_LETTER.findall("".join(map("".join, texts)))) > 0.3 * sum(map(len, map("".join, texts))):
        texts = [row[::-1] for row in texts]
    first, last = ([line for cell in row for line in cell] for row in (cells[0], cells[-1]))
    bold = all(line.bold for line in first) and not all(line.bold for line in last)
    line = joined_line([line for row in rows for line in row])
    return replace(line, block=markdown_table(texts, head=bold or has_head(texts)))
