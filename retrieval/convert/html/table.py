"""HTML tables as a grid in which each cell stands in all places that it spans, and the grid as a Markdown table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from retrieval.convert.html.tree import PageNode

MOST_SPAN = 200
"""Columns or rows that a cell may claim to span; more is a mistake or a trap."""
MOST_SPANNED_PLACES = 20_000
"""Places of one table's grid from which on a cell stands in one place only: test_page.py has a table that claims millions."""
LONG_CELL_WORDS = 25
"""Words a cell, on average, above which a table without header cells is taken to place text; chosen by hand."""
ROW_GROUP_TAGS = ("thead", "tbody", "tfoot")
# Classes of icons in tables of features (fixture table_icons).
YES_NAME = re.compile(r"(^|[-_ ])(check|checkmark|tick|yes|included|available)([-_ ]|$)")
NO_NAME = re.compile(r"(^|[-_ ])(times|cross|xmark|x-mark|close|no|not-included|unavailable|minus|dash)([-_ ]|$)")


@dataclass(slots=True)
class TableCell:
    """A place in the grid; `first`: it is the upper left one of the places that the cell spans."""

    text: str
    header: bool
    first: bool = True


def rows_of(table: PageNode) -> list[PageNode]:
    """The table's own rows, not those of a table inside it; rows of `<tfoot>` last, as browsers show them."""
    rows: list[PageNode] = []
    last: list[PageNode] = []
    for child in table.elements:
        if child.tag == "tr":
            rows.append(child)
        elif child.tag in ROW_GROUP_TAGS:
            (last if child.tag == "tfoot" else rows).extend(row for row in child.elements if row.tag == "tr")
    return rows + last


def cells_of_row(row: PageNode) -> list[PageNode]:
    """The cells of a row, without what else broken markup puts there."""
    return [cell for cell in row.elements if cell.tag in ("td", "th")]


def is_layout(table: PageNode) -> bool:
    """Whether a table only places things: by its role, having one column or row, or cells that hold parts of a page."""
    if table.attrs.get("role") in ("presentation", "none"):
        return True
    rows = [cells for row in rows_of(table) if (cells := cells_of_row(row))]
    header = any(cell.tag == "th" for cells in rows for cell in cells)
    wide = max((sum(_span(cell, "colspan") for cell in cells) for cells in rows), default=0)
    if wide < 2 or (len(rows) < 2 and not header):
        return True
    if table.has(("table",)) or (not header and table.has(("h1", "h2", "h3", "form", "pre"))):
        return True
    filled = [cell for cells in rows for cell in cells if cell.size]
    words = sum(cell.size for cell in filled) / 6 / max(1, len(filled))  # 6: characters a word, with its space
    return not header and words > LONG_CELL_WORDS


def grid(table: PageNode, text: Callable[[PageNode], str]) -> list[list[TableCell]]:
    """The table as rows of cells, all of the same length; `text` writes a cell. Empty rows and columns are left out.

    Fixture table_spans.
    """
    places: dict[tuple[int, int], TableCell] = {}
    rows = rows_of(table)
    for y, row in enumerate(rows):
        in_head = row.parent is not None and row.parent.tag == "thead"
        x = 0
        for cell in cells_of_row(row):
            while (y, x) in places:
                x += 1
            value = (text(cell) if cell.size else text_of_icon(cell)) or text(cell)
            header = in_head or cell.tag == "th"
            down = _span(cell, "rowspan", len(rows) - y)
            across = _span(cell, "colspan")
            if len(places) + down * across > MOST_SPANNED_PLACES:
                down = across = 1
            for dy in range(down):
                for dx in range(across):
                    places.setdefault((y + dy, x + dx), TableCell(value, header, first=not dx and not dy))
            x += across
    width = max((x for _, x in places), default=-1) + 1
    lines = [[places.get((y, x), TableCell("", header=False)) for x in range(width)] for y in range(len(rows))]
    return _without_empty_columns([line for line in lines if any(cell.text for cell in line)])


