"""Spreadsheets (XLSX): each sheet a heading with its table, values as the reader sees them, hidden sheets left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from retrieval.convert.office import records
from retrieval.convert.office.figures import BUILT_IN, shown
from retrieval.convert.office.package import Package, opened
from retrieval.convert.office.pairs import are_questions, write_pairs
from retrieval.convert.office.records import TooWideError, trimmed, write_records
from retrieval.convert.office.relations import relations
from retrieval.convert.office.text import name_of
from retrieval.convert.office.writing import Blocks, linked, one_line
from retrieval.convert.office.xml import child, children, parse
from retrieval.document import Document
from retrieval.errors import ConvertError
from retrieval.text.language import detect

MOST_CELLS = 500_000
REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")

Grid = dict[tuple[int, int], str]
"""The texts of the cells by row and column, from 0."""


def convert_xlsx(body: bytes, url: str) -> Document:
    """All visible sheets; raises ConvertError for a file that isn't a workbook."""
    with opened(body, url, "an Excel workbook") as package:
        name = next((at for kind, at in relations(package, "", url).values() if kind == "officeDocument"), "")
        if name not in package:
            raise ConvertError(f"{url}: can't be read as an Excel workbook; save it as .xlsx and add it again")
        book = _Book(package, name, url)
        blocks = Blocks()
        for title, sheet in book.sheets():
            blocks.heading(2, title)
            grid = book.grid(sheet)
            try:
                _write(blocks, grid)
            except TooWideError as error:
                raise ConvertError(f"{url}: holds {error}; split it and add the parts") from error
    markdown = blocks.markdown()
    return Document(url=url, title=name_of(url), markdown=markdown, language=detect(markdown))


def _write(blocks: Blocks, grid: Grid) -> None:
    """The areas between empty rows: single cells are text, the others tables."""
    rows: dict[int, dict[int, str]] = {}
    for (row, column), text in grid.items():
        if text.strip():
            rows.setdefault(row, {})[column] = text
    area: list[list[str]] = []
    columns = sorted({column for row in rows.values() for column in row})  # one cell may stand far out
    if len(columns) * len(rows) > records.MOST_CELLS:
        raise TooWideError(f"a table of {len(rows)} rows and {len(columns)} columns")
    last = -2
    for number in sorted(rows):
        if number > last + 1:
            _area(blocks, area)
            area = []
        area.append([rows[number].get(column, "") for column in columns])
        last = number
    _area(blocks, area)


def _area(blocks: Blocks, rows: list[list[str]]) -> None:
    """A table, or questions and answers, with a title above; a cell alone in its row before the table is text."""
    while rows and sum(map(bool, rows[0])) == 1:
        blocks.paragraph("".join(rows.pop(0)))
    after: list[str] = []
    while rows and sum(map(bool, rows[-1])) == 1 and rows[-1][0] and len(rows[-1][0]) > 60:
        after.insert(0, rows.pop()[0])
    kept = trimmed(rows)
    if are_questions(kept):
        write_pairs(blocks, kept, level=3)
    else:
        write_records(blocks, kept, level=3)
    for text in after:
        blocks.paragraph(text)


@dataclass(slots=True)
class _Sheet:
    name: str
    root: Element


