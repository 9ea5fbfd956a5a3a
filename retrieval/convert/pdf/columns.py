"""Puts a page's lines in reading order: the order of the file where it goes down the page, else cut into columns.

Most programs write a page column by column, and their order is better than any guess. Others write row by row, across the
columns: such a stretch of lines is parted at the white strips between its columns, again and again (an XY-cut). The shares in
this file were chosen by hand; test_columns.py holds the cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from retrieval.convert.pdf.aligned import find_table
from retrieval.convert.pdf.line import RIGHT_TO_LEFT_LETTER, PdfLine, PdfRow, rows_by_height
from retrieval.convert.pdf.prose import is_prose

LEAST_COLUMN_ROWS = 3
"""Rows that must stand on both sides of a white strip before it parts columns."""
LEAST_STRIP_WIDTH = 0.5
"""The least width of such a strip, in type sizes."""
MOST_CUTS = 24
"""How often a page is cut within a cut; a real one needs four or five."""

Leaf = list[PdfLine]
"""Lines that are read one after the other in one column: what can't be cut any further."""


def reading_order(lines: Sequence[PdfLine]) -> list[Leaf]:
    """A page's lines, given in the order of the file, as stretches in reading order."""
    leaves: list[Leaf] = []
    for stretch, in_order in _runs_down_the_page(lines):
        cut: list[Leaf] = []
        _cut_into_leaves(stretch, cut, 0)
        in_order = in_order and not _is_backwards(stretch)
        leaves += [sorted(leaf, key=lambda line: line.order) if in_order else _by_place(leaf) for leaf in cut]
    return leaves


def _is_backwards(lines: list[PdfLine]) -> bool:
    """Whether many lines stand above the line before them: the page was written from its end."""
    ups = sum(b.bottom < a.bottom - 0.8 * b.size for a, b in pairwise(lines))
    return ups > max(2, 0.3 * len(lines))


def _by_place(leaf: Leaf) -> Leaf:
    """The lines from the top, and from the left."""
    return [line for row in rows_by_height(leaf) for line in row]


# --- stretches of the file's order ---------------------------------------------------------------------------------


def _runs_down_the_page(lines: Sequence[PdfLine]) -> list[tuple[list[PdfLine], bool]]:
    """The lines as (stretch, whether the file's order holds in it): a stretch is a run that never goes up the page.

    A small step upwards is a formula or a note. Runs that lie over each other, such as headings that were written after
    all the text, are one stretch and read by place.
    """
    runs: list[list[PdfLine]] = []
    for before, line in pairwise([None, *lines]):
        assert line is not None
        if before is not None and not _goes_up(runs[-1], before, line):
            runs[-1].append(line)
        else:
            runs.append([line])
    if len(runs) > max(8, 0.4 * len(lines)):  # it jumps all over the page: the order of the file means nothing
        return [(list(lines), False)]
    merged: list[tuple[list[PdfLine], bool]] = []
    for run in runs:
        _add_run(merged, run, True)
    return _sorted_by_place(merged)


def _goes_up(run: list[PdfLine], before: PdfLine, line: PdfLine) -> bool:
    """Whether a line goes up the page after the line before it, and so begins a run of its own."""
    step = before.bottom - line.bottom
    if step <= 1.2 * max(line.size, before.size):
        return False  # an exponent or a note's number
    near = run[-4:]
    beside_them = line.left > max(other.right for other in near) or line.right < min(other.left for other in near)
    return step > 6 * line.size or beside_them  # six lines up, or a step to the next column


def _add_run(stretches: list[tuple[list[PdfLine], bool]], run: list[PdfLine], in_order: bool) -> None:
    """Add a run behind the stretches, or to the one that it lies over or is a table with; the last twelve are looked at."""
    for index in range(len(stretches) - 1, max(-1, len(stretches) - 12), -1):
        other, _ = stretches[index]
        if index == len(stretches) - 1 and _is_part_of_formula(other, run):
            other += run
            return
        if _lie_over(other, run) or (index == len(stretches) - 1 and _is_one_table(other, run)):
            del stretches[index]
            _add_run(stretches, other + run, False)
            return
    stretches.append((run, in_order))


def _is_part_of_formula(run: list[PdfLine], next_run: list[PdfLine]) -> bool:
    """Whether a run of a few lines goes on where another one ends, as the parts of a formula do."""
    near = min(line.top for line in next_run) > run[-1].top - 8 * run[-1].size
    return min(len(run), len(next_run)) < LEAST_COLUMN_ROWS and near and _lie_over(run, next_run)


