"""Parts of replies on their way out: each is sent once, in order, and tried again as the platform's error says."""

from __future__ import annotations

import asyncio
import json
import logging
from datetime import UTC, datetime, timedelta

from bot.desk.metrics import Metrics
from bot.errors import SendError
from bot.messages import Channel, Message
from retrieval.db import Database, Row

log = logging.getLogger(__name__)
MOST_TRIES = 8
"""Of one part; with pauses that double, four minutes from the first to the last."""
LONGEST_WAIT_SECONDS = 300.0
"""Between two tries, unless the platform asks for more. Chosen by hand."""
DELIVERY_STATES = ("waiting", "sent", "delivered", "read", "failed")
"""A delivery's states, in the order in which they may follow each other."""


class Deliveries:
    """Sends what is waiting."""

    def __init__(self, db: Database, metrics: Metrics) -> None:
        self._db = db
        self._metrics = metrics
        self._closing = asyncio.Event()

    def close(self) -> None:
        """Wait for no further try; what waits is sent after the next start."""
        self._closing.set()

    async def waiting_chats(self) -> list[tuple[str, str]]:
        """Every channel and chat with parts that wait."""
        rows = await self._db.read("SELECT DISTINCT channel, chat_id FROM deliveries WHERE state = 'waiting'")
        return [(row["channel"], row["chat_id"]) for row in rows]

    async def deliver(self, channel: Channel, chat_id: str) -> str:
        """Send the chat's waiting parts in order; one that must wait holds back those behind it.

        Returns the chat's new id when the platform has moved it, else an empty text.
        """
        while rows := await self._db.read(
            "SELECT d.*, t.question, t.address FROM deliveries d JOIN turns t ON t.id = d.turn_id WHERE d.state = 'waiting'"
            " AND d.channel = $1 AND d.chat_id = $2 ORDER BY t.started_at, t.seq, d.position LIMIT 1",
            channel.name,
            chat_id,
        ):
            row = rows[0]
            pause = (datetime.fromisoformat(row["next_try_at"]) - datetime.now(UTC)).total_seconds()
            if pause > 0:
                if await self._closed_within(pause):
                    return ""
                continue
            try:
                platform_id = await channel.send(_answered(row), json.loads(row["part"]))
            except SendError as error:
                if error.moved_to:
                    await self._move(channel.name, chat_id, error.moved_to)
                    return error.moved_to
                await self._postpone(row["id"], row["turn_id"], int(row["tries"]) + 1, error)
            except Exception as error:
                log.exception("a channel failed in a way it should not", extra={"channel": channel.name})
                await self._postpone(row["id"], row["turn_id"], int(row["tries"]) + 1, SendError(type(error).__name__))
            else:
                await self._delivered(row["id"], platform_id)
                self._metrics.add("parts_sent", channel=channel.name)
        return ""

    async def _closed_within(self, seconds: float) -> bool:
        """Wait until a part's next try is due; True when the desk closes before that."""
        try:
            async with asyncio.timeout(seconds):
                await self._closing.wait()
        except TimeoutError:
            return False
        return True

    async def _delivered(self, delivery_id: str, platform_id: str) -> None:
        async with self._db.write() as tx:
            await tx.run(
                "UPDATE deliveries SET state = 'sent', platform_id = $2, tries = tries + 1, error = '' WHERE id = $1",
                delivery_id,
                platform_id,
            )

    async def _postpone(self, delivery_id: str, turn_id: str, tries: int, error: SendError) -> None:
        """Try again when the platform wants it; a permanent error ends the whole reply, so that no half of it comes alone."""
        wait = error.retry_after if error.retry_after is not None else min(2.0**tries, LONGEST_WAIT_SECONDS)
        async with self._db.write() as tx:
            if error.permanent or tries >= MOST_TRIES:
                log.warning("a reply could not be delivered: %s", error)
                await tx.run(
                    "UPDATE deliveries SET state = 'failed', tries = $3, error = $2 WHERE turn_id = $1 AND state = 'waiting'",
                    turn_id,
                    str(error)[:500],
                    tries,
                )
                return
            await tx.run(
                "UPDATE deliveries SET tries = $2, error = $3, next_try_at = $4 WHERE id = $1",
                delivery_id,
                tries,
                str(error)[:500],
                _due_in(wait),
            )

    async def _move(self, channel: str, old: str, new: str) -> None:
        """The platform gave the chat a new id: conversation and waiting parts go with it."""
        async with self._db.write() as tx:
            await tx.run(
                "UPDATE OR IGNORE conversations SET chat_id = $3 WHERE channel = $1 AND chat_id = $2",
                channel,
                old,
                new,
            )
            await tx.run(
                "UPDATE deliveries SET chat_id = $3 WHERE channel = $1 AND chat_id = $2 AND state = 'waiting'",
                channel,
                old,
                new,
            )

    async def progressed(self, channel: str, platform_id: str, state: str, detail: str) -> None:
        """The platform's word on a sent part; states only go forward, and failed is final."""
        if state not in DELIVERY_STATES:
            return
        async with self._db.write() as tx:
            for row in await tx.run(
                "SELECT id, state FROM deliveries WHERE channel = $1 AND platform_id = $2", channel, platform_id
            ):
                if row["state"] != "failed" and DELIVERY_STATES.index(state) > DELIVERY_STATES.index(row["state"]):
                    await tx.run(
                        "UPDATE deliveries SET state = $2, error = $3 WHERE id = $1", row["id"], state, detail[:500]
                    )


def _due_in(seconds: float) -> str:
    """The time of the next try, rounded up: what a platform asks for is never undercut by the part of a millisecond."""
    return (datetime.now(UTC) + timedelta(seconds=seconds, milliseconds=1)).isoformat(timespec="milliseconds")


def _answered(row: Row) -> Message:
    """The message that a waiting part answers, at the chat where it is now."""
    address = json.loads(row["address"]) if row["address"] else {}
    known = {"visitor": "", "name": "", "extra": {}, "platform_ids": [], **address}
    return Message.addressed(row["channel"], row["chat_id"], row["question"], known)