class _Book:
    def __init__(self, package: Package, name: str, url: str) -> None:
        self._package, self._name, self._url = package, name, url
        self._root = parse(package.read(name), url)
        self._parts = relations(package, name, url)
        self._texts = [_string(item) for item in children(self._part("sharedStrings"), "si")]
        self._formats = _formats(self._part("styles"))
        properties = child(self._root, "workbookPr")
        self._from_1904 = properties is not None and properties.get("date1904") in ("1", "true")
        self._cells = 0

    def _part(self, wanted: str) -> Element | None:
        name = next((at for kind, at in self._parts.values() if kind == wanted), "")
        return parse(self._package.read(name), self._url) if name in self._package else None

    def sheets(self) -> Iterator[tuple[str, _Sheet]]:
        """The names and contents of the sheets that a reader sees."""
        for item in children(child(self._root, "sheets"), "sheet"):
            kind, at = self._parts.get(item.get("r:id") or "", ("", ""))
            if item.get("state", "visible") == "visible" and kind == "worksheet" and at in self._package:
                yield item.get("name") or "", _Sheet(at, parse(self._package.read(at), self._url))

    def grid(self, sheet: _Sheet) -> Grid:
        """The sheet's texts; a merged cell stands in each row that it covers, but once in a row."""
        grid: Grid = {}
        links = self._links(sheet)
        hidden = _hidden_columns(sheet.root)
        next_row = 0
        for row in children(child(sheet.root, "sheetData"), "row"):
            number = int(row.get("r") or 0) - 1 if (row.get("r") or "").isdigit() else next_row
            next_row, column = number + 1, 0
            for cell in children(row, "c"):
                place = _place(cell.get("r") or "")
                column = place[1] if place else column
                text = self._text(cell)
                if text and row.get("hidden") not in ("1", "true") and column not in hidden:
                    grid[number, column] = linked(text, links.get((number, column), ""))
                    self._count()
                column += 1
        for range_ in children(child(sheet.root, "mergeCells"), "mergeCell"):
            self._merge(grid, range_.get("ref") or "")
        return grid

    def _count(self) -> None:
        self._cells += 1
        if self._cells > MOST_CELLS:
            raise ConvertError(f"{self._url}: holds more than {MOST_CELLS} cells; split it and add the parts")

    def _merge(self, grid: Grid, reference: str) -> None:
        first, _, last = reference.partition(":")
        start, end = _place(first), _place(last)
        if start is None or end is None or start not in grid or end[0] - start[0] > 1000:
            return
        for row in range(start[0] + 1, end[0] + 1):
            grid.setdefault((row, start[1]), grid[start])
            self._count()

    def _text(self, cell: Element) -> str:
        kind = cell.get("t") or "n"
        if kind == "inlineStr":
            return one_line(_string(child(cell, "is")))
        found = child(cell, "v")
        raw = (found.text or "") if found is not None else ""
        if kind == "s":
            return one_line(self._texts[int(raw)]) if raw.isdigit() and int(raw) < len(self._texts) else ""
        if kind == "b":
            return "TRUE" if raw == "1" else "FALSE" if raw else ""
        if kind != "n":
            return one_line(raw)
        style = cell.get("s") or "0"
        code = self._formats[int(style)] if style.isdigit() and int(style) < len(self._formats) else ""
        try:
            return shown(float(raw), code, from_1904=self._from_1904) if raw else ""
        except (ValueError, OverflowError):
            return raw

    def _links(self, sheet: _Sheet) -> dict[tuple[int, int], str]:
        targets = relations(self._package, sheet.name, self._url)
        found = {}
        for item in children(child(sheet.root, "hyperlinks"), "hyperlink"):
            place = _place((item.get("ref") or "").partition(":")[0])
            if place:
                found[place] = targets.get(item.get("r:id") or "", ("", ""))[1]
        return found


def _string(item: Element | None) -> str:
    """A shared string; the readings that stand over Japanese words are left out."""
    if item is None:
        return ""
    parts = [item, *children(item, "r")]
    return "".join(text.text or "" for part in parts for text in children(part, "t"))


def _formats(styles: Element | None) -> list[str]:
    """The number format of each cell style."""
    own = {item.get("numFmtId"): item.get("formatCode") or "" for item in children(child(styles, "numFmts"), "numFmt")}
    found = []
    for item in children(child(styles, "cellXfs"), "xf"):
        number = item.get("numFmtId") or "0"
        found.append(own[number] if number in own else BUILT_IN.get(int(number) if number.isdigit() else 0, ""))
    return found


def _hidden_columns(root: Element) -> set[int]:
    hidden: set[int] = set()
    for item in children(child(root, "cols"), "col"):
        if item.get("hidden") in ("1", "true"):
            first, last = int(item.get("min") or 0), int(item.get("max") or 0)
            hidden.update(range(first - 1, min(last, first + 1000)))
    return hidden


def _place(reference: str) -> tuple[int, int] | None:
    """A cell's row and column, from 0."""
    match = REFERENCE.fullmatch(reference)
    if not match:
        return None
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(match[2]) - 1, column - 1
