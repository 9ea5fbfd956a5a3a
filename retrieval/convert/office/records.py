"""Writes rows of cells as they are best found again: tables that repeat their header, or a section for each long record."""

from __future__ import annotations

from statistics import mean

from retrieval.convert.office.tables import CellRows, has_head
from retrieval.convert.office.writing import BlockWriter, one_line

ROWS_PER_TABLE = 50
"""Rows of one table before its header is repeated; chosen by hand."""
LONG_CELL_CHARACTERS = 120
"""Characters a cell, on average over a column, above which each record is a section of its own; chosen by hand."""
MOST_TABLE_CELLS = 5_000_000
"""Cells of one table, empty ones counted: a single cell far out makes a small file a huge table."""


class TooWideError(ValueError):
    """Rows that as a table would be far larger than what they hold."""


def trimmed(rows: CellRows, most_cells: int = MOST_TABLE_CELLS) -> list[list[str]]:
    """The rows without empty rows and columns, all of one length; raises TooWideError above `most_cells` cells."""
    filled = [[cell.strip() for cell in row] for row in rows if any(cell.strip() for cell in row)]
    columns = sorted({index for row in filled for index, cell in enumerate(row) if cell})
    if len(columns) * len(filled) > most_cells:
        raise TooWideError(f"a table of {len(filled)} rows and {len(columns)} columns")
    return [[row[index] if index < len(row) else "" for index in columns] for row in filled]


def write_records(blocks: BlockWriter, rows: CellRows, level: int = 2) -> None:
    """Write rows that have been trimmed, as tables or as sections with headings of a level."""
    if not rows:
        return
    head, body = (list(rows[0]), rows[1:]) if has_head(rows) and len(rows) > 1 else ([], rows)
    columns = list(zip(*body, strict=True))
    if max((mean(map(len, column)) for column in columns), default=0) > LONG_CELL_CHARACTERS and len(columns) > 1:
        _write_sections(blocks, head, body, level)
        return
    for at in range(0, len(body), ROWS_PER_TABLE):
        part = body[at : at + ROWS_PER_TABLE]
        blocks.table([head, *part] if head else part, head=bool(head))


def _write_sections(blocks: BlockWriter, head: list[str], body: CellRows, level: int) -> None:
    """Write each row as a section: its heading is the first column of short cells, the others follow with their names."""
    columns = list(zip(*body, strict=True))
    name = next((at for at, column in enumerate(columns) if 0 < mean(map(len, column)) <= 80), 0)
    for row in body:
        blocks.heading(level, one_line(row[name])[:200])
        for at, cell in enumerate(row):
            if at != name and cell:
                blocks.paragraph(f"**{head[at]}**: {cell}" if head and head[at] else cell)
