"""CSV and its relatives: question and answer pairs in two columns, else tables."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter

from retrieval.convert.office.pairs import are_pairs, write_pairs
from retrieval.convert.office.records import TooWideError, trimmed, write_records
from retrieval.convert.office.text import decoded, name_of
from retrieval.convert.office.writing import Blocks
from retrieval.document import Document
from retrieval.errors import ConvertError
from retrieval.text.language import detect

DELIMITERS = ",;\t|"
SAMPLE = 60
MOST_LETTERS = 1_000_000
"""In one cell."""


def convert_csv(body: bytes, url: str) -> Document:
    """The rows as Markdown; raises ConvertError when they can't be read as rows."""
    text = decoded(body)
    try:
        rows = trimmed(_rows(text))
    except (csv.Error, TooWideError) as error:
        raise ConvertError(f"{url}: can't be read as a table ({error}); save it anew as CSV in UTF-8") from error
    blocks = Blocks()
    if are_pairs(rows):
        write_pairs(blocks, rows)
    else:
        write_records(blocks, rows)
    markdown = blocks.markdown()
    return Document(url=url, title=name_of(url), markdown=markdown, language=detect(markdown))


def _rows(text: str) -> list[list[str]]:
    first, _, rest = text.partition("\n")
    told = re.fullmatch(r"sep=(.)\s*", first)  # how spreadsheet programs tell each other
    delimiter = told[1] if told else _delimiter(text)
    previous = csv.field_size_limit(MOST_LETTERS)
    try:
        return list(csv.reader(io.StringIO(rest if told else text, newline=""), delimiter=delimiter))
    finally:
        csv.field_size_limit(previous)


def _delimiter(text: str) -> str:
    """The one that parts most of the first rows into the same number of cells, more than one."""

    def score(delimiter: str) -> tuple[float, int]:
        sample = io.StringIO(text[:200_000], newline="")
        widths: Counter[int] = Counter()
        for _, row in zip(range(SAMPLE), csv.reader(sample, delimiter=delimiter), strict=False):
            widths[len(row)] += bool(row)
        width, times = max(widths.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
        return (times / max(1, widths.total()) if width > 1 else 0.0), width

    return max(DELIMITERS, key=lambda delimiter: (score(delimiter), -DELIMITERS.index(delimiter)))
