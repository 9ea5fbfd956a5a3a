"""Rows of cells as a Markdown table, whatever they come from."""

from __future__ import annotations

import re
from collections.abc import Sequence

YEAR = re.compile(r"(19|20)\d\d")


def markdown_table(rows: Sequence[Sequence[str]], *, head: bool = True) -> str:
    """A Markdown table; without `head` its header is empty. Empty rows and columns are left out."""
    kept = [list(row) for row in rows if any(row)]
    if not kept:
        return ""
    width = max(map(len, kept))
    kept = [row + [""] * (width - len(row)) for row in kept]
    columns = [index for index in range(width) if any(row[index] for row in kept)]
    kept = [[row[index] for index in columns] for row in kept]
    top = kept.pop(0) if head else [""] * len(columns)
    lines = [_line(top), "|" + " --- |" * len(columns), *map(_line, kept)]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(escaped(cell) for cell in cells) + " |"


def escaped(cell: str) -> str:
    """A cell's text on one line, with pipes that don't end it."""
    return re.sub(r"(?<!\\)\|", r"\\|", " ".join(cell.split()))


def has_head(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: it holds no figure where the rows below it hold figures."""
    if len(rows) < 2 or not rows[0]:
        return False
    first, below = rows[0], rows[1:]
    if all(YEAR.fullmatch(cell) for cell in first[1:] if cell):
        return True
    for index, cell in enumerate(first):
        column = [row[index] for row in below if index < len(row) and row[index]]
        figures = sum(any(letter.isdigit() for letter in other) for other in column)
        if any(letter.isdigit() for letter in cell) and figures > 0.5 * len(column):
            return False
    return True
