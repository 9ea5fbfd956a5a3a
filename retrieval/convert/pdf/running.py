"""Running heads and feet: what stands in the same place of most pages, whatever its page number."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from retrieval.convert.pdf.line import Line, rows_of

SAME_PLACE = 4.0
"""Points within which lines stand at the same height of their pages."""
EDGE_ROWS = 3
NUMBER = re.compile(r"\d+|\b[ivxl]+\b")
CONTACT = re.compile(r"\S@\S+\.\w|\bwww\.|https?://|(?:\d[\s()/-]*){9,}")
"""A mail address, a website or a telephone number."""
ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50}


def without_running_heads(pages: Sequence[list[Line]]) -> tuple[list[list[Line]], list[str]]:
    """The pages without them; and of what was taken away the texts that hold contact details, once each."""
    letters = Counter[float]()
    for line in (line for page in pages for line in page):
        letters[line.size] += len(line.text)
    body = max(letters, key=lambda size: letters[size], default=10.0)
    groups: dict[str, list[tuple[int, Line]]] = {}
    for number, page in enumerate(pages):
        for line in _edge(page):
            groups.setdefault(NUMBER.sub("#", line.text.lower()), []).append((number, line))
    taken: set[int] = set()
    kept: dict[str, None] = {}
    for group in groups.values():
        for running in _runs(group, len(pages), body):
            taken.update(id(line) for _, line in running)
            kept.update({line.marked: None for _, line in running if CONTACT.search(line.marked)})
    return [[line for line in page if id(line) not in taken] for page in pages], list(kept)


def _edge(page: Sequence[Line]) -> list[Line]:
    rows = rows_of([line for line in page if not line.block])
    return [line for row in [*rows[:EDGE_ROWS], *rows[EDGE_ROWS:][-EDGE_ROWS:]] for line in row]


def _runs(group: list[tuple[int, Line]], pages: int, body: float) -> list[list[tuple[int, Line]]]:
    """The lines of one wording that stand at one height of enough pages."""
    places: list[list[tuple[int, Line]]] = []
    for number, line in sorted(group, key=lambda item: (item[1].top, item[0])):
        if places and line.top - places[-1][-1][1].top < SAME_PLACE:
            places[-1].append((number, line))
        else:
            places.append([(number, line)])
    return [place for place in places if _is_running(place, pages, body)]


def _is_running(place: list[tuple[int, Line]], pages: int, body: float) -> bool:
    """On a third of the pages (left and right may differ) or on three; its numbers are the same or count the pages.

    In large type a number that counts on is no page number: `Part 1`, `Part 2` are titles.
    """
    large = place[0][1].size > 1.3 * body and " " in place[0][1].text
    on = len({number for number, _ in place})
    if on < 2 or (on < 3 and on < 0.3 * pages):
        return False
    found = [(number, [_value(text) for text in NUMBER.findall(line.text.lower())]) for number, line in place]
    columns = list(zip(*(values for _, values in found), strict=True))
    numbers = [number for number, _ in found]
    if large and any(len(set(column)) > 1 for column in columns):
        return False
    return all(_is_steady(column, numbers) for column in columns)


def _is_steady(values: Sequence[int], pages: Sequence[int]) -> bool:
    offsets = [value - page for value, page in zip(values, pages, strict=True)]
    most = max(max(map(values.count, values)), max(map(offsets.count, offsets)))
    return most >= 0.8 * len(values)


def _value(text: str) -> int:
    if text.isdigit():
        return int(text[:9])
    digits = [ROMAN[letter] for letter in text]
    following = [*digits[1:], 0]
    return sum(-digit if digit < after else digit for digit, after in zip(digits, following, strict=True))
