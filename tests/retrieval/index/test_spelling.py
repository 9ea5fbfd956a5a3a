"""Words that the corpus doesn't know: slips, and other scripts."""

from __future__ import annotations

import pytest

from retrieval.index.spelling import SpellingCorrector
from retrieval.text.analyse import Term


@pytest.mark.parametrize(
    ("asked", "forms"),
    [
        ("kayak", ("kayak",)),
        ("kajak", ("kayak",)),
        ("kaayk", ("kayak",)),
        ("lighthosue", ("lighthous",)),
        ("lihgthous", ("lighthous",)),
        ("sea", ("sea",)),
        ("zebra", ("zebra",)),
    ],
)
def test_an_unknown_word_gets_the_nearest_known_ones(asked: str, forms: tuple[str, ...]) -> None:
    spelling = SpellingCorrector({"kayak": 3, "lighthous": 2, "see": 9, "tea": 2})
    assert spelling.corrected(Term(asked, (asked,))).forms == forms


def test_of_equally_near_words_the_commonest_come_first_and_identifiers_stay() -> None:
    spelling = SpellingCorrector({"boats": 1, "boots": 5, "bolts": 3, "bouts": 2})
    assert spelling.corrected(Term("boxts", ("boxts",))).forms == ("boots", "bolts", "bouts")
    assert spelling.corrected(Term("b00ts", ("b00ts",), identifier=True)).forms == ("b00ts",)


def test_short_words_are_never_corrected_since_everything_is_near_them() -> None:
    assert SpellingCorrector({"long": 4, "land": 2}).corrected(Term("lang", ("lang",))).forms == ("lang",)


@pytest.mark.parametrize(
    ("asked", "language", "vocabulary", "forms"),
    [
        ("доставка", "en", {"dostavka": 2}, ("dostavka",)),
        ("dostavka", "ru", {"доставк": 2}, ("доставк",)),
        ("dostafka", "ru", {"доставк": 2}, ("доставк",)),
        ("тесла", "en", {"tesla": 1, "teslo": 1}, ("tesla",)),
        ("да", "en", {"da": 1}, ("да",)),
    ],
)
def test_an_unknown_word_is_looked_for_in_the_letters_of_the_pages(
    asked: str, language: str, vocabulary: dict[str, int], forms: tuple[str, ...]
) -> None:
    assert SpellingCorrector(vocabulary, [language]).corrected(Term(asked, (asked,))).forms == forms
