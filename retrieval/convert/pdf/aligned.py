"""Finds tables without ruled lines: rows of short pieces that stand under each other. Columns of prose are never one.

The limits and shares in this file were chosen by hand on written cases; test_tables.py and test_columns.py hold them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from retrieval.convert.pdf.cells import CellLines, ColumnSpans, cells_of, column_of, columns_of, table_block
from retrieval.convert.pdf.line import PdfLine, PdfRow, at_same_height
from retrieval.convert.pdf.prose import is_prose, sentence_goes_on

MOST_LINE_WORDS = 9.0
"""Words a line of a cell, on average: more is running text."""
MOST_WRAPPED_CELL_WORDS = 16.0
"""Words a cell that is wrapped over several lines, on average."""
MOST_ROW_GAP = 3.0
"""The widest white space between two rows of a table, in type sizes."""
MOST_LINE_GAP = 0.5
"""The widest white space between two lines of one cell, in type sizes."""
MOST_TABLE_ROWS = 300
"""Rows that are looked at for one table: each is compared with all others."""


def find_table(rows: Sequence[PdfRow]) -> tuple[int, int, PdfLine] | None:
    """The first table among a page's rows: (first row, row behind the last, the line that stands for it); None without."""
    at = 0
    while at < len(rows):
        start, end = _rows_that_may_be_table(rows, at)
        if end - start >= 2:
            table = _table(rows, start, end)
            if table is not None:
                return table
        at = max(end, at + 1)
    return None


def _rows_that_may_be_table(rows: Sequence[PdfRow], start: int) -> tuple[int, int]:
    """(First row, row behind the last) of rows of several pieces from `start` on.

    Rows of one piece are among them that stand in a column, close above or below: second lines of a cell.
    """
    if not _has_several(rows[start]):
        return start, start
    end, several = start + 1, [rows[start]]
    while (
        end < min(len(rows), start + MOST_TABLE_ROWS)
        and _gap_between(rows[end - 1], rows[end]) < MOST_ROW_GAP * rows[end][0].size
    ):
        if _has_several(rows[end]):
            several.append(rows[end])
        elif not _fits_into_column(rows, end, several):
            break
        end += 1
    while start and _fits_into_column(rows, start - 1, several):
        start -= 1
    return start, end


def _has_several(row: PdfRow) -> bool:
    return len(row) > 1 and not any(line.block for line in row)


def _gap_between(above: PdfRow, below: PdfRow) -> float:
    return min(line.top for line in below) - max(line.bottom for line in above)


def _fits_into_column(rows: Sequence[PdfRow], index: int, several: Sequence[PdfRow]) -> bool:
    """Whether a row is a single piece in a column, close to the row above or below, and in the same type size."""
    row, line = rows[index], rows[index][0]
    if len(row) > 1 or line.block or abs(line.size - several[0][0].size) > 0.1 * line.size:
        return False
    above = _gap_between(rows[index - 1], row) if index else MOST_ROW_GAP * line.size
    below = _gap_between(row, rows[index + 1]) if index + 1 < len(rows) else MOST_ROW_GAP * line.size
    if min(above, below) > MOST_LINE_GAP * line.size:
        return False
    columns = columns_of(several)
    last = columns[-1]
    ends = [left for left, _ in columns[1:]] + [last[1] + 2 * line.size]
    return abs(line.left - last[0]) < 3 or any(
        left - 2 <= line.left and line.right < end - 0.3 * line.size
        for (left, _), end in zip(columns, ends, strict=True)
    )


def _table(rows: Sequence[PdfRow], start: int, end: int) -> tuple[int, int, PdfLine] | None:
    """The table that the rows from `start` to `end` are, perhaps without the first or the last of them; None without."""
    while end - start >= 2:
        chosen = rows[start:end]
        columns = columns_of(chosen)
        if len(columns) >= 2:
            cells = _cells_if_table(chosen, columns)
            return (start, end, table_block(chosen, cells)) if cells else None
        # A row that bridges the columns, such as a line of text just above the table, may hide them.
        if len(columns_of(rows[start + 1 : end])) >= 2:
            start += 1
        elif len(columns_of(rows[start : end - 1])) >= 2:
            end -= 1
        else:
            return None
    return None


def _cells_if_table(rows: Sequence[PdfRow], columns: ColumnSpans) -> CellLines:
    """The cells of the table that rows are; none if they are no table."""
    lines = [line for row in rows for line in row]
    several = sum(len(row) >= 2 for row in rows)
    pieces = [[line for line in lines if column_of(line, columns) == at] for at in range(len(columns))]
    if several < 2 or sum(map(_is_aligned, pieces)) < 2 or _is_equation(rows):
        return []
    cells, blocks = cells_of(rows, columns)
    if len(cells) < 2 or sum(sum(map(bool, row)) >= 2 for row in cells) < max(2, 0.5 * len(cells)):
        return []
    filled = [sum(bool(row[at]) for row in cells) for at in range(len(columns))]
    words = sum(len(line.words) for line in lines)
    if sum(count >= 0.5 * len(cells) for count in filled) < 2:
        return []
    if blocks:
        return cells if words <= MOST_WRAPPED_CELL_WORDS * sum(filled) else []
    return cells if words <= MOST_LINE_WORDS * len(lines) and not _are_running_text(pieces) else []


def _are_running_text(columns: list[list[PdfLine]]) -> bool:
    """Whether the pieces of columns are running text, rather than short cells, or labels with descriptions beside them."""
    prose = [is_prose(pieces) for pieces in columns]
    return any(prose) and (all(prose) or not _rows_begin_together(columns, prose))


def _is_equation(rows: Sequence[PdfRow]) -> bool:
    """Whether rows are formulas with their numbers, or hold hardly a word."""
    text = " ".join(line.text for row in rows for line in row)
    letters = sum(len(word) for word in re.findall(r"[^\W_]{2,}|\d", text))
    numbers = sum(bool(re.fullmatch(r"\(\d+[a-z]?\)", row[-1].text)) for row in rows)
    return letters < 0.4 * len(text.replace(" ", "")) or numbers >= max(1, 0.4 * len(rows))


def _is_aligned(lines: Sequence[PdfLine]) -> bool:
    """Whether most pieces of a column begin, end or are centred at one place, to 2.5 points."""
    for borders in (
        [line.left for line in lines],
        [line.right for line in lines],
        [(line.left + line.right) / 2 for line in lines],
    ):
        if max(sum(abs(one - other) < 2.5 for other in borders) for one in borders) >= max(2, 0.6 * len(lines)):
            return True
    return False


def _rows_begin_together(columns: list[list[PdfLine]], prose: list[bool]) -> bool:
    """Whether running text begins anew wherever the other columns have a piece: labels with their descriptions.

    `prose`: for each column whether it is running text.
    """
    short = [line for pieces, is_text in zip(columns, prose, strict=True) if not is_text for line in pieces]
    for pieces in (pieces for pieces, is_text in zip(columns, prose, strict=True) if is_text):
        ordered = sorted(pieces, key=lambda line: line.bottom)
        inner = [(a, b) for a, b in pairwise(ordered) if any(at_same_height(line, b) for line in short)]
        if not inner or sum(sentence_goes_on(a, b) for a, b in inner) > 0.25 * len(inner):
            return False
    return True
