"""Takes away running heads and feet: what stands in the same place of many pages, but for its page number."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from retrieval.convert.pdf.line import PdfLine, rows_by_height

SAME_HEIGHT_POINTS = 4.0
"""Points by which the heights of a running head may differ between two pages; chosen by hand."""
EDGE_ROWS = 3
"""Rows at the top and at the bottom of a page that may be running heads."""
PAGE_NUMBER = re.compile(r"\d+|\b[ivxl]+\b")
CONTACT_IN_LINE = re.compile(r"\S@\S+\.\w|\bwww\.|https?://|(?:\d[\s()/-]*){9,}")
"""An e-mail address, a website or a telephone number: a visitor may ask for it, so it is kept once."""
ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50}


def without_running_heads(pages: Sequence[list[PdfLine]]) -> tuple[list[list[PdfLine]], list[str]]:
    """(The pages without running heads, the running heads with contact details, once each)."""
    letters = Counter[float]()
    for line in (line for page in pages for line in page):
        letters[line.size] += len(line.text)
    body = max(letters, key=lambda size: letters[size], default=10.0)
    groups: dict[str, list[tuple[int, PdfLine]]] = {}
    for number, page in enumerate(pages):
        for line in _lines_at_edges(page):
            groups.setdefault(PAGE_NUMBER.sub("#", line.text.lower()), []).append((number, line))
    taken: set[int] = set()
    contacts: dict[str, None] = {}
    for group in groups.values():
        for running in _running_lines(group, len(pages), body):
            taken.update(id(line) for _, line in running)
            contacts.update({line.markdown: None for _, line in running if CONTACT_IN_LINE.search(line.markdown)})
    return [[line for line in page if id(line) not in taken] for page in pages], list(contacts)


def _lines_at_edges(page: Sequence[PdfLine]) -> list[PdfLine]:
    """The lines of the first and of the last rows of a page."""
    rows = rows_by_height([line for line in page if not line.block])
    return [line for row in [*rows[:EDGE_ROWS], *rows[EDGE_ROWS:][-EDGE_ROWS:]] for line in row]


def _running_lines(group: list[tuple[int, PdfLine]], pages: int, body: float) -> list[list[tuple[int, PdfLine]]]:
    """Of (page, line) pairs with one wording those that stand at one height of enough pages, as groups."""
    heights: list[list[tuple[int, PdfLine]]] = []
    for number, line in sorted(group, key=lambda item: (item[1].top, item[0])):
        if heights and line.top - heights[-1][-1][1].top < SAME_HEIGHT_POINTS:
            heights[-1].append((number, line))
        else:
            heights.append([(number, line)])
    return [lines for lines in heights if _is_running(lines, pages, body)]


def _is_running(lines: list[tuple[int, PdfLine]], pages: int, body: float) -> bool:
    """Whether lines of one wording at one height are a running head.

    They stand on three pages or on 30 % of all (left and right ones may differ), and their numbers are the same or count
    the pages. In large type (`body`: the type size of the text) a number that counts is no page number: `Part 1` and
    `Part 2` are titles (test_titles_that_count_on_are_no_running_heads).
    """
    large = lines[0][1].size > 1.3 * body and " " in lines[0][1].text
    on = len({number for number, _ in lines})
    if on < 2 or (on < 3 and on < 0.3 * pages):
        return False
    numbered = [(page, [_number_of(text) for text in PAGE_NUMBER.findall(line.text.lower())]) for page, line in lines]
    columns = list(zip(*(values for _, values in numbered), strict=True))
    numbers = [page for page, _ in numbered]
    if large and any(len(set(column)) > 1 for column in columns):
        return False
    return all(_is_steady(column, numbers) for column in columns)


def _is_steady(values: Sequence[int], pages: Sequence[int]) -> bool:
    """Whether a number is the same on 80 % of the pages, or as far from the page's own number."""
    offsets = [value - page for value, page in zip(values, pages, strict=True)]
    most = max(max(map(values.count, values)), max(map(offsets.count, offsets)))
    return most >= 0.8 * len(values)


def _number_of(text: str) -> int:
    """The value of Arabic or Roman digits."""
    if text.isdigit():
        return int(text[:9])
    digits = [ROMAN_DIGITS[letter] for letter in text]
    following = [*digits[1:], 0]
    return sum(-digit if digit < after else digit for digit, after in zip(digits, following, strict=True))
