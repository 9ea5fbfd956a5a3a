"""The questionnaire: one question at a time, on every channel alike. Pure functions over the answers so far."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from bot.answer.phrases import SKIP
from bot.config.settings import QuestionnaireItem

EMAIL = re.compile(r"^[^@\s]+@[^@\s]+\.[^@\s]+$")
PHONE = re.compile(r"^\+?[\d\s()/.-]{6,20}$")


def due(items: Sequence[QuestionnaireItem], answers: Mapping[str, str]) -> QuestionnaireItem | None:
    """The first question that has no answer yet."""
    return next((item for item in items if item.name not in answers), None)


def judged(item: QuestionnaireItem, text: str) -> tuple[str | None, str]:
    """The answer's value, or None and the key of the phrase that says what is wrong. A skipped answer is empty."""
    value = text.strip()
    if value.lower() in SKIP and item.kind != "choice":
        return (None, "required") if item.required else ("", "")
    checks = {"email": EMAIL, "phone": PHONE}
    if item.kind in checks:
        return (value, "") if checks[item.kind].match(value) else (None, item.kind)
    if item.kind == "number":
        number = re.search(r"-?\d+(?:[.,]\d+)?", value)
        return (number[0], "") if number else (None, "number")
    if item.kind == "choice":
        return _choice(item, value)
    return (value, "") if value else (None, "required")


def _choice(item: QuestionnaireItem, value: str) -> tuple[str | None, str]:
    if value.isdigit() and 1 <= int(value) <= len(item.choices):
        return item.choices[int(value) - 1], ""
    named = [choice for choice in item.choices if choice.casefold() == value.casefold()]
    return (named[0], "") if named else (None, "choose")


def forgotten(items: Sequence[QuestionnaireItem], answers: Mapping[str, str]) -> dict[str, str]:
    """The answers that a new session keeps: those of questions asked once a conversation."""
    return {item.name: answers[item.name] for item in items if item.once and item.name in answers}


def replayed(items: Sequence[QuestionnaireItem], answers: Mapping[str, str]) -> list[tuple[str, str]]:
    """Questions and answers that the model is told, in the order of the questionnaire."""
    return [(item.ask, answers[item.name]) for item in items if item.context and answers.get(item.name)]
