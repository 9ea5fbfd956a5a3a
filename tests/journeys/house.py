"""A whole bot on loopback: its configuration is a real file, its databases are real files, its doors are real HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.app import Bot, Server, bot_of, configured, serving
from retrieval.db import Database
from retrieval.document import Document
from tests.journeys.business import PAGES

QUIET = """
[bot]
name = "Harbour Kayaks"
[retrieval]
mode = "keyword"
"""


@dataclass(frozen=True)
class Served:
    """A bot with its server."""

    bot: Bot
    server: Server

    @property
    def base(self) -> str:
        return self.server.base


class House:
    """Opens the same bot as often as you like; what it stored stays in its folder between two openings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"

    @asynccontextmanager
    async def bot(
        self, toml: str = QUIET, environ: Mapping[str, str] | None = None, pages: Sequence[Document] = PAGES
    ) -> AsyncIterator[Bot]:
        """The bot with no door open; `pages` are put when its library is empty."""
        file = self.folder / "frontdesk.toml"
        file.write_text(toml, encoding="utf-8")
        async with bot_of("bot", configured(file, environ or {}), self.data) as bot:
            if pages and not len(bot.knowledge.index):
                await bot.knowledge.put(pages)
            yield bot

    @asynccontextmanager
    async def served(
        self,
        toml: str = QUIET,
        environ: Mapping[str, str] | None = None,
        pages: Sequence[Document] = PAGES,
        *,
        with_demo: bool = False,
        port: int = 0,
    ) -> AsyncIterator[Served]:
        """The bot with every configured door open, by default on a free port."""
        async with (
            self.bot(toml, environ, pages) as bot,
            serving([bot], "127.0.0.1", port, with_demo=with_demo) as server,
        ):
            yield Served(bot, server)


async def until(true: Callable[[], Awaitable[object]], seconds: float = 20) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(seconds):
        while not await true():  # noqa: ASYNC110 - a database tells nobody that it changed
            await asyncio.sleep(0.01)


async def number(db: Database, sql: str, *args: Any) -> int:
    """The single number that a query gives."""
    row = await db.one(sql, *args)
    return int(row[0]) if row and row[0] is not None else 0


async def answered(db: Database, channel: str, turns: int) -> None:
    """Wait until a channel's conversations have so many turns, and every part of them has left or failed."""
    await until(
        lambda: number(
            db,
            "SELECT (SELECT count(*) FROM turns t JOIN conversations c ON c.id = t.conversation_id WHERE c.channel = $1)"
            " >= $2 AND NOT EXISTS (SELECT 1 FROM deliveries WHERE state = 'waiting' AND channel = $1)",
            channel,
            turns,
        )
    )


async def transcript(db: Database) -> list[dict[str, Any]]:
    """All turns without what differs from run to run or door to door: ids, times, the channel's form."""
    rows = await db.read(
        "SELECT t.kind, t.question, t.outcome, t.reply, t.rating FROM turns t"
        " JOIN conversations c ON c.id = t.conversation_id ORDER BY c.created_at, t.seq"
    )
    return [
        {
            "kind": row["kind"],
            "question": row["question"],
            "outcome": row["outcome"],
            "citations": [citation["url"] for citation in json.loads(row["reply"])["citations"]],
            "rating": row["rating"],
        }
        for row in rows
    ]
