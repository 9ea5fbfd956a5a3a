"""The language of a text."""

from __future__ import annotations

import pytest

from retrieval.text.language import detect


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What does it cost to hire a boat?", "en"),
        ("Was kostet ein Boot?", "de"),
        ("¿Cuánto cuesta un barco?", "es"),
        ("Quels sont vos horaires ?", "fr"),
        ("東京へ行きたいです", "ja"),
        ("世界上最高的山是哪座", "zh"),
        ("얼마예요?", "ko"),
        ("Сколько стоит лодка?", "ru"),
        ("Скільки коштує човен і де її взяти?", "uk"),
        ("كم سعر القارب؟", "ar"),
        ("Πόσο κοστίζει;", "el"),
        ("Wie lange dauert die Fahrt zum Leuchtturm und zurück, und was sollen wir dafür mitbringen?", "de"),
    ],
)
def test_the_language_of_a_question_is_told(text: str, language: str) -> None:
    assert detect(text) == language


def test_a_hint_decides_where_the_text_does_not() -> None:
    assert detect("ok", hint="de-AT") == "de"
    assert detect("42", among=["es", "de"]) == "es"
    assert detect("42") == "en"
    assert detect("قیمت قایق چند است؟", hint="fa") == "fa"
