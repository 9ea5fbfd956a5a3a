"""Writes rows of cells as a Markdown table, and tells whether the first row is a header."""

from __future__ import annotations

import re
from collections.abc import Sequence

CellRows = Sequence[Sequence[str]]
"""Rows of the texts of cells."""
YEAR_CELL = re.compile(r"(19|20)\d\d")


def markdown_table(rows: CellRows, *, head: bool = True) -> str:
    """A Markdown table without empty rows and columns; `head`: the first row is its header, else the header stays empty."""
    filled = [list(row) for row in rows if any(row)]
    if not filled:
        return ""
    width = max(map(len, filled))
    filled = [row + [""] * (width - len(row)) for row in filled]
    columns = [index for index in range(width) if any(row[index] for row in filled)]
    filled = [[row[index] for index in columns] for row in filled]
    top = filled.pop(0) if head else [""] * len(columns)
    lines = [_table_line(top), "|" + " --- |" * len(columns), *map(_table_line, filled)]
    return "\n".join(lines)


def _table_line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(escaped_cell(cell) for cell in cells) + " |"


def escaped_cell(cell: str) -> str:
    """A cell's text on one line, its pipes escaped."""
    return re.sub(r"(?<!\\)\|", r"\\|", " ".join(cell.split()))


def has_head(rows: CellRows) -> bool:
    """Whether the first row names the columns: it has no digits where most rows below have, or it is a row of years."""
    if len(rows) < 2 or not rows[0]:
        return False
    first, below = rows[0], rows[1:]
    if all(YEAR_CELL.fullmatch(cell) for cell in first[1:] if cell):
        return True
    for index, cell in enumerate(first):
        column = [row[index] for row in below if index < len(row) and row[index]]
        figures = sum(any(letter.isdigit() for letter in other) for other in column)
        if any(letter.isdigit() for letter in cell) and figures > 0.5 * len(column):
            return False
    return True
