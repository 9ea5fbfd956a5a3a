"""Reads spreadsheets (XLSX): each visible sheet a heading with its tables, values as the reader sees them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from retrieval.convert.office.figures import BUILT_IN_FORMATS, formatted
from retrieval.convert.office.package import Package, opened
from retrieval.convert.office.pairs import are_questions, write_pairs
from retrieval.convert.office.records import MOST_TABLE_CELLS, TooWideError, trimmed, write_records
from retrieval.convert.office.relations import relations
from retrieval.convert.office.text import name_of
from retrieval.convert.office.writing import BlockWriter, linked, one_line
from retrieval.convert.office.xml import child, children, parse_xml
from retrieval.document import Document
from retrieval.errors import ConvertError
from retrieval.text.language import detect

MOST_WORKBOOK_CELLS = 500_000
"""Cells with text of one workbook; chosen by hand."""
CELL_REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")

SheetCells = dict[tuple[int, int], str]
"""The texts of a sheet's cells by (row, column), counted from 0."""


def convert_xlsx(
    body: bytes,
    url: str,
    *,
    most_cells: int = MOST_WORKBOOK_CELLS,
    most_table_cells: int = MOST_TABLE_CELLS,
) -> Document:
    """All visible sheets; raises ConvertError for a file that isn't a workbook, or one that is too large.

    `most_cells`: of the workbook; `most_table_cells`: of one table, empty ones counted.
    """
    with opened(body, url, "an Excel workbook") as package:
        name = next((at for kind, at in relations(package, "", url).values() if kind == "officeDocument"), "")
        if name not in package:
            raise ConvertError("can't be read as an Excel workbook; save it as .xlsx and add it again", about=url)
        book = _Workbook(package, name, url, most_cells)
        blocks = BlockWriter()
        for title, sheet in book.sheets():
            blocks.heading(2, title)
            grid = book.grid(sheet)
            try:
                _write_sheet(blocks, grid, most_table_cells)
            except TooWideError as error:
                raise ConvertError(f"holds {error}; split it and add the parts", about=url) from error
    markdown = blocks.markdown()
    return Document(url=url, title=name_of(url), markdown=markdown, language=detect(markdown))


def _write_sheet(blocks: BlockWriter, grid: SheetCells, most_table_cells: int) -> None:
    """Write the areas between empty rows: single cells are text, the others tables."""
    rows: dict[int, dict[int, str]] = {}
    for (row, column), text in grid.items():
        if text.strip():
            rows.setdefault(row, {})[column] = text
    area: list[list[str]] = []
    # only columns with text: one cell may stand far out (test_one_cell_far_out_costs_no_columns_between)
    columns = sorted({column for row in rows.values() for column in row})
    if len(columns) * len(rows) > most_table_cells:
        raise TooWideError(f"a table of {len(rows)} rows and {len(columns)} columns")
    last = -2
    for number in sorted(rows):
        if number > last + 1:
            _write_area(blocks, area, most_table_cells)
            area = []
        area.append([rows[number].get(column, "") for column in columns])
        last = number
    _write_area(blocks, area, most_table_cells)


def _write_area(blocks: BlockWriter, rows: list[list[str]], most_table_cells: int) -> None:
    """Write a table, or questions and answers; cells alone in their row above it, and long ones below it, are text."""
    while rows and sum(map(bool, rows[0])) == 1:
        blocks.paragraph("".join(rows.pop(0)))
    after: list[str] = []
    while rows and sum(map(bool, rows[-1])) == 1 and rows[-1][0] and len(rows[-1][0]) > 60:
        after.insert(0, rows.pop()[0])
    table = trimmed(rows, most_table_cells)
    if are_questions(table):
        write_pairs(blocks, table, level=3)
    else:
        write_records(blocks, table, level=3)
    for text in after:
        blocks.paragraph(text)


@dataclass(slots=True)
class _Worksheet:
    """A sheet's file in the package, and its content."""

    name: str
    root: Element


