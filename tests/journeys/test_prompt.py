"""What the model is told, turn by turn: in which order, and what is left out again."""

from __future__ import annotations

import re
from typing import Any

from retrieval.text.tokens import count
from tests.journeys.asking import DOGS, HOURS, PRICE, Asking, asking
from tests.journeys.house import House
from tests.journeys.test_model import honest
from tests.standins.fake_model import context_of, status

QUESTIONNAIRE = """
[[questionnaire]]
ask = "What is your name?"
name = "name"
[[questionnaire]]
ask = "Which boat do you have in mind?"
name = "boat"
kind = "choice"
choices = ["Single", "Double"]
[[questionnaire]]
ask = "Which e-mail address may we use?"
name = "email"
kind = "email"
context = false
"""
INSTRUCTION = "You are the boathouse. Be brief."
BOT = f"[conversation]\nmax_session_items = 4\nsession_timeout = 600\n{QUESTIONNAIRE}"


def shape(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Role and text of each message; the context's text is cut to its first word."""
    return [
        (item["role"], "<context>" if "<source" in item["content"] else item["content"].partition("\n")[0])
        for item in messages
    ]


async def answer_questionnaire(chat: Asking) -> None:
    """The visitor's first question waits until the three are answered."""
    assert (await chat.ask(PRICE)).text == "What is your name?"
    assert (await chat.ask("Ann")).choices == ("Single", "Double")
    assert (await chat.ask("2")).text == "Which e-mail address may we use?"


async def test_the_prompt_is_instruction_answers_context_history_question(house: House) -> None:
    async with asking(house, honest, QUESTIONNAIRE) as chat:
        await answer_questionnaire(chat)
        first = await chat.ask("ann@example.org")
        second = await chat.ask(HOURS)
        await chat.ask(DOGS)
    assert first.text == "By the page, it is £24. [1]"
    *_, third = chat.model.asked
    instruction = chat.model.asked[0][0]
    assert instruction["role"] == "system"
    assert "Harbour Kayaks" in instruction["content"]
    assert shape(third)[1:] == [
        ("assistant", "What is your name?"),
        ("user", "Ann"),
        ("assistant", "Which boat do you have in mind?"),
        ("user", "Double"),
        ("system", "<context>"),
        ("user", PRICE),
        ("assistant", first.text),
        ("user", HOURS),
        ("assistant", second.text),
        ("user", DOGS),
    ]
    assert all("ann@example.org" not in str(messages) for messages in chat.model.asked)


async def test_the_context_is_this_turns_alone(house: House) -> None:
    async with asking(house, honest) as chat:
        await chat.ask(PRICE)
        await chat.ask(DOGS)
    first, second = chat.model.asked
    assert "A single kayak costs £24" in context_of(first)
    for messages in (first, second):
        assert sum("<source" in str(item["content"]) for item in messages) == 1
    assert "buoyancy vest" in context_of(second)
    outside = [str(item["content"]) for item in second if "<source" not in str(item["content"])]
    assert not any("double kayak for two people costs" in text for text in outside)


async def test_the_context_keeps_its_budget(house: House) -> None:
    async with asking(house, honest, "[split]\nchunk_tokens = 40\n") as chat:
        await chat.ask(PRICE)
        turn = await chat.turn()
    told = re.findall(r"<source [^>]*>\n(.*?)\n</source>", context_of(chat.model.asked[0]), re.S)
    assert turn["context_tokens"] == sum(count(text) for text in told) <= 2000


async def test_only_the_newest_turns_of_the_session_are_told(house: House) -> None:
    async with asking(house, honest, BOT.replace(QUESTIONNAIRE, "")) as chat:
        for question in (PRICE, HOURS, DOGS, PRICE):
            await chat.ask(question)
    asked = [text for role, text in shape(chat.model.asked[-1]) if role == "user"]
    assert asked == [HOURS, DOGS, PRICE]


async def test_a_session_ends_by_silence(house: House) -> None:
    async with asking(house, honest) as chat:
        await chat.ask(PRICE)
        async with chat.bot.db.write() as tx:
            await tx.run("UPDATE turns SET ended_at = '2020-01-01T00:00:00.000+00:00'")
        await chat.ask(HOURS)
    assert [text for role, text in shape(chat.model.asked[-1]) if role == "user"] == [HOURS]


async def test_a_question_without_an_answer_is_remembered_and_a_failed_one_is_not(house: House) -> None:
    async with asking(house, honest) as chat:
        unanswered = await chat.ask("Do zebras sleep standing?")
        async with chat.bot.db.write() as tx:
            await tx.run("UPDATE turns SET outcome = 'failed' WHERE question = $1", PRICE)
        await chat.ask(HOURS)
    users = [text for role, text in shape(chat.model.asked[-1]) if role == "user"]
    assert unanswered.outcome == "no_answer"
    assert users == ["Do zebras sleep standing?", HOURS]


async def test_a_follow_up_is_rewritten_by_the_model_for_the_search_alone(house: House) -> None:
    def script(messages: Any) -> str:
        asked = str(messages[-1]["content"])
        return "What does a double kayak cost?" if asked.startswith("Earlier question") else honest(messages)

    async with asking(house, script) as chat:
        await chat.ask(PRICE)
        reply = await chat.ask("And for two?")
        turn = await chat.turn()
    assert turn["rewritten"] == "What does a double kayak cost?"
    assert reply.text == "By the page, it is £36. [1]"
    assert chat.model.asked[-1][-1]["content"] == "And for two?"


async def test_a_follow_up_is_joined_to_the_question_before_when_the_model_cannot_rewrite(house: House) -> None:
    async with asking(house, honest) as chat:
        await chat.ask(PRICE)
        chat.model.fail(status(500), status(500))
        await chat.ask("And for two?")
        turn = await chat.turn()
    assert turn["rewritten"] == f"{PRICE} And for two?"
    assert turn["outcome"] == "answered"
