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

NUMBER_PATTERN = re.compile(r"\d+(?:[.,:]\d+)*")
WORD_BEFORE = re.compile(r"([^\W\d_]+|[€$£¥#])[\s\-–./:*]{0,3}$")
"""The word or sign before a number, with at most three marks between."""
WORD_AFTER = re.compile(r"[\s\-–*]{0,3}([^\W\d_]+|[€$£¥%°\"″])")
LINK_TARGET = re.compile(r"\]\([^()\s]{0,2000}\)")
"""Its numbers are an address's: test_words_and_addresses_are_no_exact_values."""
THOUSANDS_MARK = re.compile(r"[.,](?=\d{3}(?:\D|$))")
# The next four were chosen by hand. tests/retrieval/search/test_near_duplicates.py shows what they find on 200 questions; no
# command compares others.
MOST_VALUES = 60
"""Numbers that are looked at in a text; as many letters."""
CACHED_TEXTS = 2048
"""Texts whose values are kept: the same chunks are candidates again and again."""
WINDOW_LETTERS = 24
"""How far from a number the word beside it is looked for."""
STEM_LETTERS = 6
"""What is compared of a word: "version" and "versions" are one."""
STOP_WORDS = frozenset(word for code in ("de", "en", "es", "fr", "it", "nl", "pt") for word in STOPWORDS[code])
"""Words that don't say what is counted. Of few languages: a stop word of one (size, Turkish for "you") counts in another."""
EDGE_MARKS = ".,;:!?()[]*_|\"'“”„»«"
CLOTHING_SIZES = frozenset(("xxs", "xs", "xl", "xxl", "xxxl", "2xl", "3xl", "4xl", "5xl"))
SINGLE_LETTERS = frozenset("bcdfghjklmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZAEOUY")
"""Single letters that aren't words of their own; A, E, O, U and Y are, in small letters."""
UNITS_BY_ALIAS = {
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
CURRENCIES_BY_ALIAS = {alias: unit for alias, unit in UNITS_BY_ALIAS.items() if unit in "€$£"}
"""They stand before a number as well as behind it."""


@dataclass(frozen=True, slots=True)
class ExactValue:
    """A number or a letter, with the words beside it; these are empty where there is none that says something."""

    before: str
    value: str
    after: str


@lru_cache(maxsize=CACHED_TEXTS)
def exact_values(text: str, *, letters: bool = True) -> tuple[ExactValue, ...]:
    """The numbers of a text in Markdown, and with `letters` single letters and sizes that follow a word, in one spelling."""
    text = unicodedata.normalize("NFKC", text)
    if "](" in text:
        text = LINK_TARGET.sub("]", text)
    numbers = [_number(text, at.start(), at.end()) for at in islice(NUMBER_PATTERN.finditer(text), MOST_VALUES)]
    return (*numbers, *islice(_letters(text), MOST_VALUES)) if letters else tuple(numbers)


def _letters(text: str) -> Iterator[ExactValue]:
    for before, word in pairwise(text.split()):
        letter = word.strip(EDGE_MARKS)
        if letter in SINGLE_LETTERS or (len(letter) <= 4 and letter.casefold() in CLOTHING_SIZES):
            name = before.strip(EDGE_MARKS)
            if name.isalpha() and (compared := _compared(name)):
                yield ExactValue(compared, letter.casefold(), "")


def _number(text: str, start: int, end: int) -> ExactValue:
    before = WORD_BEFORE.search(text[max(0, start - WINDOW_LETTERS) : start])
    after = WORD_AFTER.match(text[end : end + WINDOW_LETTERS])
    value = THOUSANDS_MARK.sub("", text[start:end]).replace(",", ".")
    return ExactValue(_name(before), value, _unit(after[1] if after else ""))


def _name(before: re.Match[str] | None) -> str:
    """The word before a number; what is written together with it (M8) counts whatever it is."""
    if before is None:
        return ""
    return _compared(before[1]) or (before[1].casefold() if before.end(1) == len(before.string) else "")


def _unit(word: str) -> str:
    return UNITS_BY_ALIAS.get(word.casefold()) or _compared(word)


def _compared(word: str) -> str:
    """A word as it is compared: a currency's sign, else the beginning of the word; empty for a stop word."""
    folded = word.casefold()
    if folded in CURRENCIES_BY_ALIAS:
        return CURRENCIES_BY_ALIAS[folded]
    return "" if folded in STOP_WORDS else folded.rstrip("s")[:STEM_LETTERS]


def exactness(asked: Sequence[ExactValue], head: Collection[ExactValue], text: Collection[ExactValue]) -> float:
    """How far a chunk says what was asked, -1 to 1: the mean over the question's values, heading and text weighing alike.

    1: the same number beside the same word; -1: another number beside that word, and the asked one nowhere.
    """
    if not asked:
        return 0.0
    return sum(_agreement(value, head) + _agreement(value, text) for value in asked) / (2 * len(asked))


def _agreement(asked: ExactValue, said: Collection[ExactValue]) -> float:
    """1 for the value beside the same word, or where the question names none; 0.5 beside another; -1 for another value there."""
    # A chunk that names several sizes agrees where the asked one is among them.
    same = [value for value in said if value.value == asked.value]
    if any(_beside_the_same(asked, value) for value in same) or (same and not (asked.before or asked.after)):
        return 1.0
    if same:
        return 0.5
    return -1.0 if any(_beside_the_same(asked, value) for value in said) else 0.0


def _beside_the_same(asked: ExactValue, said: ExactValue) -> bool:
    """Whether both stand beside the same word: the unit decides where there is one, else the word before."""
    if asked.after and asked.after in (said.after, said.before):  # £24 and 24 £
        return True
    if asked.before and asked.before == said.after and asked.before in CURRENCIES_BY_ALIAS.values():
        return True
    return bool(asked.before) and asked.before == said.before and (asked.after in ("", said.after) or not said.after)
