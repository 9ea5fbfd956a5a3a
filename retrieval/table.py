"""HTML tables as a grid with spans resolved, and the grid as a Markdown table."""

from __future__ import annotations

from collections.abc import Callable

from selectolax.lexbor import LexborNode

MOST_SPAN = 200


def rows_of(table: LexborNode) -> list[LexborNode]:
    """The table's own rows, not those of a nested one."""
    rows: list[LexborNode] = []
    for child in table.iter():
        if child.tag == "tr":
            rows.append(child)
        elif child.tag in ("thead", "tbody", "tfoot"):
            rows += [row for row in child.iter() if row.tag == "tr"]
    return rows


def is_layout(table: LexborNode) -> bool:
    """A table that only places things: nested tables or blocks without any header cell, or a single column."""
    rows = rows_of(table)
    if table.attributes.get("role") in ("presentation", "none"):
        return True
    if table.css_first("th") is not None:
        return False
    widths = [sum(1 for cell in row.iter() if cell.tag == "td") for row in rows]
    return max(widths, default=0) < 2 or table.css_first("table table, h1, h2, h3, ul ul, form") is not None


def grid(table: LexborNode, text: Callable[[LexborNode], str]) -> list[list[str]]:
    """The cells' texts, row by row; a cell that spans stands in every place it covers."""
    cells: dict[tuple[int, int], str] = {}
    rows = rows_of(table)
    for y, row in enumerate(rows):
        x = 0
        for cell in row.iter():
            if cell.tag not in ("td", "th"):
                continue
            while (y, x) in cells:
                x += 1
            value = text(cell)
            down, across = _span(cell, "rowspan", len(rows) - y), _span(cell, "colspan", MOST_SPAN)
            for dy in range(down):
                for dx in range(across):
                    cells.setdefault((y + dy, x + dx), value)
            x += across
    width = max((x for _, x in cells), default=-1) + 1
    return [[cells.get((y, x), "") for x in range(width)] for y in range(len(rows))]


def _span(cell: LexborNode, name: str, most: int) -> int:
    value = (cell.attributes.get(name) or "1").strip()
    count = int(value) if value.isdigit() else 1
    return max(1, min(count or most, most))


def header_rows(table: LexborNode) -> int:
    """How many rows at the top are headings: those of `<thead>`, or leading rows of `<th>` alone; at least 0."""
    count = 0
    for row in rows_of(table):
        parent = row.parent
        kinds = {cell.tag for cell in row.iter() if cell.tag in ("td", "th")}
        if not (kinds == {"th"} or (parent is not None and parent.tag == "thead")):
            break
        count += 1
    return count


def as_markdown(cells: list[list[str]], headers: int) -> str:
    """A Markdown table; several heading rows are joined into one, column by column."""
    rows = [row for row in cells if any(row)]
    headers = min(max(headers, 0), len(rows))
    if not rows:
        return ""
    head = [_joined([row[x] for row in rows[:headers]]) for x in range(len(rows[0]))] if headers else rows[0]
    body = rows[headers or 1 :]
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(_escaped(cell) for cell in line) + " |" for line in lines)


def _joined(parts: list[str]) -> str:
    return " ".join(dict.fromkeys(part for part in parts if part))


def _escaped(cell: str) -> str:
    return cell if cell == "---" else cell.replace("\\|", "|").replace("|", "\\|").replace("\n", " ")
