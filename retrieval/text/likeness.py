"""How alike two texts are, by the words that they share: tells copies, endless pages and error pages, and how much was lost."""

from __future__ import annotations

import re
from collections import Counter

Bag = Counter[str]

UNSPACED_LETTERS = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f"
WORD_OR_LETTER = re.compile(rf"[{UNSPACED_LETTERS}]|(?:(?![{UNSPACED_LETTERS}])\w)+")
"""A word; in scripts without spaces a single letter."""
# Addresses differ where the pages are the same: they count for nothing.
LINK_TARGET = re.compile(r"\]\([^()\s]{0,2000}\)")
DIGIT = re.compile(r"\d")
CALENDAR_NAMES = """
january february march april may june july august september october november december
januar februar märz mai juni juli oktober dezember januari februari maart augustus
janvier février mars avril juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
jan feb mar apr jun jul aug sep sept oct nov dec
monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag
lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo
"""
CALENDAR = frozenset(CALENDAR_NAMES.split())
"""Names of months and days in six languages, lower case."""


def bag(text: str) -> Bag:
    """How often each word stands in a text of Markdown; the addresses of its links are not counted."""
    return Counter(WORD_OR_LETTER.findall(LINK_TARGET.sub("]", text).lower()))


def without_dates(words: Bag) -> Bag:
    """The words without figures, months and days: what differs between two pages of one calendar."""
    return Counter({word: n for word, n in words.items() if not DIGIT.search(word) and word not in CALENDAR})


def alike(one: Bag, other: Bag, *, fold: bool = False) -> float:
    """The share of words that both texts have among those that either has, counted as often as they stand: 0 to 1.

    This is the Jaccard index of two multisets; two empty texts are alike. `fold` leaves figures, months and days out.
    """
    if fold:
        one, other = without_dates(one), without_dates(other)
    either = (one | other).total()
    return (one & other).total() / either if either else 1.0


def share_kept(before: Bag, after: Bag) -> float:
    """The share of the old text's words that the new one still has: 0 to 1; 1 where the old one had none."""
    return (before & after).total() / before.total() if before else 1.0
