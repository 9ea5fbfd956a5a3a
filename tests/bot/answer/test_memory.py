"""Session, questionnaire and follow-ups: pure functions by their values."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.answer import questionnaire
from bot.answer.rewrite import is_follow_up, rewrite
from bot.answer.session import Memory, pruned, session
from bot.config.settings import QuestionnaireItem

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def turn(number: int, minutes_before: float) -> Memory:
    return Memory(f"question {number}", f"question {number}", "answer", NOON - timedelta(minutes=minutes_before))


def test_a_session_ends_with_a_silence_longer_than_the_timeout() -> None:
    turns = [turn(1, 60), turn(2, 50), turn(3, 15), turn(4, 2)]
    assert [memory.question for memory in session(turns, NOON, 1200)] == ["question 3", "question 4"]
    assert session(turns, NOON + timedelta(minutes=30), 1200) == []
    assert session([], NOON, 1200) == []


def test_a_silence_between_turns_counts_from_the_turn_that_follows() -> None:
    turns = [turn(1, 55), turn(2, 37), turn(3, 18)]
    assert len(session(turns, NOON, 1200)) == 3


def test_the_oldest_turns_are_dropped_first_and_turns_stay_whole() -> None:
    turns = [turn(number, 10 - number) for number in range(10)]
    assert [memory.question for memory in pruned(turns, 15)] == [f"question {number}" for number in range(3, 10)]
    assert pruned(turns, 1) == []
    assert pruned(turns, 0) == []


BOAT = QuestionnaireItem(ask="Which boat?", name="boat", kind="choice", choices=["Kayak", "Canoe"])
MAIL = QuestionnaireItem(ask="Your e-mail?", name="mail", kind="email", required=True)
AGE = QuestionnaireItem(ask="How old?", name="age", kind="number", once=False, context=False)


def test_questions_are_due_one_after_the_other() -> None:
    assert questionnaire.due([BOAT, MAIL], {}) is BOAT
    assert questionnaire.due([BOAT, MAIL], {"boat": "Kayak"}) is MAIL
    assert questionnaire.due([BOAT, MAIL], {"boat": "Kayak", "mail": ""}) is None


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        (BOAT, "canoe", ("Canoe", "")),
        (BOAT, "1", ("Kayak", "")),
        (BOAT, "3", (None, "choose")),
        (BOAT, "ship", (None, "choose")),
        (MAIL, "a@b.example", ("a@b.example", "")),
        (MAIL, "nobody", (None, "email")),
        (MAIL, "skip", (None, "required")),
        (AGE, "I am 34", ("34", "")),
        (AGE, "old", (None, "number")),
        (AGE, "skip", ("", "")),
    ],
)
def test_answers_are_judged_by_their_kind(
    question: QuestionnaireItem, text: str, expected: tuple[str | None, str]
) -> None:
    assert questionnaire.judged(question, text) == expected


def test_a_new_session_forgets_what_is_asked_every_time() -> None:
    answers = {"boat": "Kayak", "age": "34"}
    assert questionnaire.forgotten([BOAT, AGE], answers) == {"boat": "Kayak"}


def test_only_answers_for_the_model_are_replayed_and_skipped_ones_are_not() -> None:
    assert questionnaire.replayed([BOAT, MAIL, AGE], {"boat": "Kayak", "mail": "", "age": "3"}) == [
        ("Which boat?", "Kayak")
    ]


@pytest.mark.parametrize(
    "text", ["and for two people?", "und für zwei?", "¿y para dos?", "how much is it?", "what about Sunday?"]
)
def test_follow_ups_are_recognised(text: str) -> None:
    assert is_follow_up(text)


@pytest.mark.parametrize(
    "text",
    [
        "How much is the Seal Bay tour?",
        "Gibt es bei euch Surfkurse?",
        "Is there parking near the quay?",
        "Do you have wifi?",
    ],
)
def test_questions_that_stand_alone_are_left_alone(text: str) -> None:
    assert not is_follow_up(text)


async def test_without_a_model_a_follow_up_is_joined_with_the_question_before() -> None:
    before = Memory("And on Sunday?", "When do you open on Sunday?", "At nine.", NOON)
    assert await rewrite("and in winter?", [before], None) == "When do you open on Sunday? and in winter?"
    assert await rewrite("and in winter?", [], None) == "and in winter?"
