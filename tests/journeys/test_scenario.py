"""One conversation, four doors, with and without a model: it goes the same way everywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser

from tests.journeys.business import ADDRESSES
from tests.journeys.clients import Opening, Visitor, in_browser, on_telegram, on_terminal, on_whatsapp
from tests.journeys.house import QUIET, House, transcript
from tests.standins.fake_model import FakeModel, Messages, source_with

STEPS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "scenario.json").read_text(encoding="utf-8"))
QUESTIONNAIRE = """
[[questionnaire]]
ask = "What would you like to do?"
name = "plan"
kind = "choice"
choices = ["Paddle myself", "Join a tour"]
[[questionnaire]]
ask = "Which e-mail address may we use?"
name = "email"
kind = "email"
required = true
"""
DOORS = [on_telegram, on_whatsapp, on_terminal]


def expected() -> list[dict[str, Any]]:
    """The conversation as the store must hold it, whatever the door."""
    turns: list[dict[str, Any]] = []
    for step in STEPS:
        if "thumb" in step:
            turns[-1]["rating"] = step["thumb"]
            continue
        turns.append(
            {
                "kind": step["kind"],
                "question": step["say"],
                "outcome": step.get("outcome", "answered"),
                "citations": [ADDRESSES[title] for title in step.get("citations", [])],
                "rating": None,
            }
        )
    return turns


async def play(visitor: Visitor) -> None:
    turns = 0
    for step in STEPS:
        if "thumb" in step:
            await visitor.thumb(step["thumb"])
            continue
        turns += 1
        seen = await visitor.say(step["say"], turns)
        for words in step.get("holds", []):
            assert words in seen, f"{words!r} is missing after {step['say']!r}: {seen}"
        for words in step.get("lacks", []):
            assert words not in seen, f"{words!r} is there after {step['say']!r}: {seen}"


def script(messages: Messages) -> str:
    """Answers the scenario's questions as a careful model would; rewrites its follow-up."""
    asked = str(messages[-1]["content"])
    if asked.startswith("Earlier question:"):
        return "How much is a kayak for two people for half a day?"
    source = source_with(messages, "£36")
    if asked == "And for two people?":
        return f"A double kayak for two people costs £36 for half a day.[{source}]"
    assert asked == "How much is a single kayak for half a day?"
    return f"A single kayak costs £24 for half a day.[{source}]"


def with_model(model: FakeModel) -> str:
    return f'{QUIET}[model]\nprovider = "openai"\nname = "stand-in"\nbase_url = "{model.url}"\n'


@pytest.mark.parametrize("door", DOORS)
async def test_without_a_model_the_conversation_goes_the_same_way_at_every_door(house: House, door: Opening) -> None:
    async with door(house, QUIET + QUESTIONNAIRE, None) as visitor:
        await play(visitor)
        assert await transcript(visitor.bot.db) == expected()


@pytest.mark.parametrize("door", DOORS)
async def test_with_a_model_the_conversation_goes_the_same_way_at_every_door(house: House, door: Opening) -> None:
    async with FakeModel(script) as model, door(house, with_model(model) + QUESTIONNAIRE, None) as visitor:
        await play(visitor)
        assert await transcript(visitor.bot.db) == expected()
    assert len(model.asked) == 2, "the model is asked only when something was found"


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_without_a_model_the_conversation_goes_the_same_way_in_a_browser(house: House, browser: Browser) -> None:
    async with in_browser(house, QUIET + QUESTIONNAIRE, browser) as visitor:
        await play(visitor)
        assert await transcript(visitor.bot.db) == expected()


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_with_a_model_the_conversation_goes_the_same_way_in_a_browser(house: House, browser: Browser) -> None:
    async with FakeModel(script) as model, in_browser(house, with_model(model) + QUESTIONNAIRE, browser) as visitor:
        await play(visitor)
        assert await transcript(visitor.bot.db) == expected()