class _Workbook:
    """Reads the sheets of one workbook, whose main file is `name`."""

    def __init__(self, package: Package, name: str, url: str, most_cells: int) -> None:
        self._package, self._url, self._most_cells = package, url, most_cells
        self._root = parse_xml(package.read(name), url)
        self._parts = relations(package, name, url)
        self._texts = [_text_of_string(item) for item in children(self._part("sharedStrings"), "si")]
        self._formats = _formats(self._part("styles"))
        properties = child(self._root, "workbookPr")
        self._from_1904 = properties is not None and properties.get("date1904") in ("1", "true")
        self._cells = 0

    def _part(self, wanted: str) -> Element | None:
        name = next((at for kind, at in self._parts.values() if kind == wanted), "")
        return parse_xml(self._package.read(name), self._url) if name in self._package else None

    def sheets(self) -> Iterator[tuple[str, _Worksheet]]:
        """(Name, sheet) of the sheets that a reader sees, in order."""
        for item in children(child(self._root, "sheets"), "sheet"):
            kind, at = self._parts.get(item.get("r:id") or "", ("", ""))
            if item.get("state", "visible") == "visible" and kind == "worksheet" and at in self._package:
                yield item.get("name") or "", _Worksheet(at, parse_xml(self._package.read(at), self._url))

    def grid(self, sheet: _Worksheet) -> SheetCells:
        """The texts of a sheet; a merged cell stands in each row that it covers, but once in a row."""
        grid: SheetCells = {}
        links = self._links(sheet)
        hidden = _hidden_columns(sheet.root)
        next_row = 0
        for row in children(child(sheet.root, "sheetData"), "row"):
            number = int(row.get("r") or 0) - 1 if (row.get("r") or "").isdigit() else next_row
            next_row, column = number + 1, 0
            for cell in children(row, "c"):
                reference = _row_and_column(cell.get("r") or "")
                column = reference[1] if reference else column
                text = self._text(cell)
                if text and row.get("hidden") not in ("1", "true") and column not in hidden:
                    grid[number, column] = linked(text, links.get((number, column), ""))
                    self._count_cell()
                column += 1
        for range_ in children(child(sheet.root, "mergeCells"), "mergeCell"):
            self._merge(grid, range_.get("ref") or "")
        return grid

    def _count_cell(self) -> None:
        self._cells += 1
        if self._cells > self._most_cells:
            raise ConvertError(f"holds more than {self._most_cells} cells; split it and add the parts", about=self._url)

    def _merge(self, grid: SheetCells, reference: str) -> None:
        first, _, last = reference.partition(":")
        start, end = _row_and_column(first), _row_and_column(last)
        if start is None or end is None or start not in grid or end[0] - start[0] > 1000:
            return  # whole columns are merged for their looks
        for row in range(start[0] + 1, end[0] + 1):
            grid.setdefault((row, start[1]), grid[start])
            self._count_cell()

    def _text(self, cell: Element) -> str:
        """A cell's value as its reader sees it."""
        kind = cell.get("t") or "n"
        if kind == "inlineStr":
            return one_line(_text_of_string(child(cell, "is")))
        value = child(cell, "v")
        raw = (value.text or "") if value is not None else ""
        if kind == "s":
            return one_line(self._texts[int(raw)]) if raw.isdigit() and int(raw) < len(self._texts) else ""
        if kind == "b":
            return "TRUE" if raw == "1" else "FALSE" if raw else ""  # as the cell shows it
        if kind != "n":
            return one_line(raw)
        style = cell.get("s") or "0"
        code = self._formats[int(style)] if style.isdigit() and int(style) < len(self._formats) else ""
        try:
            return formatted(float(raw), code, from_1904=self._from_1904) if raw else ""
        except (ValueError, OverflowError):
            return raw

    def _links(self, sheet: _Worksheet) -> dict[tuple[int, int], str]:
        """The addresses that cells are linked to, by row and column."""
        targets = relations(self._package, sheet.name, self._url)
        links = {}
        for item in children(child(sheet.root, "hyperlinks"), "hyperlink"):
            cell = _row_and_column((item.get("ref") or "").partition(":")[0])
            if cell:
                links[cell] = targets.get(item.get("r:id") or "", ("", ""))[1]
        return links


def _text_of_string(item: Element | None) -> str:
    """The text of a string item; the readings that stand over Japanese words are left out."""
    if item is None:
        return ""
    parts = [item, *children(item, "r")]
    return "".join(text.text or "" for part in parts for text in children(part, "t"))


def _formats(styles: Element | None) -> list[str]:
    """The number format of each cell style, by its index."""
    own = {item.get("numFmtId"): item.get("formatCode") or "" for item in children(child(styles, "numFmts"), "numFmt")}
    formats = []
    for item in children(child(styles, "cellXfs"), "xf"):
        number = item.get("numFmtId") or "0"
        formats.append(
            own[number] if number in own else BUILT_IN_FORMATS.get(int(number) if number.isdigit() else 0, "")
        )
    return formats


def _hidden_columns(root: Element) -> set[int]:
    hidden: set[int] = set()
    for item in children(child(root, "cols"), "col"):
        if item.get("hidden") in ("1", "true"):
            first, last = int(item.get("min") or 0), int(item.get("max") or 0)
            hidden.update(range(first - 1, min(last, first + 1000)))
    return hidden


def _row_and_column(reference: str) -> tuple[int, int] | None:
    """The (row, column), from 0, of a reference such as `B12`; None for what is none."""
    match = CELL_REFERENCE.fullmatch(reference)
    if not match:
        return None
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(match[2]) - 1, column - 1
