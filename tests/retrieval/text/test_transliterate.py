"""Words in the letters of other scripts."""

from __future__ import annotations

import pytest

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
