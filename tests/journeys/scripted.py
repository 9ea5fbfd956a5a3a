"""A door whose platform is this process: it delivers into a list, and fails when it is told to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from time import monotonic
from uuid import uuid4

from aiohttp import web

from bot.messages import Event, Message, Part, Reply


class Scripted:
    """A reply's first paragraph is one part, the rest another; the next sends raise what stands in `errors` (None: they work)."""

    name = "scripted"

    def __init__(self, burst_seconds: float = 0.0) -> None:
        self.burst_seconds = burst_seconds
        self.sent: list[tuple[str, str]] = []
        self.tried: list[float] = []
        self.errors: list[Exception | None] = []
        self.closed_chats: dict[str, asyncio.Event] = {}
        """A send to one of these chats waits until its event is set."""
        self.shown: list[Event] = []
        self.unrenderable = ""
        """A reply that holds these words breaks the rendering."""

    def parse(self, raw: str) -> Message | None:
        record = json.loads(raw)
        text, chat = record["text"], record["chat"]
        return Message(self.name, chat, chat, text) if text else None

    def render(self, reply: Reply, message: Message) -> list[Part]:
        if self.unrenderable and self.unrenderable in reply.text:
            raise RecursionError("maximum recursion depth exceeded")
        return [{"text": piece} for piece in reply.text.split("\n\n", 1)]

    async def send(self, message: Message, part: Part) -> str:
        chat_id = message.chat_id
        self.tried.append(monotonic())
        if chat_id in self.closed_chats:
            await self.closed_chats[chat_id].wait()
        error = self.errors.pop(0) if self.errors else None
        if error:
            raise error
        self.sent.append((chat_id, part["text"]))
        return uuid4().hex

    async def show(self, chat_id: str, event: Event) -> None:
        self.shown.append(event)

    def routes(self) -> Sequence[web.RouteDef]:
        return []

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        yield


def raw(text: str, chat: str = "ann") -> str:
    """A payload of this door."""
    return json.dumps({"text": text, "chat": chat})
