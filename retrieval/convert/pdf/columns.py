"""Reading order: the order of the file where it goes down the page, cut into columns where it jumps between them.

Most programs write a page column by column, and then their order is better than any guess. Others write row by row, across
the columns: such a stretch of lines is parted at the white strips between its columns, again and again (an XY-cut).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from retrieval.convert.pdf.aligned import find_table
from retrieval.convert.pdf.line import LEFTWARDS, Line, rows_of
from retrieval.convert.pdf.prose import is_prose

LEAST_ROWS = 3
"""Rows that must stand on both sides of a strip before it parts columns."""
LEAST_STRIP = 0.5
"""The strip's least width, as a share of the size of type."""
DEEPEST = 24

Leaf = list[Line]
"""Lines that follow each other in one column."""
Row = list[Line]


def reading_order(lines: Sequence[Line]) -> list[Leaf]:
    """The page's lines as stretches that are read one after the other."""
    leaves: list[Leaf] = []
    for stretch, in_order in _stretches(lines):
        found: list[Leaf] = []
        _cut(stretch, found, 0)
        in_order = in_order and not _is_backwards(stretch)
        leaves += [sorted(leaf, key=lambda line: line.at) if in_order else _by_place(leaf) for leaf in found]
    return leaves


def _is_backwards(lines: list[Line]) -> bool:
    """Whether many lines stand above the one before them."""
    ups = sum(b.bottom < a.bottom - 0.8 * b.size for a, b in pairwise(lines))
    return ups > max(2, 0.3 * len(lines))


def _by_place(leaf: Leaf) -> Leaf:
    return [line for row in rows_of(leaf) for line in row]


# --- stretches of the file's order ---------------------------------------------------------------------------------


def _stretches(lines: Sequence[Line]) -> list[tuple[list[Line], bool]]:
    """Runs of lines that never go up the page, and whether their order holds.

    A small step upwards is a formula or a note. Runs that lie over each other (headings that were written after all
    the text) are one stretch, read by place.
    """
    runs: list[list[Line]] = []
    for before, line in pairwise([None, *lines]):
        assert line is not None
        if before is not None and not _goes_up(runs[-1], before, line):
            runs[-1].append(line)
        else:
            runs.append([line])
    if len(runs) > max(8, 0.4 * len(lines)):
        return [(list(lines), False)]
    merged: list[tuple[list[Line], bool]] = []
    for run in runs:
        _add(merged, run, True)
    return _sorted(merged)


def _goes_up(run: list[Line], before: Line, line: Line) -> bool:
    step = before.bottom - line.bottom
    if step <= 1.2 * max(line.size, before.size):
        return False
    near = run[-4:]
    beside_them = line.left > max(other.right for other in near) or line.right < min(other.left for other in near)
    return step > 6 * line.size or beside_them


def _add(stretches: list[tuple[list[Line], bool]], run: list[Line], in_order: bool) -> None:
    """Put a run behind the others, or together with the one that it belongs to."""
    for index in range(len(stretches) - 1, max(-1, len(stretches) - 12), -1):
        other, _ = stretches[index]
        if index == len(stretches) - 1 and _is_aside(other, run):
            other += run
            return
        if _lie_over(other, run) or (index == len(stretches) - 1 and _is_one_table(other, run)):
            del stretches[index]
            _add(stretches, other + run, False)
            return
    stretches.append((run, in_order))


def _is_aside(run: list[Line], next_run: list[Line]) -> bool:
    """Whether a few lines go on where a run ends, such as the parts of a formula."""
    near = min(line.top for line in next_run) > run[-1].top - 8 * run[-1].size
    return min(len(run), len(next_run)) < LEAST_ROWS and near and _lie_over(run, next_run)


