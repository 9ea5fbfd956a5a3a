"""Reads tables with ruled lines: strokes that meet make a grid, and each word belongs to the cell that it stands in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from retrieval.convert.office.tables import has_head, markdown_table
from retrieval.convert.pdf.hyphen import join_lines
from retrieval.convert.pdf.letters import Box
from retrieval.convert.pdf.limits import PDF_LIMITS
from retrieval.convert.pdf.line import PdfLine, PdfWord, joined_line, line_of, lines_of_words, rows_by_height

TOUCH_POINTS = 3.0
"""Points by which strokes may miss each other and still meet; chosen by hand."""
MOST_GRID_CELL_CHARACTERS = 1500
"""Characters in a cell; boxes with more are a page's layout, not a table. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class RuledGrid:
    """A grid: the places `xs` and `ys` of the borders of columns and rows, and the strokes that are really drawn."""

    xs: list[float]
    ys: list[float]
    strokes: list[Box]

    def is_parted_sideways(self, x: float, y: float) -> bool:
        """Whether an upright stroke parts what stands left and right of a place."""
        return any(
            abs(left - x) <= 2 * TOUCH_POINTS and right - left < TOUCH_POINTS and top <= y <= bottom
            for left, top, right, bottom in self.strokes
        )

    def is_parted_above(self, y: float, x: float) -> bool:
        """Whether a level stroke parts what stands above and below a place."""
        return any(
            abs(top - y) <= 2 * TOUCH_POINTS and bottom - top < TOUCH_POINTS and left <= x <= right
            for left, top, right, bottom in self.strokes
        )


def take_grids(
    words: Sequence[PdfWord], edges: Sequence[Box], most_strokes: int = PDF_LIMITS.strokes
) -> tuple[list[PdfWord], list[PdfLine]]:
    """(The words outside of ruled tables, for each such table the line that stands for it); `edges`: a page's strokes."""
    outside, tables = list(words), list[PdfLine]()
    for grid in _grids(edges, most_strokes):
        inside = [word for word in outside if _holds(grid, word)]
        table = _table_in_grid(inside, grid) if len(inside) > 3 else None
        if table is not None:
            taken = {id(word) for word in inside}
            outside = [word for word in outside if id(word) not in taken]
            tables.append(table)
    return outside, tables


def _holds(grid: RuledGrid, word: PdfWord) -> bool:
    x, y = _middle(word)
    return grid.xs[0] - 1 <= x <= grid.xs[-1] + 1 and grid.ys[0] - 1 <= y <= grid.ys[-1] + 1


def _middle(word: PdfWord) -> tuple[float, float]:
    """The (x, y) of a word's middle: small letters reach 0.6 of the type size above the base line."""
    return (word.left + word.right) / 2, word.base - 0.3 * word.size


# --- strokes to grids -----------------------------------------------------------------------------------------------


def _grids(edges: Sequence[Box], most_strokes: int) -> Iterator[RuledGrid]:
    """The grids that strokes make which meet, the smallest first: of a table in a frame the table."""
    strokes = _joined_strokes(edge for edge in edges if edge[2] - edge[0] < TOUCH_POINTS) + _joined_strokes(
        edge for edge in edges if edge[3] - edge[1] < TOUCH_POINTS <= edge[2] - edge[0]
    )
    if len(strokes) > most_strokes:
        return
    grids = [_grid(group) for group in _strokes_that_meet(strokes)]
    for grid in sorted(grids, key=lambda grid: (grid.xs[-1] - grid.xs[0]) * (grid.ys[-1] - grid.ys[0])):
        if len(grid.xs) > 2 and len(grid.ys) > 2:
            yield grid


def _joined_strokes(edges: Iterable[Box]) -> list[Box]:
    """The strokes, with those joined that go on in each other."""
    level: list[Box] = []
    upright: list[Box] = []
    for edge in edges:
        wide, high = edge[2] - edge[0], edge[3] - edge[1]
        (upright if wide < TOUCH_POINTS and high >= wide else level).append(edge)
    return _joined_along(level, 1) + _joined_along(upright, 0)


