"""Reads CSV files and their relatives: questions and answers in two columns, or tables."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter

from retrieval.convert.office.pairs import are_pairs, write_pairs
from retrieval.convert.office.records import MOST_TABLE_CELLS, TooWideError, trimmed, write_records
from retrieval.convert.office.text import decoded, name_of
from retrieval.convert.office.writing import BlockWriter
from retrieval.document import Document
from retrieval.errors import ConvertError
from retrieval.text.language import detect

DELIMITERS = ",;\t|"
SAMPLE_ROWS = 60
"""Rows that are looked at to find the delimiter out."""
MOST_CELL_CHARACTERS = 1_000_000
"""Characters in one cell above which the file is no table: a quote was never closed."""


def convert_csv(body: bytes, url: str, *, most_table_cells: int = MOST_TABLE_CELLS) -> Document:
    """The rows as Markdown; raises ConvertError when they can't be read as rows, or make a table that is too large."""
    text = decoded(body)
    try:
        rows = trimmed(_rows(text), most_table_cells)
    except (csv.Error, TooWideError) as error:
        raise ConvertError(f"can't be read as a table ({error}); save it anew as CSV in UTF-8", about=url) from error
    blocks = BlockWriter()
    if are_pairs(rows):
        write_pairs(blocks, rows)
    else:
        write_records(blocks, rows)
    markdown = blocks.markdown()
    return Document(url=url, title=name_of(url), markdown=markdown, language=detect(markdown))


def _rows(text: str) -> list[list[str]]:
    """The rows of a text whose delimiter is found out."""
    first, _, rest = text.partition("\n")
    declared = re.fullmatch(r"sep=(.)\s*", first)  # how spreadsheet programs tell each other
    delimiter = declared[1] if declared else _delimiter(text)
    previous = csv.field_size_limit(MOST_CELL_CHARACTERS)
    try:
        return list(csv.reader(io.StringIO(rest if declared else text, newline=""), delimiter=delimiter))
    finally:
        csv.field_size_limit(previous)


def _delimiter(text: str) -> str:
    """The delimiter that parts most of the first rows into the same number of cells, two at least."""

    def score(delimiter: str) -> tuple[float, int]:
        sample = io.StringIO(text[:200_000], newline="")
        widths: Counter[int] = Counter()
        for _, row in zip(range(SAMPLE_ROWS), csv.reader(sample, delimiter=delimiter), strict=False):
            widths[len(row)] += bool(row)
        width, times = max(widths.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
        return (times / max(1, widths.total()) if width > 1 else 0.0), width

    return max(DELIMITERS, key=lambda delimiter: (score(delimiter), -DELIMITERS.index(delimiter)))
