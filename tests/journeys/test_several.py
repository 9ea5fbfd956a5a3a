"""Several bots in one process: each under its own path, with its own pages, visitors and owner."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import ClientSession, CookieJar

from bot.app import Bot, Server, bot_of, configured, serving
from retrieval.document import Document
from tests.channels.web.visitor import person
from tests.journeys.house import QUIET

OPEN = "When is the shop open?"


@asynccontextmanager
async def bakery_and_bank(folder: Path) -> AsyncIterator[tuple[Server, Bot, Bot]]:
    file = folder / "frontdesk.toml"
    file.write_text(QUIET, encoding="utf-8")
    config = configured(file, {})
    async with bot_of("bakery", config, folder / "bakery") as bakery, bot_of("bank", config, folder / "bank") as bank:
        await bakery.knowledge.put([Document("https://bakery.example/", "Bakery", "The shop is open from 6:00.", "en")])
        await bank.knowledge.put([Document("https://bank.example/", "Bank", "The shop is open from 10:15.", "en")])
        async with serving([bakery, bank], "127.0.0.1", 0) as server:
            yield server, bakery, bank


async def test_each_bot_answers_under_its_own_path_from_its_own_pages(tmp_path: Path) -> None:
    async with bakery_and_bank(tmp_path) as (server, _, _):
        for name, hour in {"bakery": "6:00", "bank": "10:15"}.items():
            async with person(f"{server.base}/b/{name}") as ann:
                done = (await ann.say(OPEN))[-1].data
            assert hour in done["text"]
            assert [item["title"] for item in done["citations"]] == [name.title()]


async def test_a_visitors_token_is_worth_nothing_at_another_bot(tmp_path: Path) -> None:
    async with bakery_and_bank(tmp_path) as (server, _, _), person(f"{server.base}/b/bakery") as ann:
        ann.base = f"{server.base}/b/bank"
        assert (await ann.post("messages", {"id": "11111111-aaaa", "text": OPEN}))[0] == 401


async def test_an_owner_of_one_bot_is_no_owner_of_the_other(tmp_path: Path) -> None:
    async with bakery_and_bank(tmp_path) as (server, _, _), ClientSession(cookie_jar=CookieJar(unsafe=True)) as http:
        bakery, bank = (f"{server.base}/b/{name}/console/" for name in ("bakery", "bank"))
        password = server.passwords["bakery"]
        async with http.post(f"{bank}login", data={"password": password}) as refused:
            assert refused.status == 403
        async with http.post(f"{bakery}login", data={"password": password}) as entered:
            assert str(entered.url) == bakery
        async with http.get(bank) as outside:
            assert str(outside.url) == f"{bank}login"
        async with http.post(f"{bank}login", data={"password": server.passwords["bank"]}) as entered:
            assert str(entered.url) == bank
        async with http.get(bakery) as still:
            assert str(still.url) == bakery, "entering one console must not end the session in another"
            token = re.search(r'name="token" value="([^"]+)"', await still.text())
        assert token is not None
        async with http.post(f"{bakery}logout", data={"token": token[1]}) as left:
            assert str(left.url) == f"{bakery}login"
        async with http.get(bakery) as outside:
            assert str(outside.url) == f"{bakery}login"


async def test_each_bot_says_by_itself_whether_it_is_ready(tmp_path: Path) -> None:
    async with bakery_and_bank(tmp_path) as (server, _, _), ClientSession() as http:
        for name in ("bakery", "bank"):
            async with http.get(f"{server.base}/b/{name}/readyz") as answer:
                assert (answer.status, (await answer.json())["ready"]) == (200, True)
        async with http.get(f"{server.base}/b/bakery", allow_redirects=False) as answer:
            assert answer.headers["Location"] == "/b/bakery/"