def _lie_over(a: list[PdfLine], b: list[PdfLine]) -> bool:
    """Whether two runs stand in the same place: 40 % of the lines at shared heights also share their widths."""
    level_a, level_b = _level_with(a, b), _level_with(b, a)
    if not level_a or not level_b:
        return False
    left, right = min(line.left for line in level_b), max(line.right for line in level_b)
    over = sum(min(line.right, right) - max(line.left, left) > 0.5 * min(line.width, right - left) for line in level_a)
    return over > 0.4 * min(len(level_a), len(level_b))


def _level_with(a: list[PdfLine], b: list[PdfLine]) -> list[PdfLine]:
    """The lines of run a that stand at heights which run b has lines at."""
    top, bottom = min(line.top for line in b), max(line.bottom for line in b)
    return [line for line in a if top < (line.top + line.bottom) / 2 < bottom]


def _is_one_table(a: list[PdfLine], b: list[PdfLine]) -> bool:
    """Whether two runs side by side are columns of one table that was written column by column."""
    if len(a) < 2 or len(b) < 2 or len(a) + len(b) > 400 or _bounds(a)[2] > _bounds(b)[0]:
        return False
    level = sum(any(abs(line.bottom - other.bottom) < 2 for other in a) for line in b)
    return level > 0.8 * len(b) and not is_prose(b) and _is_whole_table(a + b)


def _is_whole_table(lines: list[PdfLine]) -> bool:
    rows = rows_by_height(lines)
    table = find_table(rows)
    return table is not None and table[1] - table[0] == len(rows)


def _sorted_by_place(stretches: list[tuple[list[PdfLine], bool]]) -> list[tuple[list[PdfLine], bool]]:
    """The stretches, each before those that it stands wholly above, over the same width."""
    ordered: list[tuple[list[PdfLine], bool]] = []
    for stretch in stretches:
        at = len(ordered)
        while at and _is_above(stretch[0], ordered[at - 1][0]):
            at -= 1
        ordered.insert(at, stretch)
    return ordered


def _is_above(a: list[PdfLine], b: list[PdfLine]) -> bool:
    (al, _, ar, ab), (bl, bt, br, _) = _bounds(a), _bounds(b)
    common = min(ar, br) - max(al, bl)
    return ab <= bt + 1 and common > 0.3 * min(ar - al, br - bl)


