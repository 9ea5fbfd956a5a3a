"""Scheduler, console and the machine's addresses, over a whole bot on loopback."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import pytest

from bot.answer.engine import Engine
from bot.answer.turn import Conversation, Turn
from bot.messages import Message
from bot.run.schedule import Schedule
from bot.run.sources import configured, interval
from tests.journeys.house import QUIET, House, Served, until

PASSWORD = {"FRONTDESK_OWNER_PASSWORD": "tide table"}


@pytest.fixture
async def served(house: House) -> AsyncIterator[Served]:
    async with house.served(QUIET, PASSWORD) as running:
        yield running


@pytest.fixture
async def web(served: Served) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(served.base, cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        yield session


async def logged_in(web: aiohttp.ClientSession, password: str = "tide table") -> str:
    async with web.post("/console/login", data={"password": password}) as answer:
        return await answer.text()


async def ask(served: Served, text: str) -> None:
    await served.bot.desk.accept(
        "web", text, "visitor", f'{{"visitor": "visitor", "text": "{text}", "language": "en"}}'
    )

    async def answered() -> bool:
        return bool(await served.bot.db.read("SELECT 1 FROM turns WHERE question = $1", text))

    await until(answered)


async def test_the_console_is_closed_without_the_password(web: aiohttp.ClientSession) -> None:
    for path in (
        "/console/",
        "/console/sources",
        "/console/conversations",
        "/console/conversations/x",
        "/console/crawls/x",
    ):
        async with web.get(path, allow_redirects=False) as answer:
            assert answer.status == 303
            assert answer.headers["Location"].endswith("login")
    assert "That is not the password" in await logged_in(web, "wrong")
    async with web.get("/console/", allow_redirects=False) as answer:
        assert answer.status == 303


async def test_the_owner_sees_what_is_missing_and_closes_it(served: Served, web: aiohttp.ClientSession) -> None:
    await ask(served, "Do you sell <b>submarines</b>?")
    page = await logged_in(web)
    assert "Do you sell &lt;b&gt;submarines&lt;/b&gt;?" in page
    topic = re.search(r'action="[^"]*(topics/\w+)"', page)
    token = re.search(r'name="token" value="([^"]+)"', page)
    assert topic
    assert token
    async with web.post(f"/console/{topic[1]}", data={"state": "closed", "token": "forged"}) as answer:
        assert answer.status == 403
    async with web.post(f"/console/{topic[1]}", data={"state": "closed", "token": token[1]}) as answer:
        assert "submarines" not in await answer.text()
    async with web.get("/console/?state=closed") as answer:
        assert "submarines" in await answer.text()


async def test_conversations_and_sources_can_be_read(served: Served, web: aiohttp.ClientSession) -> None:
    await ask(served, "Do you sell submarines?")
    await logged_in(web)
    async with web.get("/console/conversations") as answer:
        page = await answer.text()
    link = re.search(r'href="(conversations/\w+)"', page)
    assert link
    async with web.get(f"/console/{link[1]}") as answer:
        text = await answer.text()
        assert "Do you sell submarines?" in text
        assert "no answer" in text
        assert "script" not in answer.headers["Content-Security-Policy"]
    async with web.get("/console/sources") as answer:
        assert answer.status == 200
    async with web.get("/console/conversations/unknown") as answer:
        assert answer.status == 404


async def test_machines_are_told_how_it_is(served: Served, web: aiohttp.ClientSession) -> None:
    await ask(served, "Do you sell submarines?")
    async with web.get("/healthz") as answer:
        assert await answer.json() == {"status": "ok"}
    async with web.get("/readyz") as answer:
        assert (await answer.json())["ready"] is True
    async with web.get("/metrics") as answer:
        text = await answer.text()
    assert 'frontdesk_turns_total{channel="web",outcome="no_answer"} 1' in text
    assert "frontdesk_inbox_waiting 0" in text
    assert "submarines" not in text


async def test_an_empty_index_is_not_ready(house: House) -> None:
    async with (
        house.served(QUIET, PASSWORD, pages=()) as running,
        aiohttp.ClientSession(running.base) as web,
        web.get("/readyz") as answer,
    ):
        assert answer.status == 503
        assert "index" in (await answer.json())["problems"]


async def test_sources_are_crawled_when_they_are_due_and_jobs_keep_their_results(house: House, tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "a.md").write_text("# Lockers\n\nA locker costs £2 a day.\n", encoding="utf-8")
    async with house.bot(QUIET + '[[sources]]\npath = "documents"\nevery = "6h"\n', pages=()) as bot:
        schedule = Schedule(bot.db, bot.knowledge, configured(bot.config), 30)
        async with schedule.running():

            async def both_ran() -> bool:
                return len(await bot.db.read("SELECT 1 FROM jobs WHERE ok = 1")) == 2

            await until(both_ran)
        jobs = {row["name"].split()[0]: row["result"] for row in await bot.db.read("SELECT * FROM jobs")}
        assert jobs["crawl"] == "complete: 1 added"
        assert jobs["purge"] == "0 conversations erased"
        due = await schedule._next_crawl(configured(bot.config)[0])
        assert timedelta(hours=5, minutes=59) < due - datetime.now(UTC) <= timedelta(hours=6)
        async with bot.knowledge.db.write() as tx:
            await tx.run("UPDATE crawls SET outcome = 'running'")
        broken_off = await schedule._next_crawl(configured(bot.config)[0])
        assert broken_off <= datetime.now(UTC), "it goes on at once"


async def test_old_conversations_are_erased_by_rule_and_young_ones_stay(served: Served) -> None:
    await ask(served, "old question")
    async with served.bot.db.write() as tx:
        await tx.run("UPDATE turns SET ended_at = '2020-01-01T00:00:00.000+00:00'")
        await tx.run("UPDATE conversations SET created_at = '2020-01-01T00:00:00.000+00:00', chat_id = 'gone'")
    await ask(served, "young question")
    assert await Schedule(served.bot.db, served.bot.knowledge, (), 30).purge() == "1 conversations erased"
    assert [row["question"] for row in await served.bot.db.read("SELECT question FROM turns")] == ["young question"]
    assert [row["question"] for row in await served.bot.db.read("SELECT question FROM gaps")] == ["young question"]


def test_intervals_are_read() -> None:
    assert [interval(text) for text in ("30m", "6h", "1d")] == [
        timedelta(minutes=30),
        timedelta(hours=6),
        timedelta(days=1),
    ]


async def test_a_visitor_in_a_hurry_is_asked_to_wait_and_others_are_not(house: House) -> None:
    async with house.bot(QUIET + "[limits]\nper_visitor_minute = 2\n") as bot:

        async def outcome(engine: Engine, visitor: str) -> str:
            async for event in engine.answer(
                Message("t", visitor, visitor, "hello there"), Conversation("c", "t", visitor, visitor)
            ):
                if isinstance(event, Turn):
                    return event.reply.outcome
            raise AssertionError("no turn")

        assert [await outcome(bot.engine, "ada") for _ in range(3)][-1] == "refused"
        assert await outcome(bot.engine, "bob") != "refused"


async def test_a_question_that_is_too_long_is_refused_kindly(served: Served) -> None:
    text = ("why " * 1200).strip()
    await served.bot.desk.accept(
        "web", "long", "visitor", f'{{"visitor": "visitor", "text": "{text}", "language": "en"}}'
    )

    async def answered() -> bool:
        return bool(await served.bot.db.read("SELECT 1 FROM turns"))

    await until(answered)
    row = await served.bot.db.one("SELECT outcome, length(question) AS n FROM turns")
    assert row
    assert (row["outcome"], row["n"] <= 2000) == ("refused", True)
