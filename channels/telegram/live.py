"""A turn while it is being answered: typing, and the text as it grows, by editing one message.

What fails here is dropped: the final parts are sent by `send`, whatever was shown before.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable
from dataclasses import dataclass

from aiogram import Bot

from channels.telegram.markup import Rich, convert, units
from channels.telegram.render import as_part, split
from channels.telegram.send import FAILURES, address, deliver

log = logging.getLogger(__name__)

FIRST_MESSAGE_UNITS = 30
"""Characters before the first message is worth sending."""


@dataclass(frozen=True, slots=True)
class EditPace:
    """Seconds between two edits, in private and in groups, between two signs of typing, and until typing ends
    by itself should the turn never end."""

    edit: float = 1.5
    edit_in_group: float = 3.0
    typing: float = 5.0
    longest: float = 300.0


class Live:
    """One turn in one chat; it starts with typing."""

    def __init__(self, bot: Bot, chat_id: str, pace: EditPace) -> None:
        self._bot = bot
        self._pace = pace
        self._chat_id = chat_id
        self._text = ""
        self._message_id: int | None = None
        self._changed = asyncio.Event()
        self._over = asyncio.Event()
        self._typing = asyncio.create_task(self._type())
        self._writing: asyncio.Task[None] | None = None

    def add(self, text: str) -> None:
        """Show more of the answer, soon."""
        self._text += text
        self._changed.set()
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())

    def end(self) -> None:
        """Stop typing, and edit no more."""
        self._over.set()
        self._changed.set()
        self._typing.cancel()

    async def finish(self) -> int | None:
        """End, wait for an edit under way, and return the id of the streamed message, if there is one."""
        self.end()
        await asyncio.wait([task for task in (self._typing, self._writing) if task])
        return self._message_id

    async def _type(self) -> None:
        chat, topic = address(self._chat_id)
        with contextlib.suppress(*FAILURES):
            async with asyncio.timeout(self._pace.longest):
                while True:
                    await self._bot.send_chat_action(chat, "typing", message_thread_id=topic, request_timeout=10)
                    await asyncio.sleep(self._pace.typing)

    async def _write(self) -> None:
        pause = self._pace.edit if address(self._chat_id)[0] > 0 else self._pace.edit_in_group
        shown = Rich("")
        while True:
            await self._changed.wait()
            self._changed.clear()
            if self._over.is_set():
                return
            rich = self._first_piece()
            if rich == shown or (self._message_id is None and units(rich.text) < FIRST_MESSAGE_UNITS):
                continue
            if not await self._worked(deliver(self._bot, self._chat_id, as_part(rich), self._message_id)):
                return
            shown = rich
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), pause)

    def _first_piece(self) -> Rich:
        pieces = split(convert(self._text))
        return pieces[0] if pieces else Rich("")

    async def _worked(self, writing: Awaitable[str]) -> bool:
        """Whether the message shows the text; after any error (429 above all) the streaming ends."""
        try:
            self._message_id = int(await writing)
        except FAILURES as error:
            log.info("streaming ends early: %s", type(error).__name__)
            return False
        return True