def _joined_along(edges: list[Box], across: int) -> list[Box]:
    """Strokes of one direction joined; `across`: the index in a Box of the coordinate that they share, 0 (x) or 1 (y)."""
    along = 1 - across
    joined: list[Box] = []
    for edge in sorted(edges, key=lambda edge: (round(edge[across] / 2), edge[along])):
        last = joined[-1] if joined else None
        if last and abs(last[across] - edge[across]) < TOUCH_POINTS and edge[along] <= last[along + 2] + TOUCH_POINTS:
            joined[-1] = (
                min(last[0], edge[0]),
                min(last[1], edge[1]),
                max(last[2], edge[2]),
                max(last[3], edge[3]),
            )
        else:
            joined.append(edge)
    return joined


def _strokes_that_meet(strokes: list[Box]) -> list[list[Box]]:
    """Groups of strokes that meet, of five at least: four are a frame."""
    groups: list[tuple[Box, list[Box]]] = []
    for stroke in strokes:
        bounds, members = stroke, [stroke]
        apart = []
        for other_bounds, others in groups:
            if _meet(bounds, other_bounds) and any(_meet(a, b) for a in members for b in others):
                bounds = _box_around(bounds, other_bounds)
                members = members + others
            else:
                apart.append((other_bounds, others))
        groups = [*apart, (bounds, members)]
    return [members for _, members in groups if len(members) > 4]


def _meet(a: Box, b: Box) -> bool:
    return (
        a[0] <= b[2] + TOUCH_POINTS
        and b[0] <= a[2] + TOUCH_POINTS
        and a[1] <= b[3] + TOUCH_POINTS
        and b[1] <= a[3] + TOUCH_POINTS
    )


def _box_around(a: Box, b: Box) -> Box:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


def _grid(strokes: list[Box]) -> RuledGrid:
    """The grid that a group of strokes makes."""
    upright = [stroke for stroke in strokes if stroke[2] - stroke[0] < TOUCH_POINTS]
    level = [stroke for stroke in strokes if stroke[2] - stroke[0] >= TOUCH_POINTS]
    xs = [stroke[0] for stroke in upright] + [end for stroke in level for end in (stroke[0], stroke[2])]
    ys = [stroke[1] for stroke in level] + [end for stroke in upright for end in (stroke[1], stroke[3])]
    grid = RuledGrid(_border_places(xs), _border_places(ys), strokes)
    columns = [(a + b) / 2 for a, b in pairwise(grid.xs)]
    inner = [
        y for y in grid.ys[1:-1] if any(grid.is_parted_above(y, x) for x in columns)
    ]  # a mere end of strokes is no border
    return RuledGrid(grid.xs, [grid.ys[0], *inner, grid.ys[-1]], strokes)


def _border_places(values: Iterable[float]) -> list[float]:
    """The values from the smallest, without those that are next to nothing apart."""
    places: list[float] = []
    for value in sorted(values):
        if not places or value - places[-1] > 2 * TOUCH_POINTS:
            places.append(value)
    return places


# --- words to cells -------------------------------------------------------------------------------------------------


def _table_in_grid(words: list[PdfWord], grid: RuledGrid) -> PdfLine | None:
    """The line that stands for the table of words in a grid; None if they are no table."""
    words_at: dict[tuple[int, int], list[PdfWord]] = {}
    for word in words:
        x, y = _middle(word)
        words_at.setdefault((_index_between(grid.ys, y), _index_between(grid.xs, x)), []).append(word)
    regions = _regions(grid)
    if len(regions) < 0.5 * (len(grid.xs) - 1) * (len(grid.ys) - 1):
        return None  # a drawing, such as the axes and ticks of a chart
    cells: dict[tuple[int, int], list[PdfLine]] = {}
    for region in regions:
        inside = [word for place in region for word in words_at.get(place, ())]
        if sum(len(word.text) for word in inside) > MOST_GRID_CELL_CHARACTERS:
            return None
        cells[region[0]] = [
            joined_line(row) for row in rows_by_height(lines_of_words(sorted(inside, key=lambda word: word.order)))
        ]
    rows, spans = _rows_of_texts(grid, regions, cells)
    if sum(sum(bool(cell) for cell in row) >= 2 for row in rows) < max(2, 0.4 * len(rows)):
        return None  # boxes with a text each, such as a page's layout
    # a first row over all columns is the table's title: test_a_title_within_the_frame_stands_above_the_table
    caption = rows.pop(0)[0] if spans[0] == len(grid.xs) - 1 and len(rows) > 2 else ""
    heads = _bold_rows_at_top(words, grid) - bool(caption)
    text = _markdown(rows, spans[1:] if caption else spans, heads)
    line = line_of(words)
    return PdfLine(
        left=grid.xs[0],
        right=grid.xs[-1],
        top=grid.ys[0],
        bottom=grid.ys[-1],
        size=line.size,
        words=line.words,
        block=f"**{caption}**\n\n{text}" if caption else text,
    )