def text_of_icon(cell: PageNode) -> str:
    """What a cell without text shows: the name of its picture, or Yes and No for ticks and crosses (fixture table_icons)."""
    for node in (cell, *cell.descendants()):
        for name in ("aria-label", "alt", "title"):
            value = node.get(name).strip()
            if 0 < len(value) < 60:
                return value if " " in value or "-" not in value else _yes_or_no(value.lower()) or value
        if sign := _yes_or_no(node.get("class").lower()):
            return sign
    return ""


def as_table(lines: list[list[TableCell]]) -> list[str]:
    """The blocks of a grid: titles in bold for rows at the top that are one cell, then the table.

    Several rows of headings become one (fixtures table_title_row, table_two_headings).
    """
    titles: list[str] = []
    while len(lines) > 1 and _spans_all(lines[0]) and not lines[0][0].header:
        titles.append(f"**{lines[0][0].text.strip('*')}**")
        lines = lines[1:]
    count = _heading_rows(lines)
    body = [
        _section_row(line) if at >= count and _spans_all(line) else [cell.text for cell in line]
        for at, line in enumerate(lines)
    ]
    text = as_markdown(body, count)
    return titles + ([text] if text else [])


def as_markdown(cells: list[list[str]], headers: int) -> str:
    """A Markdown table of rows of texts; the first `headers` of them are joined into its header, which is empty for 0."""
    rows = [row for row in cells if any(row)]
    headers = min(max(headers, 0), len(rows))
    if not rows:
        return ""
    head = [_joined_once(row[x] for row in rows[:headers]) for x in range(len(rows[0]))]
    body = [row for row in rows[headers:] if row != head or not headers]  # some pages repeat the header further down
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(_escaped(cell) for cell in line) + " |" for line in lines)


def _heading_rows(lines: list[list[TableCell]]) -> int:
    """How many rows at the top, three at most, are headings of columns."""
    count = 0
    for line in lines[:-1][:3]:
        filled = [cell for cell in line if cell.text]
        corner = not line[0].text or _spans_all(line)
        if not filled or not all(cell.header for cell in filled) or (len(filled) == 1 and not corner):
            break
        count += 1
    return count or int(_looks_like_head(lines))


def _looks_like_head(lines: list[list[TableCell]]) -> bool:
    """Whether an unmarked first row is a header: short labels, all different, bold or without numbers above rows with numbers.

    Fixture table_without_header.
    """
    if len(lines) < 3 or len(lines[0]) < 2:
        return False
    first = [cell.text for cell in lines[0]]
    if not all(first[1:]) or len(set(first)) < len(first) or any(len(text) > 60 for text in first):
        return False
    if all(text.startswith("**") for text in first if text):
        return not all(cell.text.startswith("**") for line in lines[1:] for cell in line if cell.text)
    numbers = re.compile(r"\d")
    below = any(numbers.search(cell.text) for line in lines[1:] for cell in line[1:])
    return below and not any(numbers.search(text) for text in first)


def _spans_all(line: list[TableCell]) -> bool:
    """Whether a row is one cell."""
    return len(line) > 1 and len({cell.text for cell in line}) == 1 and not any(cell.first for cell in line[1:])


def _section_row(line: list[TableCell]) -> list[str]:
    """A row that is one cell, its text once: it heads the rows under it."""
    return [line[0].text, *("" for _ in line[1:])]


def _without_empty_columns(lines: list[list[TableCell]]) -> list[list[TableCell]]:
    if not lines:
        return lines
    filled = [x for x in range(len(lines[0])) if any(line[x].text for line in lines)]
    return [[line[x] for x in filled] for line in lines]


def _yes_or_no(name: str) -> str:
    return "Yes" if YES_NAME.search(name) else "No" if NO_NAME.search(name) else ""


def _span(cell: PageNode, name: str, most: int = MOST_SPAN) -> int:
    """The number of places that an attribute claims, 1 to `most`; 0 means all that there are."""
    found = re.match(r"\s*(\d{1,6})", cell.get(name) or "1")
    count = int(found[1]) if found else 1
    return max(1, min(count or most, most))


def _joined_once(parts: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(part for part in parts if part))


def _escaped(cell: str) -> str:
    return cell if cell == "---" else re.sub(r"(?<!\\)\|", r"\\|", cell).replace("\n", " ")