def _lie_over(a: list[Line], b: list[Line]) -> bool:
    """Whether a good part of the lines of two runs stand over each other, at the same heights and widths."""
    level_a, level_b = _level_with(a, b), _level_with(b, a)
    if not level_a or not level_b:
        return False
    left, right = min(line.left for line in level_b), max(line.right for line in level_b)
    over = sum(min(line.right, right) - max(line.left, left) > 0.5 * min(line.width, right - left) for line in level_a)
    return over > 0.4 * min(len(level_a), len(level_b))


def _level_with(a: list[Line], b: list[Line]) -> list[Line]:
    """The lines of one run that stand at the heights of the other."""
    top, bottom = min(line.top for line in b), max(line.bottom for line in b)
    return [line for line in a if top < (line.top + line.bottom) / 2 < bottom]


def _is_one_table(a: list[Line], b: list[Line]) -> bool:
    """Whether two runs side by side are columns of one table, written column by column."""
    if len(a) < 2 or len(b) < 2 or len(a) + len(b) > 400 or _bounds(a)[2] > _bounds(b)[0]:
        return False
    level = sum(any(abs(line.bottom - other.bottom) < 2 for other in a) for line in b)
    return level > 0.8 * len(b) and not is_prose(b) and _is_whole_table(a + b)


def _is_whole_table(lines: list[Line]) -> bool:
    rows = rows_of(lines)
    found = find_table(rows)
    return found is not None and found[1] - found[0] == len(rows)


def _sorted(stretches: list[tuple[list[Line], bool]]) -> list[tuple[list[Line], bool]]:
    """A stretch that stands wholly above an earlier one, over the same width, is read before it."""
    found: list[tuple[list[Line], bool]] = []
    for stretch in stretches:
        place = len(found)
        while place and _is_above(stretch[0], found[place - 1][0]):
            place -= 1
        found.insert(place, stretch)
    return found


def _is_above(a: list[Line], b: list[Line]) -> bool:
    (al, _, ar, ab), (bl, bt, br, _) = _bounds(a), _bounds(b)
    common = min(ar, br) - max(al, bl)
    return ab <= bt + 1 and common > 0.3 * min(ar - al, br - bl)


def _bounds(lines: Sequence[Line]) -> tuple[float, float, float, float]:
    return (
        min(line.left for line in lines),
        min(line.top for line in lines),
        max(line.right for line in lines),
        max(line.bottom for line in lines),
    )


# --- the cut ------------------------------------------------------------------------------------------------------


def _cut(lines: list[Line], leaves: list[Leaf], depth: int) -> None:
    rows = rows_of(lines)
    if depth >= DEEPEST or len(rows) < 2:
        leaves.append(lines)
        return
    table = find_table(rows)
    if table is not None:
        start, end, block = table
        parts = [_flat(rows[:start]), [block], _flat(rows[end:])]
    else:
        parts = _at_breaks(rows) or _columns(rows) or _bands(rows)
    if len(parts) < 2:
        leaves.append(lines)
        return
    for part in parts:
        if part:
            _cut(part, leaves, depth + 1)


def _flat(rows: Sequence[Row]) -> list[Line]:
    return [line for row in rows for line in row]


def _columns(rows: list[Row]) -> list[list[Line]]:
    """The lines left and right of the strips that no line crosses; empty when there is no such strip."""
    lines = _flat(rows)
    columns: list[list[Line]] = [[]]
    reach = float("inf")
    for line in sorted(lines, key=lambda line: line.left):
        if line.left - reach > LEAST_STRIP * line.size:
            columns.append([])
        columns[-1].append(line)
        reach = line.right if reach == float("inf") else max(reach, line.right)
    return _joined(columns)


def _joined(columns: list[list[Line]]) -> list[list[Line]]:
    """Strips beside which too little stands are no columns: what they part is put together again."""
    found = columns[:1]
    for column in columns[1:]:
        if _are_columns(found[-1], column):
            found.append(column)
        else:
            found[-1] = found[-1] + column
    if len(found) > 1 and _is_leftwards(found):
        found.reverse()
    return found if len(found) > 1 else []


