"""An inbox that remembers what channels hand to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.messages import Message, PastTurn


def asked(chat_id: str = "77") -> Message:
    """The message in a chat that a reply answers."""
    return Message("any", chat_id, "visitor", "Hello?")


class FakeInbox:
    """Keeps each platform id once; `broken` makes the next so many calls fail."""

    def __init__(self) -> None:
        self.rows: dict[str, tuple[str, str]] = {}
        self.progress: list[tuple[str, str, str]] = []
        self.calls = 0
        self.broken = 0

    @property
    def ids(self) -> list[str]:
        return list(self.rows)

    @property
    def raws(self) -> list[str]:
        return [raw for _, raw in self.rows.values()]

    async def accept(self, channel: str, platform_id: str, chat_id: str, raw: str) -> bool:
        self._maybe_break()
        await asyncio.sleep(0)
        new = platform_id not in self.rows
        self.rows.setdefault(platform_id, (chat_id, raw))
        return new

    async def past(self, channel: str, chat_id: str, after: int = 0) -> list[PastTurn]:
        return []

    async def rate(self, channel: str, chat_id: str, turn_id: str, rating: int, comment: str = "") -> bool:
        return True

    async def progressed(self, channel: str, platform_id: str, state: str, detail: str = "") -> None:
        self._maybe_break()
        self.progress.append((platform_id, state, detail))

    def _maybe_break(self) -> None:
        self.calls += 1
        if self.broken:
            self.broken -= 1
            raise OSError("the disk is full: secret customer text")


@asynccontextmanager
async def served(routes: Sequence[web.RouteDef], port: int | None = None) -> AsyncIterator[str]:
    """The routes on a loopback server; yields its address."""
    app = web.Application()
    app.add_routes(routes)
    async with TestServer(app, port=port) as server:
        yield str(server.make_url("/")).rstrip("/")
