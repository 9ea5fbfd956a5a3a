"""The figure that a question asks for."""

from __future__ import annotations

import pytest

from retrieval.search.intent import expected_figure


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
    pattern = expected_figure(question)
    assert pattern is not None
    assert pattern.search(holds)
    assert not pattern.search(lacks)


def test_a_question_that_asks_for_no_figure_expects_none() -> None:
    assert expected_figure("May I bring a dog?") is None
