"""Rows of cells as they are best found again: tables that repeat their header, or a section for each long record."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

from retrieval.convert.office.tables import has_head
from retrieval.convert.office.writing import Blocks, one_line

ROWS = 50
"""Rows of one table before its header is repeated."""
LONG = 120
"""Letters in a cell, on average over a column, from which each record is a section of its own."""

MOST_CELLS = 5_000_000
"""Of one table, the empty ones counted."""

Rows = Sequence[Sequence[str]]


class TooWideError(ValueError):
    """Rows that as a table would be far larger than what they hold."""


def trimmed(rows: Rows) -> list[list[str]]:
    """The rows without empty ones, and without columns that are empty in all of them; raises TooWideError."""
    kept = [[cell.strip() for cell in row] for row in rows if any(cell.strip() for cell in row)]
    columns = sorted({index for row in kept for index, cell in enumerate(row) if cell})
    if len(columns) * len(kept) > MOST_CELLS:
        raise TooWideError(f"a table of {len(kept)} rows and {len(columns)} columns")
    return [[row[index] if index < len(row) else "" for index in columns] for row in kept]


def write_records(blocks: Blocks, rows: Rows, level: int = 2) -> None:
    """Rows that have been trimmed, as tables or as sections with headings of a level."""
    if not rows:
        return
    head, body = (list(rows[0]), rows[1:]) if has_head(rows) and len(rows) > 1 else ([], rows)
    columns = list(zip(*body, strict=True))
    if max((mean(map(len, column)) for column in columns), default=0) > LONG and len(columns) > 1:
        _sections(blocks, head, body, level)
        return
    for at in range(0, len(body), ROWS):
        part = body[at : at + ROWS]
        blocks.table([head, *part] if head else part, head=bool(head))


def _sections(blocks: Blocks, head: list[str], body: Rows, level: int) -> None:
    """The heading is the first short cell; the other cells follow under their columns' names."""
    columns = list(zip(*body, strict=True))
    name = next((at for at, column in enumerate(columns) if 0 < mean(map(len, column)) <= 80), 0)
    for row in body:
        blocks.heading(level, one_line(row[name])[:200])
        for at, cell in enumerate(row):
            if at != name and cell:
                blocks.paragraph(f"**{head[at]}**: {cell}" if head and head[at] else cell)
