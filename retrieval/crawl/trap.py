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

from retrieval.decision import Decision, Kind
from retrieval.text.likeness import Bag, without_dates

MOST_OF_PATTERN = 50
"""Addresses of one pattern that pages of that pattern may bring, before it must prove useful."""
MOST_OF_USEFUL_PATTERN = 2000
"""Addresses of one pattern at all, however much they go on telling. Chosen by hand."""
MOST_ADDRESS_CHARACTERS = 2000
"""Longer addresses are made by faults of relative links. Chosen by hand."""
LEAST_NEW_WORDS = 0.02
"""The share of a page's words that no page of its pattern had before, where a page of a calendar or a choice of filters
brings the same things in another selection; a numbered page is of use for one new word."""

DIGITS = re.compile(r"\d+")
SESSION_TOKEN = re.compile(r"^(?=.*\d)(?=.*[a-z])[a-z0-9]{12,}$|^[0-9a-f-]{32,}$", re.I)
"""A part of a path that is a session or a hash: letters with figures, or a UUID."""
DATED_PATH = re.compile(
    r"/(?:19|20|21)\d\d/\d{1,3}(?!\d)|(?:19|20|21)\d\d[-/_.]?(?:0?[1-9]|1[0-2])(?!\d)|(?<!\d)(?:0?[1-9]|1[0-2])[-/_.](?:19|20|21)\d\d"
)
REPEATED_PATH = re.compile(r"((?:/[^/]+){1,3})\1\1(?:/|$)")
DATE_PARAMETER = re.compile(r"^(?:date|day|week|month|year|from|to|start|end|view_?date|cal\w*|tribe-bar-date)$", re.I)
PLAIN_PARAMETERS = {"page", "p", "pg", "paged", "id", "lang", "language", "hl", "locale", "v", "q"}
"""Parameters that number pages or choose a language: a pattern of these alone is one kind, several others are a choice of
filters."""


def pattern_of(url: str) -> str:
    """The address's kind: digits and tokens of the path as #, of the parameters the names; many parameters as one."""
    parts = urlsplit(url)
    path = "/".join("#" if SESSION_TOKEN.match(part) else DIGITS.sub("#", part) for part in parts.path.split("/"))
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    if len(set(names) - PLAIN_PARAMETERS) > 1:
        names = ["*"]
    return f"{path}?{'&'.join(names)}" if names else path


def _is_dated(url: str) -> bool:
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query)
    return bool(
        DATED_PATH.search(parts.path)
        or any(DATE_PARAMETER.match(name) or DATED_PATH.search(value) for name, value in pairs)
    )


def _endless(pattern: str) -> bool:
    return "#" in pattern or "?" in pattern


def _stem(pattern: str) -> str:
    """The pattern up to what varies; pages of one endless space share it. A pattern that can't vary has none."""
    return re.split(r"[#?]", pattern)[0] if _endless(pattern) else "\0"


class Traps:
    """What a crawl has met of each pattern."""

    def __init__(self) -> None:
        self._offered: Counter[str] = Counter()
        self._words: defaultdict[str, set[str]] = defaultdict(set)
        self._idle: Counter[str] = Counter()
        self._taken: Counter[str] = Counter()

    def known(self, url: str, *, has_document: bool) -> None:
        """Count an address that an earlier crawl had taken in, or left out."""
        pattern = pattern_of(url)
        if _endless(pattern):
            self._offered[pattern] += 1
            self._taken[pattern] += 1
            self._idle[pattern] += not has_document or _is_dated(url)

    def why(self, url: str, referrer: str) -> Decision | None:
        """What is decided on an address found on `referrer` that looks like part of an endless space; None when it doesn't."""
        if len(url) > MOST_ADDRESS_CHARACTERS:
            return Decision(Kind.TOO_LONG, detail=str(MOST_ADDRESS_CHARACTERS))
        if REPEATED_PATH.search(urlsplit(url).path):
            return Decision(Kind.REPEATING)
        pattern = pattern_of(url)
        if not _endless(pattern) or not referrer or _stem(pattern_of(referrer)) != _stem(pattern):
            return None
        self._offered[pattern] += 1
        if self._offered[pattern] <= MOST_OF_PATTERN or self._is_useful(pattern):
            return None
        return Decision(Kind.ENDLESS, pattern, str(MOST_OF_PATTERN))

    def _is_useful(self, pattern: str) -> bool:
        if self._offered[pattern] > MOST_OF_USEFUL_PATTERN:
            return False
        return self._taken[pattern] > 0 and self._idle[pattern] * 2 < self._taken[pattern]

    def judged(self, url: str, bag: Bag | None) -> None:
        """Count a page that was fetched: its words, or None when it was left out."""
        pattern = pattern_of(url)
        if not _endless(pattern):
            return
        self._taken[pattern] += 1
        selects = pattern.endswith("*") or _is_dated(url)
        words = set(without_dates(bag) if bag and selects else bag or ())
        new = len(words - self._words[pattern])
        least = LEAST_NEW_WORDS * len(words) if selects else 0
        self._idle[pattern] += new <= least
        self._words[pattern] |= words


def notice(decisions: Iterable[Decision]) -> str:
    """The patterns that were cut, the largest first, as a sentence for the report; empty when none was."""
    cut = Counter(decision.target for decision in decisions if decision.kind is Kind.ENDLESS)
    patterns = ", ".join(f"{pattern} ({count} left out)" for pattern, count in cut.most_common(5))
    return f"looks endless and was cut: {patterns}" if patterns else ""