def _is_leftwards(columns: list[list[Line]]) -> bool:
    """Whether the columns are in a script that is written from right to left: the right one is read first."""
    text = "".join(line.text for column in columns for line in column)
    return len(LEFTWARDS.findall(text)) > 0.4 * len(text)


def _are_columns(a: list[Line], b: list[Line]) -> bool:
    if any(line.block for line in a + b):
        return len(a) + len(b) > 2 and _share_height(a, b)
    enough = all(len(side) >= LEAST_ROWS and median(len(line.text) for line in side) >= 6 for side in (a, b))
    return enough and _share_height(a, b) and (is_prose(a) or is_prose(b) or min(len(a), len(b)) >= 2 * LEAST_ROWS)


def _share_height(a: list[Line], b: list[Line]) -> bool:
    """Whether they stand beside each other rather than one below the other."""
    (_, at, _, ab), (_, bt, _, bb) = _bounds(a), _bounds(b)
    return min(ab, bb) - max(at, bt) > 0.3 * min(ab - at, bb - bt)


def _bands(rows: list[Row]) -> list[list[Line]]:
    """What stands above columns, the columns, and what stands below them; empty when there are none."""
    best: tuple[int, int, int] = (0, 0, 0)
    for x in _strips(rows):
        for start, end in _free_rows(rows, x):
            split = sum(row[0].right <= x <= row[-1].left for row in rows[start:end])
            best = max(best, (split, start, end))
    split, start, end = best
    if split < LEAST_ROWS or end - start == len(rows):
        return []
    return [_flat(rows[:start]), _flat(rows[start:end]), _flat(rows[end:])]


def _strips(rows: Sequence[Row]) -> list[float]:
    """The places that most gaps between the lines of a row have in common."""
    gaps = [(a.right, b.left) for row in rows for a, b in pairwise(row) if b.left - a.right > LEAST_STRIP * a.size]
    events = sorted([(left, 1) for left, _ in gaps] + [(right, -1) for _, right in gaps])
    found: list[tuple[int, float]] = []
    open_gaps = 0
    for (place, step), following in pairwise([*events, (float("inf"), 0)]):
        open_gaps += step
        if step > 0 and following[1] < 0:
            found.append((open_gaps, (place + following[0]) / 2))
    return [x for count, x in sorted(found, reverse=True)[:4] if count >= LEAST_ROWS]


def _free_rows(rows: Sequence[Row], x: float) -> list[tuple[int, int]]:
    """The stretches of rows that no line crosses at x."""
    found: list[tuple[int, int]] = []
    start: int | None = None
    for index, row in enumerate(rows):
        crossed = any(line.left < x < line.right for line in row)
        if crossed and start is not None:
            found.append((start, index))
        start = None if crossed else (index if start is None else start)
    if start is not None:
        found.append((start, len(rows)))
    return found


def _at_breaks(rows: list[Row]) -> list[list[Line]]:
    """Parted above each heading that interrupts all columns."""
    places = [index for index in range(1, len(rows)) if _breaks(rows, index)]
    parts = [_flat(rows[a:b]) for a, b in pairwise([0, *places, len(rows)])]
    return parts if len(parts) > 1 and any(len(row) > 1 for row in rows) else []


def _breaks(rows: Sequence[Row], index: int) -> bool:
    """Whether a row is one line in larger type with white above it over the whole width."""
    row = rows[index]
    if len(row) != 1 or row[0].block:
        return False
    around = [line.size for other in rows[index + 1 : index + 6] for line in other]
    if not around or row[0].size < 1.15 * median(around):
        return False
    above = max((line.bottom for other in rows[max(0, index - 4) : index] for line in other), default=0.0)
    next_to = [line for other in rows[index + 1 : index + 4] for line in other if line.left > row[0].right]
    below = min((line.top for line in next_to), default=float("inf"))
    return row[0].top - above > 0.5 * row[0].size and below - above > 2.2 * row[0].size
