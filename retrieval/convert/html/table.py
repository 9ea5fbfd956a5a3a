"""HTML tables as a grid with spans resolved, and the grid as a Markdown table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from retrieval.convert.html.tree import Node

MOST_SPAN = 200
MOST_CELLS = 20_000
"""Places that cells may span in one table; from there on a cell stands in one place only."""
LONG_CELL = 25
"""Words a cell on average, from which a table without header cells places text rather than holds data."""
GROUPS = ("thead", "tbody", "tfoot")
YES = re.compile(r"(^|[-_ ])(check|checkmark|tick|yes|included|available)([-_ ]|$)")
NO = re.compile(r"(^|[-_ ])(times|cross|xmark|x-mark|close|no|not-included|unavailable|minus|dash)([-_ ]|$)")


@dataclass(slots=True)
class Cell:
    """A place in the grid; `first` is the place where its cell begins."""

    text: str
    header: bool
    first: bool = True


def rows_of(table: Node) -> list[Node]:
    """The table's own rows, not those of a nested one; rows of `<tfoot>` last, as they are shown."""
    rows: list[Node] = []
    last: list[Node] = []
    for child in table.elements:
        if child.tag == "tr":
            rows.append(child)
        elif child.tag in GROUPS:
            (last if child.tag == "tfoot" else rows).extend(row for row in child.elements if row.tag == "tr")
    return rows + last


def cells_of(row: Node) -> list[Node]:
    """The cells of a row."""
    return [cell for cell in row.elements if cell.tag in ("td", "th")]


def is_layout(table: Node) -> bool:
    """A table that only places things: by its role, a single column or row, or cells that hold parts of a page."""
    if table.attrs.get("role") in ("presentation", "none"):
        return True
    rows = [cells for row in rows_of(table) if (cells := cells_of(row))]
    header = any(cell.tag == "th" for cells in rows for cell in cells)
    wide = max((sum(_span(cell, "colspan") for cell in cells) for cells in rows), default=0)
    if wide < 2 or (len(rows) < 2 and not header):
        return True
    if table.has(("table",)) or (not header and table.has(("h1", "h2", "h3", "form", "pre"))):
        return True
    filled = [cell for cells in rows for cell in cells if cell.size]
    words = sum(cell.size for cell in filled) / 6 / max(1, len(filled))
    return not header and words > LONG_CELL


def grid(table: Node, text: Callable[[Node], str]) -> list[list[Cell]]:
    """The cells row by row; a cell that spans stands in every place it covers."""
    places: dict[tuple[int, int], Cell] = {}
    rows = rows_of(table)
    for y, row in enumerate(rows):
        in_head = row.parent is not None and row.parent.tag == "thead"
        x = 0
        for cell in cells_of(row):
            while (y, x) in places:
                x += 1
            value = (text(cell) if cell.size else said_by_icon(cell)) or text(cell)
            header = in_head or cell.tag == "th"
            down = _span(cell, "rowspan", len(rows) - y)
            across = _span(cell, "colspan")
            if len(places) + down * across > MOST_CELLS:
                down = across = 1
            for dy in range(down):
                for dx in range(across):
                    places.setdefault((y + dy, x + dx), Cell(value, header, first=not dx and not dy))
            x += across
    width = max((x for _, x in places), default=-1) + 1
    lines = [[places.get((y, x), Cell("", header=False)) for x in range(width)] for y in range(len(rows))]
    return _without_empty_columns([line for line in lines if any(cell.text for cell in line)])


def said_by_icon(cell: Node) -> str:
    """What a cell without text shows: its picture's name, or Yes and No for ticks and crosses."""
    for node in (cell, *cell.below()):
        for name in ("aria-label", "alt", "title"):
            value = node.get(name).strip()
            if 0 < len(value) < 60:
                return value if " " in value or "-" not in value else _yes_or_no(value.lower()) or value
        if sign := _yes_or_no(node.get("class").lower()):
            return sign
    return ""


def as_table(lines: list[list[Cell]]) -> list[str]:
    """The blocks of a grid: a row that spans everything at the top is a title, several heading rows become one."""
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
    """A Markdown table; several heading rows are joined into one, column by column; none: the head stays empty."""
    rows = [row for row in cells if any(row)]
    headers = min(max(headers, 0), len(rows))
    if not rows:
        return ""
    head = [_joined(row[x] for row in rows[:headers]) for x in range(len(rows[0]))]
    body = [row for row in rows[headers:] if row != head or not headers]  # some repeat it for small screens
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(_escaped(cell) for cell in line) + " |" for line in lines)


def _heading_rows(lines: list[list[Cell]]) -> int:
    count = 0
    for line in lines[:-1][:3]:
        filled = [cell for cell in line if cell.text]
        corner = not line[0].text or _spans_all(line)
        if not filled or not all(cell.header for cell in filled) or (len(filled) == 1 and not corner):
            break
        count += 1
    return count or int(_looks_like_head(lines))


def _looks_like_head(lines: list[list[Cell]]) -> bool:
    """A first row of short distinct labels without numbers, over rows that are marked otherwise or hold numbers."""
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


def _spans_all(line: list[Cell]) -> bool:
    return len(line) > 1 and len({cell.text for cell in line}) == 1 and not any(cell.first for cell in line[1:])


def _section_row(line: list[Cell]) -> list[str]:
    return [line[0].text, *("" for _ in line[1:])]


def _without_empty_columns(lines: list[list[Cell]]) -> list[list[Cell]]:
    if not lines:
        return lines
    kept = [x for x in range(len(lines[0])) if any(line[x].text for line in lines)]
    return [[line[x] for x in kept] for line in lines]


def _yes_or_no(name: str) -> str:
    return "Yes" if YES.search(name) else "No" if NO.search(name) else ""


def _span(cell: Node, name: str, most: int = MOST_SPAN) -> int:
    found = re.match(r"\s*(\d{1,6})", cell.get(name) or "1")
    count = int(found[1]) if found else 1
    return max(1, min(count or most, most))


def _joined(parts: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(part for part in parts if part))


def _escaped(cell: str) -> str:
    return cell if cell == "---" else re.sub(r"(?<!\\)\|", r"\\|", cell).replace("\n", " ")
