"""How alike two texts are, by the words they share: for twins, traps, soft 404s and the brake."""

from __future__ import annotations

import re
from collections import Counter

Bag = Counter[str]

UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f"
WORD = re.compile(rf"[{UNSPACED}]|(?:(?![{UNSPACED}])\w)+")
"""A word; in scripts without spaces a character."""
TARGET = re.compile(r"\]\([^()\s]{0,2000}\)")
FIGURE = re.compile(r"\d")
NAMES = """
january february march april may june july august september october november december
januar februar märz mai juni juli oktober dezember januari februari maart augustus
janvier février mars avril juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
jan feb mar apr jun jul aug sep sept oct nov dec
monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag
lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo
"""
CALENDAR = frozenset(NAMES.split())


def bag(text: str) -> Bag:
    """The words of a text in Markdown, without its links' targets, with how often each stands in it."""
    return Counter(WORD.findall(TARGET.sub("]", text).lower()))


def folded(words: Bag) -> Bag:
    """The same without what a calendar changes from page to page: figures, months and days."""
    return Counter({word: n for word, n in words.items() if not FIGURE.search(word) and word not in CALENDAR})


def alike(one: Bag, other: Bag, *, fold: bool = False) -> float:
    """The words that both share, as a part of the words that either has: 0 to 1."""
    if fold:
        one, other = folded(one), folded(other)
    either = (one | other).total()
    return (one & other).total() / either if either else 1.0


def kept(before: Bag, after: Bag) -> float:
    """The share of the old words that the new text still has: 0 to 1."""
    return (before & after).total() / before.total() if before else 1.0
