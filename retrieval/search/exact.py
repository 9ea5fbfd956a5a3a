"""Exactness: the numbers, sizes and letters of a question, and whether a chunk says the same or another one.

Near-duplicates (the bracket of 40 mm and that of 50 mm) lie together for words and for vectors alike; what tells them apart is a
number with the word beside it, or a letter ("size L", "plug type C").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise

from retrieval.text.stopwords import STOPWORDS

NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
BEFORE = re.compile(r"([^\W\d_]+|[€$£¥#])[\s\-–./:*]{0,3}$")
AFTER = re.compile(r"[\s\-–*]{0,3}([^\W\d_]+|[€$£¥%°\"″])")
TARGET = re.compile(r"\]\([^()\s]{0,2000}\)")
THOUSANDS = re.compile(r"[.,](?=\d{3}(?:\D|$))")
MOST = 60
"""Numbers that are looked at in a text; letters too."""
REMEMBERED = 2048
"""Texts whose marks are kept: the same chunks are candidates again and again."""
WINDOW = 24
LITTLE = frozenset(word for code in ("de", "en", "es", "fr", "it", "nl", "pt") for word in STOPWORDS[code])
"""Words that don't say what is counted. Of few languages: what is little in one (size, Turkish for "you") counts in another."""
STEM = 6
EDGES = ".,;:!?()[]*_|\"'“”„»«"
SIZES = frozenset(("xxs", "xs", "xl", "xxl", "xxxl", "2xl", "3xl", "4xl", "5xl"))
SINGLE = frozenset("bcdfghjklmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZAEOUY")
"""Single letters that aren't words of their own; A, E, O, U and Y are, in small letters."""
UNITS = {
    alias: unit
    for unit, aliases in {
        "mm": "mm millimeter millimetre millimeters millimetres milímetros millimètres",
        "cm": "cm centimeter centimetre centimeters centimetres zentimeter centímetros centimètres",
        "m": "m meter metre meters metres metros mètres",
        "km": "km kilometer kilometre kilometers kilometres kilómetros kilomètres",
        "inch": 'inch inches zoll pulgadas pouces " ″',
        "kg": "kg kilo kilos kilogram kilograms kilogramm kilogramos kilogrammes",
        "g": "g gram grams gramm gramos grammes",
        "l": "l liter litre liters litres litros",
        "v": "v volt volts voltios",
        "w": "w watt watts vatios",
        "amp": "amp amps ampere amperes ampère ampères amperios",
        "h": "h hr hrs hour hours stunde stunden hora horas heure heures std",
        "min": "min mins minute minutes minuten minutos",
        "day": "day days tag tage tagen día días jour jours",
        "week": "week weeks woche wochen semana semanas semaine semaines",
        "month": "month months monat monate monaten mes meses mois",
        "year": "year years yr yrs jahr jahre jahren año años ans",
        "person": "person persons people personen personas personnes",
        "€": "€ eur euro euros",
        "$": "$ usd dollar dollars",
        "£": "£ gbp pound pounds pfund",
    }.items()
    for alias in aliases.split()
}
CURRENCIES = {alias: unit for alias, unit in UNITS.items() if unit in "€$£"}
"""They stand before a number as well as behind it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A number or a letter, with the words beside it; empty where there is none that says something."""

    before: str
    value: str
    after: str


@lru_cache(maxsize=REMEMBERED)
def marks(text: str, *, letters: bool = True) -> tuple[Mark, ...]:
    """The numbers of a text in Markdown, and single letters and sizes that follow a word, in one spelling."""
    text = unicodedata.normalize("NFKC", text)
    if "](" in text:
        text = TARGET.sub("]", text)
    found = [_mark(text, at.start(), at.end()) for at in islice(NUMBER.finditer(text), MOST)]
    return (*found, *islice(_letters(text), MOST)) if letters else tuple(found)


def _letters(text: str) -> Iterator[Mark]:
    for before, word in pairwise(text.split()):
        letter = word.strip(EDGES)
        if letter in SINGLE or (len(letter) <= 4 and letter.casefold() in SIZES):
            named = before.strip(EDGES)
            if named.isalpha() and (told := _word(named)):
                yield Mark(told, letter.casefold(), "")


def _mark(text: str, start: int, end: int) -> Mark:
    before = BEFORE.search(text[max(0, start - WINDOW) : start])
    after = AFTER.match(text[end : end + WINDOW])
    value = THOUSANDS.sub("", text[start:end]).replace(",", ".")
    return Mark(_named(before), value, _unit(after[1] if after else ""))


def _named(before: re.Match[str] | None) -> str:
    """The word before a number; what is written together with it (M8) counts whatever it is."""
    if before is None:
        return ""
    return _word(before[1]) or (before[1].casefold() if before.end(1) == len(before.string) else "")


def _unit(word: str) -> str:
    return UNITS.get(word.casefold()) or _word(word)


def _word(word: str) -> str:
    folded = word.casefold()
    if folded in CURRENCIES:
        return CURRENCIES[folded]
    return "" if folded in LITTLE else folded.rstrip("s")[:STEM]


def exactness(asked: Sequence[Mark], head: Collection[Mark], text: Collection[Mark]) -> float:
    """How far a chunk says what was asked, -1 to 1: the mean over the question's marks, heading and text alike.

    1: the same number beside the same word; -1: another number beside that word, and the asked one nowhere.
    """
    if not asked:
        return 0.0
    return sum(_said(mark, head) + _said(mark, text) for mark in asked) / (2 * len(asked))


def _said(asked: Mark, held: Collection[Mark]) -> float:
    same = [mark for mark in held if mark.value == asked.value]
    if any(_beside(asked, mark) for mark in same) or (same and not (asked.before or asked.after)):
        return 1.0
    if same:
        return 0.5
    return -1.0 if any(_beside(asked, mark) for mark in held) else 0.0


def _beside(asked: Mark, held: Mark) -> bool:
    """Whether both stand beside the same word: the unit decides where there is one, else the word before."""
    if asked.after and asked.after in (held.after, held.before):  # £24 and 24 £
        return True
    if asked.before and asked.before == held.after and asked.before in CURRENCIES.values():
        return True
    return bool(asked.before) and asked.before == held.before and (asked.after in ("", held.after) or not held.after)
