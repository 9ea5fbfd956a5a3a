"""One visitor and a model's stand-in, with nothing between them but the bot."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from bot.app import Bot
from bot.messages import Delta, Reply
from retrieval.document import Document
from tests.journeys.business import PAGES
from tests.journeys.house import QUIET, House, answered, number
from tests.journeys.scripted import Scripted, raw
from tests.standins.fake_model import FakeModel, Script

PRICE = "How much is a single kayak for half a day?"
HOURS = "When are you open?"
DOGS = "May small dogs come along?"


@dataclass
class Asking:
    """A chat of one visitor."""

    bot: Bot
    door: Scripted
    model: FakeModel

    async def ask(self, text: str) -> Reply:
        """The whole reply to a text, as it is stored."""
        turns = await number(self.bot.db, "SELECT count(*) FROM turns") + 1
        await self.bot.desk.accept("scripted", f"m{turns}", "ann", raw(text))
        await answered(self.bot.db, "scripted", turns)
        return Reply.from_json(json.loads((await self.turn())["reply"]))

    async def turn(self) -> dict[str, Any]:
        """The newest turn's row."""
        row = await self.bot.db.one("SELECT * FROM turns ORDER BY seq DESC LIMIT 1")
        assert row is not None
        return dict(row)

    @property
    def streamed(self) -> str:
        """All that was shown before replies were whole."""
        return "".join(event.text for event in self.door.shown if isinstance(event, Delta))


@asynccontextmanager
async def asking(
    house: House, script: Script, more: str = "", pages: Sequence[Document] = PAGES
) -> AsyncIterator[Asking]:
    """A bot whose model answers by a script; `more` is appended to its configuration."""
    async with FakeModel(script) as model:
        toml = (
            f'{QUIET}[model]\nprovider = "openai"\nname = "stand-in"\ntimeout = 0.5\nbase_url = "{model.url}"\n{more}'
        )
        door = Scripted()
        async with house.bot(toml, {"OPENAI_API_KEY": "sk-stand-in"}, pages) as bot, bot.desk.opened([door]):
            yield Asking(bot, door, model)
