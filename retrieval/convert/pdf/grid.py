"""Tables with ruled lines: the strokes that meet make a grid, and each word belongs to the cell it stands in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from retrieval.convert.office.tables import has_head, markdown_table
from retrieval.convert.pdf.hyphen import join_lines
from retrieval.convert.pdf.letters import Box
from retrieval.convert.pdf.line import Line, Word, joined, line_of, lines_of, rows_of

TOUCH = 3.0
"""Points within which strokes meet."""
MOST_STROKES = 1500
"""A page with more is a drawing."""
MOST_LETTERS = 1500
"""Letters in a cell; boxes with more are a page's layout, not a table."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The borders of a table's columns and rows, and the strokes that are really there."""

    xs: list[float]
    ys: list[float]
    strokes: list[Box]

    def upright(self, x: float, y: float) -> bool:
        """Whether a stroke parts what stands left and right of a place."""
        return any(
            abs(left - x) <= 2 * TOUCH and right - left < TOUCH and top <= y <= bottom
            for left, top, right, bottom in self.strokes
        )

    def level(self, y: float, x: float) -> bool:
        """Whether a stroke parts what stands above and below a place."""
        return any(
            abs(top - y) <= 2 * TOUCH and bottom - top < TOUCH and left <= x <= right
            for left, top, right, bottom in self.strokes
        )


def take_grids(words: Sequence[Word], edges: Sequence[Box]) -> tuple[list[Word], list[Line]]:
    """The words outside of ruled tables, and a block for each table."""
    left, blocks = list(words), list[Line]()
    for grid in _grids(edges):
        inside = [word for word in left if _holds(grid, word)]
        block = _block(inside, grid) if len(inside) > 3 else None
        if block is not None:
            taken = {id(word) for word in inside}
            left = [word for word in left if id(word) not in taken]
            blocks.append(block)
    return left, blocks


def _holds(grid: Grid, word: Word) -> bool:
    x, y = _middle(word)
    return grid.xs[0] - 1 <= x <= grid.xs[-1] + 1 and grid.ys[0] - 1 <= y <= grid.ys[-1] + 1


def _middle(word: Word) -> tuple[float, float]:
    return (word.left + word.right) / 2, word.base - 0.3 * word.size


# --- strokes to grids -----------------------------------------------------------------------------------------------


def _grids(edges: Sequence[Box]) -> Iterator[Grid]:
    """Groups of strokes that meet, the smallest first: a table within a frame is the table."""
    strokes = _whole(edge for edge in edges if edge[2] - edge[0] < TOUCH) + _whole(
        edge for edge in edges if edge[3] - edge[1] < TOUCH <= edge[2] - edge[0]
    )
    if len(strokes) > MOST_STROKES:
        return
    grids = [_grid(group) for group in _groups(strokes)]
    for grid in sorted(grids, key=lambda grid: (grid.xs[-1] - grid.xs[0]) * (grid.ys[-1] - grid.ys[0])):
        if len(grid.xs) > 2 and len(grid.ys) > 2:
            yield grid


def _whole(edges: Iterable[Box]) -> list[Box]:
    """Strokes that go on in each other, as one."""
    found: list[Box] = []
    upright: list[Box] = []
    for edge in edges:
        wide, high = edge[2] - edge[0], edge[3] - edge[1]
        (upright if wide < TOUCH and high >= wide else found).append(edge)
    return _chained(found, 1) + _chained(upright, 0)


def _chained(edges: list[Box], across: int) -> list[Box]:
    along = 1 - across
    found: list[Box] = []
    for edge in sorted(edges, key=lambda edge: (round(edge[across] / 2), edge[along])):
        last = found[-1] if found else None
        if last and abs(last[across] - edge[across]) < TOUCH and edge[along] <= last[along + 2] + TOUCH:
            found[-1] = (
                min(last[0], edge[0]),
                min(last[1], edge[1]),
                max(last[2], edge[2]),
                max(last[3], edge[3]),
            )
        else:
            found.append(edge)
    return found


def _groups(strokes: list[Box]) -> list[list[Box]]:
    groups: list[tuple[Box, list[Box]]] = []
    for stroke in strokes:
        bounds, members = stroke, [stroke]
        apart = []
        for other_bounds, others in groups:
            if _meet(bounds, other_bounds) and any(_meet(a, b) for a in members for b in others):
                bounds = _around(bounds, other_bounds)
                members = members + others
            else:
                apart.append((other_bounds, others))
        groups = [*apart, (bounds, members)]
    return [members for _, members in groups if len(members) > 4]


def _meet(a: Box, b: Box) -> bool:
    return a[0] <= b[2] + TOUCH and b[0] <= a[2] + TOUCH and a[1] <= b[3] + TOUCH and b[1] <= a[3] + TOUCH


def _around(a: Box, b: Box) -> Box:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


def _grid(strokes: list[Box]) -> Grid:
    upright = [stroke for stroke in strokes if stroke[2] - stroke[0] < TOUCH]
    level = [stroke for stroke in strokes if stroke[2] - stroke[0] >= TOUCH]
    xs = [stroke[0] for stroke in upright] + [end for stroke in level for end in (stroke[0], stroke[2])]
    ys = [stroke[1] for stroke in level] + [end for stroke in upright for end in (stroke[1], stroke[3])]
    grid = Grid(_places(xs), _places(ys), strokes)
    columns = [(a + b) / 2 for a, b in pairwise(grid.xs)]
    inner = [y for y in grid.ys[1:-1] if any(grid.level(y, x) for x in columns)]  # a mere end of strokes is no border
    return Grid(grid.xs, [grid.ys[0], *inner, grid.ys[-1]], strokes)


def _places(values: Iterable[float]) -> list[float]:
    places: list[float] = []
    for value in sorted(values):
        if not places or value - places[-1] > 2 * TOUCH:
            places.append(value)
    return places


# --- words to cells -------------------------------------------------------------------------------------------------


def _block(words: list[Word], grid: Grid) -> Line | None:
    places: dict[tuple[int, int], list[Word]] = {}
    for word in words:
        x, y = _middle(word)
        places.setdefault((_index(grid.ys, y), _index(grid.xs, x)), []).append(word)
    regions = _regions(grid)
    if len(regions) < 0.5 * (len(grid.xs) - 1) * (len(grid.ys) - 1):
        return None  # a drawing, such as the axes and ticks of a chart
    cells: dict[tuple[int, int], list[Line]] = {}
    for region in regions:
        inside = [word for place in region for word in places.get(place, ())]
        if sum(len(word.text) for word in inside) > MOST_LETTERS:
            return None
        cells[region[0]] = [joined(row) for row in rows_of(lines_of(sorted(inside, key=lambda word: word.at)))]
    rows, spans = _texts(grid, regions, cells)
    if sum(sum(bool(cell) for cell in row) >= 2 for row in rows) < max(2, 0.4 * len(rows)):
        return None
    caption = rows.pop(0)[0] if spans[0] == len(grid.xs) - 1 and len(rows) > 2 else ""
    heads = _heads(words, grid) - bool(caption)
    text = _markdown(rows, spans[1:] if caption else spans, heads)
    whole = line_of(words)
    return Line(
        left=grid.xs[0],
        right=grid.xs[-1],
        top=grid.ys[0],
        bottom=grid.ys[-1],
        size=whole.size,
        words=whole.words,
        block=f"**{caption}**\n\n{text}" if caption else text,
    )


def _heads(words: list[Word], grid: Grid) -> int:
    """How many rows at the top are in bold type, if not all are."""
    bold = [True] * (len(grid.ys) - 1)
    for word in words:
        bold[_index(grid.ys, _middle(word)[1])] &= word.bold
    return 0 if all(bold) else bold.index(False)


def _markdown(rows: list[list[str]], spans: list[int], heads: int) -> str:
    """With two rows of headings where a cell of the first one spans columns."""
    plain = heads > 1 or not any(map(_has_figure, rows[0] + rows[1]))
    if len(rows) > 2 and spans and spans[0] > 1 and any(rows[1]) and plain:
        rows = [[" ".join(dict.fromkeys(filter(None, pair))) for pair in zip(*rows[:2], strict=True)], *rows[2:]]
        return markdown_table(rows)
    return markdown_table(rows, head=heads > 0 or has_head(rows))


def _has_figure(text: str) -> bool:
    return any(letter.isdigit() for letter in text)


def _index(places: list[float], value: float) -> int:
    return max(0, min(len(places) - 2, sum(place <= value for place in places) - 1))


def _regions(grid: Grid) -> list[list[tuple[int, int]]]:
    """The cells as lists of places in the grid; a cell that spans several has several."""
    rows, columns = len(grid.ys) - 1, len(grid.xs) - 1
    seen: set[tuple[int, int]] = set()
    regions = []
    for y in range(rows):
        for x in range(columns):
            if (y, x) in seen:
                continue
            right, down = x, y
            middle = (grid.ys[y] + grid.ys[y + 1]) / 2
            while right + 1 < columns and (y, right + 1) not in seen and not grid.upright(grid.xs[right + 1], middle):
                right += 1
            while down + 1 < rows and not any(
                grid.level(grid.ys[down + 1], (grid.xs[i] + grid.xs[i + 1]) / 2) for i in range(x, right + 1)
            ):
                down += 1
            region = [(j, i) for j in range(y, down + 1) for i in range(x, right + 1)]
            seen.update(region)
            regions.append(region)
    return regions


def _texts(
    grid: Grid, regions: list[list[tuple[int, int]]], cells: dict[tuple[int, int], list[Line]]
) -> tuple[list[list[str]], list[int]]:
    """The rows of texts, and for each row how many columns its widest cell spans."""
    columns = len(grid.xs) - 1
    rows, spans = [], []
    for y in range(len(grid.ys) - 1):
        row, widest = [list[Line]()] * columns, 1
        for region in (region for region in regions if region[0][0] <= y <= region[-1][0]):
            wide = region[-1][1] - region[0][1] + 1
            widest = max(widest, wide)
            for x in range(region[0][1], region[0][1] + (1 if wide == columns else wide)):
                row[x] = cells[region[0]]
        for texts in _lines_apart(row):
            rows.append([join_lines([line.marked for line in lines]) for lines in texts])
            spans.append(widest)
    return rows, spans


def _lines_apart(row: list[list[Line]]) -> list[list[list[Line]]]:
    """A row whose cells hold lines at the same heights, three and more, is several rows without strokes between."""
    first = row[0]
    others = [lines for lines in row[1:] if lines]
    level = [[any(abs(line.bottom - other.bottom) < 2 for other in lines) for line in first] for lines in others]
    if len(first) < 3 or not others or not all(sum(found) >= 0.8 * len(first) for found in level):
        return [row]
    borders = [-1.0, *((a.bottom + b.top) / 2 for a, b in pairwise(first)), float("inf")]
    return [
        [[line for line in lines if top <= (line.top + line.bottom) / 2 < bottom] for lines in row]
        for top, bottom in pairwise(borders)
    ]