def _bounds(lines: Sequence[PdfLine]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of all lines together."""
    return (
        min(line.left for line in lines),
        min(line.top for line in lines),
        max(line.right for line in lines),
        max(line.bottom for line in lines),
    )


# --- the cut ------------------------------------------------------------------------------------------------------


def _cut_into_leaves(lines: list[PdfLine], leaves: list[Leaf], depth: int) -> None:
    """Append the lines to `leaves`, cut at tables, headings over all columns, columns, and above and below columns."""
    rows = rows_by_height(lines)
    if depth >= MOST_CUTS or len(rows) < 2:
        leaves.append(lines)
        return
    table = find_table(rows)
    if table is not None:
        start, end, block = table
        parts = [_lines_of_rows(rows[:start]), [block], _lines_of_rows(rows[end:])]
    else:
        parts = _parted_at_headings(rows) or _columns(rows) or _bands(rows)
    if len(parts) < 2:
        leaves.append(lines)
        return
    for part in parts:
        if part:
            _cut_into_leaves(part, leaves, depth + 1)


def _lines_of_rows(rows: Sequence[PdfRow]) -> list[PdfLine]:
    return [line for row in rows for line in row]


def _columns(rows: list[PdfRow]) -> list[list[PdfLine]]:
    """The lines as columns that are parted by strips which no line crosses; empty without such a strip."""
    lines = _lines_of_rows(rows)
    columns: list[list[PdfLine]] = [[]]
    reach = float("inf")
    for line in sorted(lines, key=lambda line: line.left):
        if line.left - reach > LEAST_STRIP_WIDTH * line.size:
            columns.append([])
        columns[-1].append(line)
        reach = line.right if reach == float("inf") else max(reach, line.right)
    return _columns_joined(columns)


def _columns_joined(columns: list[list[PdfLine]]) -> list[list[PdfLine]]:
    """The columns, with those joined that are none: too little stands beside the strip. From right to left for such scripts."""
    joined = columns[:1]
    for column in columns[1:]:
        if _are_columns(joined[-1], column):
            joined.append(column)
        else:
            joined[-1] = joined[-1] + column
    if len(joined) > 1 and _is_right_to_left(joined):
        joined.reverse()
    return joined if len(joined) > 1 else []


def _is_right_to_left(columns: list[list[PdfLine]]) -> bool:
    """Whether columns are in a script that is written from right to left, so that the right one is read first."""
    text = "".join(line.text for column in columns for line in column)
    return len(RIGHT_TO_LEFT_LETTER.findall(text)) > 0.4 * len(text)


def _are_columns(a: list[PdfLine], b: list[PdfLine]) -> bool:
    """Whether what stands left and right of a strip are two columns: rows enough on both sides, with text in them."""
    if any(line.block for line in a + b):
        return len(a) + len(b) > 2 and _share_height(a, b)
    # short lines on one side are labels or numbers beside their text, not a column
    enough = all(len(side) >= LEAST_COLUMN_ROWS and median(len(line.text) for line in side) >= 6 for side in (a, b))
    return (
        enough and _share_height(a, b) and (is_prose(a) or is_prose(b) or min(len(a), len(b)) >= 2 * LEAST_COLUMN_ROWS)
    )


def _share_height(a: list[PdfLine], b: list[PdfLine]) -> bool:
    """Whether two groups stand beside each other rather than one below the other."""
    (_, at, _, ab), (_, bt, _, bb) = _bounds(a), _bounds(b)
    return min(ab, bb) - max(at, bt) > 0.3 * min(ab - at, bb - bt)


def _bands(rows: list[PdfRow]) -> list[list[PdfLine]]:
    """[What stands above columns, the columns, what stands below them]; empty without columns."""
    best: tuple[int, int, int] = (0, 0, 0)
    for x in _strip_places(rows):
        for start, end in _free_rows(rows, x):
            parted = sum(row[0].right <= x <= row[-1].left for row in rows[start:end])
            best = max(best, (parted, start, end))
    parted, start, end = best
    if parted < LEAST_COLUMN_ROWS or end - start == len(rows):
        return []
    return [_lines_of_rows(rows[:start]), _lines_of_rows(rows[start:end]), _lines_of_rows(rows[end:])]


def _strip_places(rows: Sequence[PdfRow]) -> list[float]:
    """The x of up to four strips that most rows have a gap at."""
    gaps = [
        (a.right, b.left) for row in rows for a, b in pairwise(row) if b.left - a.right > LEAST_STRIP_WIDTH * a.size
    ]
    events = sorted([(left, 1) for left, _ in gaps] + [(right, -1) for _, right in gaps])
    strips: list[tuple[int, float]] = []
    open_gaps = 0  # a sweep from the left: how many rows have a gap here
    for (x, step), following in pairwise([*events, (float("inf"), 0)]):
        open_gaps += step
        if step > 0 and following[1] < 0:
            strips.append((open_gaps, (x + following[0]) / 2))
    return [x for count, x in sorted(strips, reverse=True)[:4] if count >= LEAST_COLUMN_ROWS]


def _free_rows(rows: Sequence[PdfRow], x: float) -> list[tuple[int, int]]:
    """The (first, behind the last) of stretches of rows in which no line crosses x."""
    free: list[tuple[int, int]] = []
    start: int | None = None
    for index, row in enumerate(rows):
        crossed = any(line.left < x < line.right for line in row)
        if crossed and start is not None:
            free.append((start, index))
        start = None if crossed else (index if start is None else start)
    if start is not None:
        free.append((start, len(rows)))
    return free


def _parted_at_headings(rows: list[PdfRow]) -> list[list[PdfLine]]:
    """The rows parted above each heading that stands over all columns; empty without."""
    breaks = [index for index in range(1, len(rows)) if _is_heading_over_columns(rows, index)]
    parts = [_lines_of_rows(rows[a:b]) for a, b in pairwise([0, *breaks, len(rows)])]
    return parts if len(parts) > 1 and any(len(row) > 1 for row in rows) else []


def _is_heading_over_columns(rows: Sequence[PdfRow], index: int) -> bool:
    """Whether a row is a single line in larger type, with white space above it over the whole width."""
    row = rows[index]
    if len(row) != 1 or row[0].block:
        return False
    around = [line.size for other in rows[index + 1 : index + 6] for line in other]
    if not around or row[0].size < 1.15 * median(around):  # no larger than what follows
        return False
    above = max((line.bottom for other in rows[max(0, index - 4) : index] for line in other), default=0.0)
    next_to = [line for other in rows[index + 1 : index + 4] for line in other if line.left > row[0].right]
    below = min((line.top for line in next_to), default=float("inf"))
    return row[0].top - above > 0.5 * row[0].size and below - above > 2.2 * row[0].size
