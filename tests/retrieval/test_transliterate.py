"""Words in other letters: by their values, and as a visitor types them."""

from __future__ import annotations

import pytest

from retrieval.index.spelling import Speller
from retrieval.text.analyse import Term
from retrieval.text.transliterate import readings


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("тесла", "tesla"),
        ("ардуино", "arduino"),
        ("лютер", "luter"),
        ("шоколад", "shokolad"),
        ("dostavka", "доставка"),
        ("shchuka", "щука"),
        ("λούθερ", "luther"),
        ("μπράουν", "braun"),
        ("thessaloniki", "θεσσαλονικι"),
    ],
)
def test_a_word_is_read_in_other_letters(word: str, other: str) -> None:
    assert other in readings(word)


def test_scripts_without_a_table_have_no_readings() -> None:
    assert readings("東京") == ()
    assert readings("42") == ()


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
    assert Speller(vocabulary, [language]).corrected(Term(asked, (asked,))).forms == forms
