"""A site crawled with a model that writes long pages anew: the stand-in speaks OpenAI's protocol."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.app import Bot
from retrieval.db import Database
from retrieval.decision import Kind
from retrieval.ingest.journal import Report
from retrieval.knowledge import MIGRATIONS
from tests.journeys.house import House
from tests.retrieval.split.rewriting import PAGE, honest
from tests.standins.fake_model import CUT, FULL, HANG, HANG_AT_ONCE, FakeModel, Fault, Messages, status
from tests.standins.site import Site

ROOT = Path(__file__).parents[2]
TOML = """
[retrieval]
mode = "keyword"
max_context_tokens = 250
[model]
provider = "{provider}"
name = "large"
fast_name = "small"
timeout = 0.5
base_url = "{model}"
[split]
strategy = "subjects"
[[sources]]
url = "{site}/"
allow_private = true
"""
HTML = "<html><main><h1>Boats</h1>" + "".join(
    f"<h2>Part {at}</h2><p>{block}</p>" for at, block in enumerate(PAGE.split("\n\n")[2:16:2], 1)
)


@asynccontextmanager
async def crawling(
    house: House, script: Callable[[Messages], str], provider: str = "openai"
) -> AsyncIterator[tuple[Bot, FakeModel]]:
    """A bot with one long page and one short one for a source."""
    site = {
        "/": f"{HTML}<p><a href='/short'>more</a></p></main></html>",
        "/short": "<main><p>Dogs may come.</p></main>",
    }
    async with FakeModel(script) as model, Site(site) as served:
        toml = TOML.format(provider=provider, model=model.url, site=served.url)
        async with house.bot(toml, {"OPENAI_API_KEY": "sk-stand-in"}, ()) as bot:
            yield bot, model


async def crawl(bot: Bot) -> Report:
    """Crawl its only source."""
    return await bot.knowledge.crawl(bot.sources[0])


def rewriting(messages: Messages) -> str:
    """A model that keeps the contract."""
    return honest(str(messages[-1]["content"]))


async def paths(bot: Bot) -> list[str]:
    rows = await bot.knowledge.db.read("SELECT heading_path FROM chunks ORDER BY document_id, position")
    return [row["heading_path"] for row in rows]


async def test_a_long_page_becomes_a_chunk_a_subject_by_the_fast_model(house: House) -> None:
    async with crawling(house, rewriting) as (bot, model):
        report = await crawl(bot)
        found = await bot.knowledge.search("What about Part 3?")
        assert '["What about Part 3?"]' in await paths(bot)
    assert [request["model"] for request in model.requests] == ["small"]
    assert all(decision.in_words == "" for decision in report.decisions.values())
    assert "£23.50" in found.hits[0].text


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (FULL, "the model's answer was cut off (length)"),
        (CUT, "the model's server can't be used"),
        (HANG, "the model's server can't be used (TimeoutError)"),
        (HANG_AT_ONCE, "the model's server can't be used (TimeoutError)"),
        (status(400), "the model's server answered 400"),
    ],
    ids=["full", "cut", "hang", "hang at once", "400"],
)
async def test_a_model_that_fails_leaves_the_page_split_by_its_headings_and_the_report_says_so(
    house: House, fault: Fault, why: str
) -> None:
    async with crawling(house, rewriting) as (bot, model):
        model.fail(fault)
        report = await crawl(bot)
        assert '["Part 3"]' in await paths(bot)
    assert report.outcome == "complete"
    (decision,) = [decision for decision in report.decisions.values() if decision.detail]
    reason = decision.detail
    assert decision.kind is Kind.ADDED
    assert reason.startswith("split by its headings: ")
    assert why in reason


async def test_without_a_model_the_headings_split_and_nobody_is_asked(house: House) -> None:
    async with crawling(house, rewriting, "none") as (bot, model):
        report = await crawl(bot)
        assert '["Part 3"]' in await paths(bot)
    assert model.requests == []
    assert all(decision.in_words == "" for decision in report.decisions.values())


def situating(messages: Messages) -> str:
    """A model that tells where a chunk stands."""
    return "Of the zoological part." if "<piece>" in str(messages[-1]["content"]) else "A page on animals."


async def crawl_command(folder: Path) -> tuple[dict[str, Any], str]:
    """`frontdesk crawl --json` in a process of its own: its report, and what it says besides."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", "crawl", "--json", cwd=folder,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(folder), "OPENAI_API_KEY": "sk-stand-in"},
    )  # fmt: skip
    told, besides = await process.communicate()
    assert process.returncode == 0, besides.decode()
    return json.loads(told), besides.decode()


async def test_the_crawl_command_tells_what_contexts_cost_before_it_asks_and_goes_on_where_it_failed(
    tmp_path: Path,
) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.md").write_text("# Herons\n\nThey live here.\n\n## Food?\n\nFish.\n", encoding="utf-8")
    async with FakeModel(situating) as model:
        (tmp_path / "frontdesk.toml").write_text(
            f'[retrieval]\nmode = "keyword"\n[model]\nprovider = "openai"\nbase_url = "{model.url}"\n'
            '[split]\ncontextual = true\n[[sources]]\npath = "pages"\n',
            encoding="utf-8",
        )
        model.fail(status(400))
        first, besides = await crawl_command(tmp_path)
        assert re.search(r"^contexts: needs 3 calls, about \d+ tokens in, \d+ out$", besides, re.M)
        assert "2 chunks have no context yet, the next crawl asks again: " in first["sources"][0]["note"]
        assert len(model.requests) == 1
        second, besides = await crawl_command(tmp_path)
        assert second["sources"][0]["counts"] == {"unchanged": 1}
        assert "contexts: needs 3 calls" in besides
        assert second["sources"][0]["note"] == ""
        assert len(model.requests) == 4
        assert "contexts" not in (await crawl_command(tmp_path))[1]
        assert len(model.requests) == 4
    async with Database.opened(tmp_path / "data" / "knowledge.db", MIGRATIONS, "retrieval") as db:
        rows = await db.read("SELECT c.context, w.text FROM chunks c JOIN chunk_words w ON w.rowid = c.id")
    assert [row["context"] for row in rows] == ["Of the zoological part."] * 2
    assert all("zoolog" in row["text"] for row in rows)
