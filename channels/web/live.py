"""What happens in a chat right now, numbered so that a lost connection can go on where it stopped.

An event's number is its turn's place in the chat times NUMBERS_A_TURN plus its place in the turn; the last event of a turn has the
highest number of it. So numbers survive a restart, though the pieces between don't.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from bot.messages import PastTurn, Reply

NUMBERS_A_TURN = 1_000_000
LAST_OF_TURN = NUMBERS_A_TURN - 1
TURNS_IN_MEMORY = 2


@dataclass(frozen=True, slots=True)
class Numbered:
    """One event of the stream."""

    id: int
    name: str
    data: dict[str, Any]


def done_event(seq: int, reply: Reply, messages: tuple[str, ...]) -> Numbered:
    """A turn's last event: the whole reply."""
    return Numbered(seq * NUMBERS_A_TURN + LAST_OF_TURN, "done", {**reply.as_json(), "messages": list(messages)})


def done_of(turn: PastTurn, messages: tuple[str, ...]) -> Numbered:
    """The same from a stored turn."""
    return done_event(turn.seq, turn.reply, messages)


@dataclass(slots=True)
class Chat:
    """The newest events of one chat, and who waits for more."""

    seq: int = 0
    """The place of the newest turn, begun or done."""
    events: list[Numbered] = field(default_factory=list)
    asked: dict[str, str] = field(default_factory=dict)
    """Messages that have no answer yet, by their id."""
    answering: bool = False
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def add(self, event: Numbered) -> None:
        """Number an event in and wake those who listen."""
        async with self.changed:
            self.events = [
                kept for kept in self.events if kept.id // NUMBERS_A_TURN > event.id // NUMBERS_A_TURN - TURNS_IN_MEMORY
            ]
            self.events.append(event)
            self.changed.notify_all()

    def after(self, number: int) -> list[Numbered]:
        """The events with a higher number."""
        return [event for event in self.events if event.id > number]

    async def wait(self, seconds: float) -> bool:
        """Until something changes (True), or the time is over (False)."""
        async with self.changed:
            try:
                async with asyncio.timeout(seconds):
                    return await self.changed.wait()
            except TimeoutError:
                return False
