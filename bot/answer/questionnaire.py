"""The questionnaire: one question at a time, on every channel alike. Pure functions over the answers so far."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from bot.answer.phrases import SKIP
from bot.config import Question

EMAIL = re.compile(r"^[^@\s]+@[^@\s]+\.[^@\s]+$")
PHONE = re.compile(r"^\+?[\d\s()/.-]{6,20}$")


def due(questions: Sequence[Question], answers: Mapping[str, str]) -> Question | None:
    """The first question that has no answer yet."""
    return next((question for question in questions if question.name not in answers), None)


def judged(question: Question, text: str) -> tuple[str | None, str]:
    """The answer's value, or None and the key of the phrase that says what is wrong. A skipped answer is empty."""
    value = text.strip()
    if value.lower() in SKIP and question.kind != "choice":
        return (None, "required") if question.required else ("", "")
    checks = {"email": EMAIL, "phone": PHONE}
    if question.kind in checks:
        return (value, "") if checks[question.kind].match(value) else (None, question.kind)
    if question.kind == "number":
        number = re.search(r"-?\d+(?:[.,]\d+)?", value)
        return (number[0], "") if number else (None, "number")
    if question.kind == "choice":
        return _choice(question, value)
    return (value, "") if value else (None, "required")


def _choice(question: Question, value: str) -> tuple[str | None, str]:
    if value.isdigit() and 1 <= int(value) <= len(question.choices):
        return question.choices[int(value) - 1], ""
    named = [choice for choice in question.choices if choice.casefold() == value.casefold()]
    return (named[0], "") if named else (None, "choose")


def forgotten(questions: Sequence[Question], answers: Mapping[str, str]) -> dict[str, str]:
    """The answers that a new session keeps: those of questions asked once a conversation."""
    return {
        question.name: answers[question.name] for question in questions if question.once and question.name in answers
    }


def replayed(questions: Sequence[Question], answers: Mapping[str, str]) -> list[tuple[str, str]]:
    """Questions and answers that the model is told, in the order of the questionnaire."""
    return [
        (question.ask, answers[question.name])
        for question in questions
        if question.context and answers.get(question.name)
    ]
