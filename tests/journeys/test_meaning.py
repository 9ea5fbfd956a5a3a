"""What needs the bundled model of meaning: other languages, and gaps that mean the same."""

from __future__ import annotations

from bot.desk import gaps
from tests.journeys.business import ADDRESSES
from tests.journeys.house import House, answered, transcript
from tests.journeys.scripted import Scripted, raw

HYBRID = '[bot]\nname = "Harbour Kayaks"\n'


async def test_a_question_in_another_language_finds_its_page_and_one_gap_is_one_topic(house: House) -> None:
    door = Scripted()
    questions = [
        "Darf ich meinen Hund im Kajak mitnehmen?",
        "Do you rent out bicycles?",
        "Can I hire a bike from you?",
        "What is the wifi password?",
    ]
    async with house.bot(HYBRID) as bot, bot.desk.opened([door]):
        for at, question in enumerate(questions, 1):
            await bot.desk.accept("scripted", f"m{at}", "ann", raw(question))
        await answered(bot.db, "scripted", len(questions))
        turns = await transcript(bot.db)
        topics = await gaps.topics(bot.db)
    assert [turn["outcome"] for turn in turns] == ["answered", "no_answer", "no_answer", "no_answer"]
    assert turns[0]["citations"] == [ADDRESSES["Dogs on board"]]
    assert [topic["count"] for topic in topics] == [2, 1]
    assert {gap["question"] for gap in topics[0]["gaps"]} == set(questions[1:3])
