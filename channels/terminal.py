"""The terminal channel: a conversation on standard input and output, through the same inbox and desk as every other."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import textwrap
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from uuid import uuid4

from aiohttp import web

from bot.messages import Event, Inbox, Message, Part, Reply

TERMINAL_CHAT = "terminal"
COMMAND_LINE = re.compile(r"^/(\w+)$")
TYPED_THUMBS = {"👍": 1, "👎": -1, "+1": 1, "-1": -1}
PROMPT = "you> "
LINE_CHARACTERS = 100


class Terminal:
    """The door on a terminal; `read` and `write` are its two ends."""

    name = "terminal"
    burst_seconds = 0.0

    def __init__(
        self,
        inbox: Inbox,
        read: Callable[[], str] = sys.stdin.readline,
        write: Callable[[str], object] | None = None,
        chat_id: str = TERMINAL_CHAT,
    ) -> None:
        self._inbox = inbox
        self._read = read
        self._write = write or _print
        self._chat_id = chat_id
        self._answered = asyncio.Event()

    def parse(self, raw: str) -> Message | None:
        """A stored line as a message."""
        record = json.loads(raw)
        text, chat_id = record["text"].strip(), record["chat"]
        command = COMMAND_LINE.match(text)
        if command:
            return Message(self.name, chat_id, chat_id, kind="command", command=command[1].lower())
        if text in TYPED_THUMBS:
            return Message(self.name, chat_id, chat_id, kind="feedback", rating=TYPED_THUMBS[text])
        return Message(self.name, chat_id, chat_id, text) if text else None

    def render(self, reply: Reply, message: Message) -> list[Part]:
        """The reply as wrapped lines, sources and choices below."""
        lines = [_wrapped(reply.text)]
        if reply.choices:
            lines += [f"  {number}. {choice}" for number, choice in enumerate(reply.choices, 1)]
        lines += [f"  [{item.number}] {item.title}  {item.url}" for item in reply.citations]
        lines += [f"  → {suggestion}" for suggestion in reply.suggestions]
        return [{"text": "\n".join(lines)}]

    async def send(self, message: Message, part: Part) -> str:
        """Print one part."""
        self._write(part["text"] + "\n\n")
        self._answered.set()
        return uuid4().hex

    async def show(self, chat_id: str, event: Event) -> None:
        """Nothing is shown before the reply is whole: a terminal can't take back what it printed."""

    def routes(self) -> Sequence[web.RouteDef]:
        """A terminal has no addresses."""
        return []

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Nothing runs beside `converse`."""
        yield

    async def converse(self) -> None:
        """Read lines until the input ends or /quit, and wait for each answer."""
        await self._ask("/start")
        while True:
            self._write(PROMPT)
            line = await asyncio.to_thread(self._read)
            if not line or line.strip() in ("/quit", "/exit"):
                self._write("\n")
                return
            if line.strip():
                await self._ask(line.strip())

    async def _ask(self, text: str) -> None:
        self._answered.clear()
        raw = json.dumps({"chat": self._chat_id, "text": text}, ensure_ascii=False)
        await self._inbox.accept(self.name, uuid4().hex, self._chat_id, raw)
        if text in TYPED_THUMBS:
            self._write("(noted)\n")
            return
        await self._answered.wait()


def _print(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _wrapped(text: str) -> str:
    lines = []
    for line in text.split("\n"):
        indent = "  " if re.match(r"\s*([-*]|\d+\.)\s", line) else ""
        lines.append(
            textwrap.fill(line, LINE_CHARACTERS, subsequent_indent=indent) if not line.startswith("|") else line
        )
    return "\n".join(lines)
