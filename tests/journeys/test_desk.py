"""The desk: what was accepted is answered once, in its chat's order, whatever the platform does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.answer.phrases import PHRASES
from bot.app import Bot
from bot.errors import SendError
from bot.messages import Delta, Done, Start
from tests.journeys.house import House, answered, number, transcript, until
from tests.journeys.scripted import Scripted, raw

PRICE = "How much is a single kayak for half a day?"
HOURS = "When are you open?"
DOGS = "May small dogs come along?"


@asynccontextmanager
async def opened(house: House, door: Scripted) -> AsyncIterator[Bot]:
    async with house.bot() as bot, bot.desk.opened([door]):
        yield bot


async def say(bot: Bot, *texts: str, chat: str = "ann") -> None:
    for text in texts:
        await bot.desk.accept("scripted", f"{chat}/{text}", chat, raw(text, chat))


async def questions(bot: Bot) -> list[str]:
    return [turn["question"] for turn in await transcript(bot.db)]


async def test_one_message_that_comes_twenty_times_at_the_same_instant_gives_one_turn(house: House) -> None:
    door = Scripted()
    async with opened(house, door) as bot:
        new = await asyncio.gather(*(bot.desk.accept("scripted", "m1", "ann", raw(HOURS)) for _ in range(20)))
        await answered(bot.db, "scripted", 1)
        assert sum(new) == 1
        await bot.desk.accept("scripted", "m1", "ann", raw(HOURS))
    assert len([text for _, text in door.sent if "9:30" in text]) == 1
    async with house.bot() as bot:
        assert await questions(bot) == [HOURS]


async def test_a_chat_is_answered_in_its_order_while_another_chat_does_not_wait_for_it(house: House) -> None:
    door = Scripted()
    door.closed_chats["slow"] = asyncio.Event()
    async with opened(house, door) as bot:
        await say(bot, PRICE, HOURS, DOGS, chat="slow")
        await say(bot, HOURS, chat="quick")
        await until(
            lambda: number(bot.db, "SELECT count(*) FROM deliveries WHERE chat_id = 'quick' AND state = 'sent'")
        )
        assert {chat for chat, _ in door.sent} == {"quick"}
        door.closed_chats["slow"].set()
        await answered(bot.db, "scripted", 4)
    said = " ".join(text for chat, text in door.sent if chat == "slow")
    assert said.index("£24") < said.index("9:30") < said.index("buoyancy vest")


async def test_two_short_messages_of_a_burst_become_one_turn(house: House) -> None:
    door = Scripted(burst_seconds=0.4)
    async with opened(house, door) as bot:
        await say(bot, "Hello, one question:", HOURS)
        await answered(bot.db, "scripted", 1)
        await asyncio.sleep(0.5)
        await say(bot, PRICE)
        await answered(bot.db, "scripted", 2)
        assert await questions(bot) == [f"Hello, one question:\n{HOURS}", PRICE]
        assert await number(bot.db, "SELECT count(DISTINCT turn_id) FROM inbox") == 2
    starts = [event for event in door.shown if isinstance(event, Start)]
    assert [len(event.messages) for event in starts] == [2, 1]


async def test_a_long_message_stands_alone_even_inside_a_burst(house: House) -> None:
    long = f"{HOURS} " + "We come by train and would like to plan our day around the tide and the timetable. " * 2
    async with opened(house, Scripted(burst_seconds=0.3)) as bot:
        await say(bot, "Hello!", long)
        await answered(bot.db, "scripted", 2)
        assert await questions(bot) == ["Hello!", long]


async def test_a_payload_that_cannot_be_read_is_put_aside_and_the_next_one_answered(house: House) -> None:
    door = Scripted()
    async with opened(house, door) as bot:
        await bot.desk.accept("scripted", "junk", "ann", "{ not json")
        await bot.desk.accept("scripted", "shape", "ann", "[1, 2]")
        await bot.desk.accept("scripted", "silent", "ann", raw(""))
        await say(bot, HOURS)
        await answered(bot.db, "scripted", 1)
        rows = await bot.db.read("SELECT platform_id, state, raw FROM inbox ORDER BY id LIMIT 3")
        assert [tuple(row) for row in rows] == [
            ("junk", "quarantined", "{ not json"),
            ("shape", "quarantined", "[1, 2]"),
            ("silent", "done", ""),
        ]
        assert await questions(bot) == [HOURS]


async def test_what_waited_when_the_bot_stopped_is_answered_once_after_the_next_start(house: House) -> None:
    first = Scripted()
    gate = first.closed_chats["ann"] = asyncio.Event()
    async with opened(house, first) as bot:
        await say(bot, PRICE, HOURS, DOGS)
        await until(lambda: number(bot.db, "SELECT count(*) FROM turns"))
        opening = asyncio.get_running_loop().call_later(0.1, gate.set)
    opening.cancel()
    async with house.bot() as bot:
        assert await number(bot.db, "SELECT count(*) FROM inbox WHERE state = 'waiting'") == 2
    second = Scripted()
    async with opened(house, second) as bot:
        await answered(bot.db, "scripted", 3)
    third = Scripted()
    async with opened(house, third) as bot:
        await asyncio.sleep(0.1)
        assert await questions(bot) == [PRICE, HOURS, DOGS]
    assert third.sent == []
    said = [text for _, text in first.sent + second.sent]
    assert [sum(words in text for text in said) for words in ("£24", "9:30", "buoyancy vest")] == [1, 1, 1]


async def test_parts_that_waited_when_the_bot_stopped_are_sent_after_the_next_start(house: House) -> None:
    first = Scripted()
    first.errors = [None, SendError("the platform is down", retry_after=1.5)]
    async with opened(house, first) as bot:
        await say(bot, HOURS)
        await until(lambda: number(bot.db, "SELECT count(*) FROM deliveries WHERE tries > 0 AND state = 'waiting'"))
    second = Scripted()
    async with opened(house, second) as bot:
        await answered(bot.db, "scripted", 1)
        assert await number(bot.db, "SELECT count(*) FROM deliveries WHERE state = 'sent'") == 2
    assert len(first.sent) == 1
    assert len(second.sent) == 1
    assert "9:30" in second.sent[0][1]


async def test_a_part_that_fails_for_good_ends_its_reply_and_not_the_chat(house: House) -> None:
    door = Scripted()
    door.errors = [SendError("the visitor has blocked the bot", permanent=True)]
    async with opened(house, door) as bot:
        await say(bot, HOURS, PRICE)
        await answered(bot.db, "scripted", 2)
        rows = await bot.db.read(
            "SELECT d.state, d.error FROM deliveries d JOIN turns t ON t.id = d.turn_id ORDER BY t.seq, d.position"
        )
    assert {row["state"] for row in rows[:2]} == {"failed"}
    assert {row["error"] for row in rows[:2]} == {"the visitor has blocked the bot"}
    assert {row["state"] for row in rows[2:]} == {"sent"}
    assert not any("9:30" in text for _, text in door.sent)


async def test_a_part_waits_as_long_as_the_platform_asks_and_keeps_its_place(house: House) -> None:
    door = Scripted()
    door.errors = [SendError("too many requests", retry_after=0.4)]
    async with opened(house, door) as bot:
        await say(bot, HOURS, PRICE)
        await answered(bot.db, "scripted", 2)
        assert await number(bot.db, "SELECT max(tries) FROM deliveries") == 2
    assert door.tried[1] - door.tried[0] >= 0.4
    said = " ".join(text for _, text in door.sent)
    assert said.index("9:30") < said.index("£24")


async def test_a_platform_that_never_recovers_is_given_up_after_some_tries(house: House) -> None:
    door = Scripted()
    door.errors = [SendError("bad gateway", retry_after=0.01)] * 20
    async with opened(house, door) as bot:
        await say(bot, HOURS)
        await answered(bot.db, "scripted", 1)
        assert await number(bot.db, "SELECT count(*) FROM deliveries WHERE state = 'failed'") == 2
    assert len(door.tried) == 8


async def test_when_the_engine_breaks_the_visitor_reads_a_sentence_and_no_exception(house: House) -> None:
    door = Scripted()
    async with opened(house, door) as bot:
        async with bot.knowledge.db.write() as tx:
            await tx.run("ALTER TABLE chunks RENAME TO lost")
        await say(bot, HOURS)
        await answered(bot.db, "scripted", 1)
        async with bot.knowledge.db.write() as tx:
            await tx.run("ALTER TABLE lost RENAME TO chunks")
        await say(bot, PRICE)
        await answered(bot.db, "scripted", 2)
        assert [turn["outcome"] for turn in await transcript(bot.db)] == ["failed", "answered"]
    assert door.sent[0] == ("ann", PHRASES["en"]["failed"])
    assert any("£24" in text for _, text in door.sent)


async def test_the_view_of_a_turn_begins_with_its_messages_and_ends_with_the_whole_reply(house: House) -> None:
    door = Scripted()
    async with opened(house, door) as bot:
        await say(bot, HOURS)
        await answered(bot.db, "scripted", 1)
    start, *deltas, done = door.shown
    assert isinstance(start, Start)
    assert isinstance(done, Done)
    assert start.messages == done.messages == (f"ann/{HOURS}",)
    assert done.seq == 1
    assert "".join(event.text for event in deltas if isinstance(event, Delta)) == done.reply.text


async def test_a_reply_that_cannot_be_rendered_fails_alone_and_the_chat_goes_on(house: House) -> None:
    door = Scripted()
    door.unrenderable = "9:30"
    async with opened(house, door) as bot:
        await say(bot, HOURS, PRICE)
        await answered(bot.db, "scripted", 2)
        assert [turn["outcome"] for turn in await transcript(bot.db)] == ["failed", "answered"]
    assert door.sent[0] == ("ann", PHRASES["en"]["failed"])


async def test_a_message_that_cannot_be_written_is_put_aside_and_the_next_one_answered(house: House) -> None:
    door = Scripted()
    async with opened(house, door) as bot:
        half_a_character = r'{"chat": "ann", "text": "\ud800"}'
        await bot.desk.accept("scripted", "broken", "ann", half_a_character)
        await say(bot, HOURS)
        await answered(bot.db, "scripted", 1)
        assert await questions(bot) == [HOURS]
        assert (
            await number(bot.db, "SELECT count(*) FROM inbox WHERE state = 'quarantined' AND platform_id = 'broken'")
            == 1
        )
        assert await number(bot.db, "SELECT count(*) FROM inbox WHERE state = 'waiting'") == 0


async def test_an_error_that_no_channel_should_raise_is_counted_and_tried_again(house: House) -> None:
    door = Scripted()
    door.errors = [RuntimeError("a client library's own")]
    async with opened(house, door) as bot:
        await say(bot, HOURS)

        async def sent() -> bool:
            return bool(door.sent)

        await until(sent)
        await until(lambda: bot.db.read("SELECT 1 FROM deliveries WHERE state = 'sent' AND tries = 2"))
