"""Endless spaces: calendars, facets, session paths, paths that repeat themselves.

What makes them endless is that such pages link to ever more of their own kind. So only addresses that are found on a
page of the same kind count, by their pattern (numbers, dates and tokens folded); a pattern whose pages go on telling
something new is not cut.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from urllib.parse import parse_qsl, urlsplit

from retrieval.text.likeness import Bag, without_dates

MOST_OF_KIND = 50
"""Addresses of one pattern that pages of that pattern may bring, before it must prove useful."""
MOST_AT_ALL = 2000
MOST_LENGTH = 2000
ENDLESS = f"looks endless: more than {MOST_OF_KIND} addresses like "
LEAST_NEW = 0.02
"""The share of a page's words that no page of its pattern had before, where a page of a calendar or a choice of filters
brings the same things in another selection; a numbered page is of use for one new word."""

NUMBER = re.compile(r"\d+")
TOKEN = re.compile(r"^(?=.*\d)(?=.*[a-z])[a-z0-9]{12,}$|^[0-9a-f-]{32,}$", re.I)
DATE = re.compile(
    r"/(?:19|20|21)\d\d/\d{1,3}(?!\d)|(?:19|20|21)\d\d[-/_.]?(?:0?[1-9]|1[0-2])(?!\d)|(?<!\d)(?:0?[1-9]|1[0-2])[-/_.](?:19|20|21)\d\d"
)
REPEATED = re.compile(r"((?:/[^/]+){1,3})\1\1(?:/|$)")
DATE_NAMES = re.compile(r"^(?:date|day|week|month|year|from|to|start|end|view_?date|cal\w*|tribe-bar-date)$", re.I)
PLAIN_NAMES = {"page", "p", "pg", "paged", "id", "lang", "language", "hl", "locale", "v", "q"}


def pattern_of(url: str) -> str:
    """The address's kind: digits and tokens of the path as #, of the parameters the names; many parameters as one."""
    parts = urlsplit(url)
    path = "/".join("#" if TOKEN.match(part) else NUMBER.sub("#", part) for part in parts.path.split("/"))
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    if len(set(names) - PLAIN_NAMES) > 1:
        names = ["*"]
    return f"{path}?{'&'.join(names)}" if names else path


def _is_dated(url: str) -> bool:
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query)
    return bool(DATE.search(parts.path) or any(DATE_NAMES.match(name) or DATE.search(value) for name, value in pairs))


def _endless(pattern: str) -> bool:
    return "#" in pattern or "?" in pattern


def _stem(pattern: str) -> str:
    """The pattern up to what varies; pages of one endless space share it. A pattern that can't vary has none."""
    return re.split(r"[#?]", pattern)[0] if _endless(pattern) else "\0"


class Traps:
    """What a crawl has met of each pattern."""

    def __init__(self) -> None:
        self._offered: Counter[str] = Counter()
        self._told: defaultdict[str, set[str]] = defaultdict(set)
        self._idle: Counter[str] = Counter()
        self._taken: Counter[str] = Counter()

    def known(self, url: str, *, held: bool) -> None:
        """Count an address that an earlier crawl had taken in, or left out."""
        pattern = pattern_of(url)
        if _endless(pattern):
            self._offered[pattern] += 1
            self._taken[pattern] += 1
            self._idle[pattern] += not held or _is_dated(url)

    def why(self, url: str, referrer: str) -> str:
        """Why an address found on `referrer` looks like part of an endless space; empty when it doesn't."""
        if len(url) > MOST_LENGTH:
            return f"is longer than {MOST_LENGTH} characters"
        if REPEATED.search(urlsplit(url).path):
            return "its path repeats itself"
        pattern = pattern_of(url)
        if not _endless(pattern) or not referrer or _stem(pattern_of(referrer)) != _stem(pattern):
            return ""
        self._offered[pattern] += 1
        if self._offered[pattern] <= MOST_OF_KIND or self._is_useful(pattern):
            return ""
        return f"{ENDLESS}{pattern}"

    def _is_useful(self, pattern: str) -> bool:
        if self._offered[pattern] > MOST_AT_ALL:
            return False
        return self._taken[pattern] > 0 and self._idle[pattern] * 2 < self._taken[pattern]

    def told(self, url: str, bag: Bag | None) -> None:
        """Hear what a fetched page held: its words, or None when it was left out."""
        pattern = pattern_of(url)
        if not _endless(pattern):
            return
        self._taken[pattern] += 1
        selects = pattern.endswith("*") or _is_dated(url)
        words = set(without_dates(bag) if bag and selects else bag or ())
        new = len(words - self._told[pattern])
        least = LEAST_NEW * len(words) if selects else 0
        self._idle[pattern] += new <= least
        self._told[pattern] |= words


def notice(reasons: Iterable[str]) -> str:
    """The patterns that were cut, read off the report's reasons, as words for its note."""
    closed = Counter(reason.removeprefix(ENDLESS) for reason in reasons if reason.startswith(ENDLESS))
    found = ", ".join(f"{pattern} ({count} left out)" for pattern, count in closed.most_common(5))
    return f"looks endless and was cut: {found}" if found else ""