def _bold_rows_at_top(words: list[PdfWord], grid: RuledGrid) -> int:
    """How many rows at the top are in bold type; 0 if all are."""
    bold = [True] * (len(grid.ys) - 1)
    for word in words:
        bold[_index_between(grid.ys, _middle(word)[1])] &= word.bold
    return 0 if all(bold) else bold.index(False)


def _markdown(rows: list[list[str]], spans: list[int], heads: int) -> str:
    """The table as Markdown; its first two rows are one header where a cell of the first one spans columns.

    `spans`: for each row how many columns its widest cell spans; `heads`: how many rows at the top are bold.
    """
    both_are_heads = heads > 1 or not any(map(_has_digit, rows[0] + rows[1]))
    if len(rows) > 2 and spans and spans[0] > 1 and any(rows[1]) and both_are_heads:
        rows = [[" ".join(dict.fromkeys(filter(None, pair))) for pair in zip(*rows[:2], strict=True)], *rows[2:]]
        return markdown_table(rows)
    return markdown_table(rows, head=heads > 0 or has_head(rows))


def _has_digit(text: str) -> bool:
    return any(letter.isdigit() for letter in text)


def _index_between(places: list[float], value: float) -> int:
    """The index of the column or row between whose borders a value lies; the nearest for one outside."""
    return max(0, min(len(places) - 2, sum(place <= value for place in places) - 1))


def _regions(grid: RuledGrid) -> list[list[tuple[int, int]]]:
    """The cells of a grid as lists of the (row, column) places that each covers, the upper left one first."""
    rows, columns = len(grid.ys) - 1, len(grid.xs) - 1
    covered: set[tuple[int, int]] = set()
    regions = []
    for y in range(rows):
        for x in range(columns):
            if (y, x) in covered:
                continue
            right, down = x, y
            middle = (grid.ys[y] + grid.ys[y + 1]) / 2
            while (
                right + 1 < columns
                and (y, right + 1) not in covered
                and not grid.is_parted_sideways(grid.xs[right + 1], middle)
            ):
                right += 1
            while down + 1 < rows and not any(
                grid.is_parted_above(grid.ys[down + 1], (grid.xs[i] + grid.xs[i + 1]) / 2) for i in range(x, right + 1)
            ):
                down += 1
            region = [(j, i) for j in range(y, down + 1) for i in range(x, right + 1)]
            covered.update(region)
            regions.append(region)
    return regions


def _rows_of_texts(
    grid: RuledGrid, regions: list[list[tuple[int, int]]], cells: dict[tuple[int, int], list[PdfLine]]
) -> tuple[list[list[str]], list[int]]:
    """(The texts of the rows, for each row how many columns its widest cell spans); `cells`: lines by upper left place."""
    columns = len(grid.xs) - 1
    rows, spans = [], []
    for y in range(len(grid.ys) - 1):
        row, widest = [list[PdfLine]()] * columns, 1
        for region in (region for region in regions if region[0][0] <= y <= region[-1][0]):
            wide = region[-1][1] - region[0][1] + 1
            widest = max(widest, wide)
            for x in range(region[0][1], region[0][1] + (1 if wide == columns else wide)):
                row[x] = cells[region[0]]
        for texts in _lines_apart(row):
            rows.append([join_lines([line.markdown for line in lines]) for lines in texts])
            spans.append(widest)
    return rows, spans


def _lines_apart(row: list[list[PdfLine]]) -> list[list[list[PdfLine]]]:
    """The row, or its lines as rows: cells with three lines or more at the same heights are rows without strokes between."""
    first = row[0]
    others = [lines for lines in row[1:] if lines]
    level = [[any(abs(line.bottom - other.bottom) < 2 for other in lines) for line in first] for lines in others]
    if len(first) < 3 or not others or not all(sum(column) >= 0.8 * len(first) for column in level):
        return [row]
    borders = [-1.0, *((a.bottom + b.top) / 2 for a, b in pairwise(first)), float("inf")]
    return [
        [[line for line in lines if top <= (line.top + line.bottom) / 2 < bottom] for lines in row]
        for top, bottom in pairwise(borders)
    ]
