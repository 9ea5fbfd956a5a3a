"""Spelling of a question's words, and the figure that it asks for."""

from __future__ import annotations

import pytest

from retrieval.index.spelling import Speller
from retrieval.search.intent import expected
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
    speller = Speller({"kayak": 3, "lighthous": 2, "see": 9, "tea": 2})
    assert speller.corrected(Term(asked, (asked,))).forms == forms


def test_of_equally_near_words_the_commonest_come_first_and_identifiers_stay() -> None:
    speller = Speller({"boats": 1, "boots": 5, "bolts": 3, "bouts": 2})
    assert speller.corrected(Term("boxts", ("boxts",))).forms == ("boots", "bolts", "bouts")
    assert speller.corrected(Term("b00ts", ("b00ts",), identifier=True)).forms == ("b00ts",)


def test_short_words_are_never_corrected_since_everything_is_near_them() -> None:
    assert Speller({"long": 4, "land": 2}).corrected(Term("lang", ("lang",))).forms == ("lang",)


@pytest.mark.parametrize(
    ("question", "holds", "lacks"),
    [
        ("How much is a kayak?", "It is €25.", "Ask us."),
        ("Was kostet das?", "Es sind 9 € am Tag.", "Seit 1998."),
        ("¿Cuánto cuesta? ¿Qué precio?", "Son 12 euros", "doce"),
        ("When do you open?", "from 9:30", "soon"),
        ("What is your phone number?", "+44 1632 960000", "call us"),
        ("Your e-mail?", "quay@example.org", "write"),
        ("How heavy is the boat?", "24 kg", "light"),
        ("Wie lange dauert die Tour?", "2 Stunden", "lange"),
        ("How far is it?", "3 km", "far"),
        ("How many seats?", "two seats", "seats"),
    ],
)
def test_a_question_asks_for_a_figure_that_a_text_holds_or_not(question: str, holds: str, lacks: str) -> None:
    pattern = expected(question)
    assert pattern is not None
    assert pattern.search(holds)
    assert not pattern.search(lacks)


def test_a_question_that_asks_for_no_figure_expects_none() -> None:
    assert expected("May I bring a dog?") is None


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
