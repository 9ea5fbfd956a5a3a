"""The durable inbox: a payload is on disk before it is acknowledged, and stored once however often it comes.

Payloads that arrive together share one transaction, and so one fsync (group commit).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from retrieval.db import Database, Tx, now

MOST_PAYLOADS_A_COMMIT = 256
"""Payloads in one transaction; chosen by hand."""


@dataclass(frozen=True, slots=True)
class Payload:
    """A stored payload that waits."""

    id: int
    channel: str
    platform_id: str
    chat_id: str
    raw: str
    received_at: datetime


@dataclass(frozen=True, slots=True)
class _Pending:
    row: tuple[str, str, str, str]
    stored: asyncio.Future[bool]


class InboxStore:
    """Accepts payloads and hands them out, oldest first."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._pending: asyncio.Queue[_Pending] = asyncio.Queue()

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[None]:
        """Runs the writer; what was accepted is stored before this ends."""
        writer = asyncio.create_task(self._write())
        try:
            yield
        finally:
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)

    async def accept(self, channel: str, platform_id: str, chat_id: str, raw: str) -> bool:
        """Store a payload; False when its platform id is already there. Returns when it is safe on disk."""
        stored: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        await self._pending.put(_Pending((channel, platform_id, chat_id, raw), stored))
        return await stored

    async def _write(self) -> None:
        while True:
            batch = [await self._pending.get()]
            while not self._pending.empty() and len(batch) < MOST_PAYLOADS_A_COMMIT:
                batch.append(self._pending.get_nowait())
            await asyncio.shield(self._store(batch))

    async def _store(self, batch: Sequence[_Pending]) -> None:
        try:
            async with self._db.write() as tx:
                rows = await tx.run(
                    "INSERT INTO inbox (channel, platform_id, chat_id, raw, received_at)"
                    " SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, $2 FROM json_each($1) WHERE true"
                    " ON CONFLICT DO NOTHING RETURNING channel, platform_id",
                    json.dumps([item.row for item in batch]),
                    now(),
                )
        except Exception as error:  # noqa: BLE001 — every waiting request must hear that nothing was stored
            for item in batch:
                if not item.stored.done():
                    item.stored.set_exception(error)
            return
        new = {(row["channel"], row["platform_id"]) for row in rows}
        for item in batch:
            if not item.stored.done():
                item.stored.set_result(item.row[:2] in new)
                new.discard(item.row[:2])

    async def waiting_chats(self) -> list[tuple[str, str]]:
        """Every channel and chat with payloads that wait."""
        rows = await self._db.read("SELECT DISTINCT channel, chat_id FROM inbox WHERE state = 'waiting'")
        return [(row["channel"], row["chat_id"]) for row in rows]

    async def waiting(self, channel: str, chat_id: str) -> list[Payload]:
        """The chat's waiting payloads, oldest first."""
        rows = await self._db.read(
            "SELECT * FROM inbox WHERE state = 'waiting' AND channel = $1 AND chat_id = $2 ORDER BY id LIMIT 20",
            channel,
            chat_id,
        )
        return [
            Payload(
                row["id"],
                row["channel"],
                row["platform_id"],
                row["chat_id"],
                row["raw"],
                datetime.fromisoformat(row["received_at"]),
            )
            for row in rows
        ]

    async def mark(self, payloads: Sequence[Payload], state: str) -> None:
        """Mark payloads as done or quarantined; what is quarantined keeps its raw text for a person to look at."""
        async with self._db.write() as tx:
            await mark(tx, payloads, state, None)


async def mark(tx: Tx, payloads: Sequence[Payload], state: str, turn_id: str | None) -> None:
    """The same inside a transaction, with the turn that answered them."""
    await tx.many(
        "UPDATE inbox SET state = $2, turn_id = $3, raw = CASE WHEN $2 = 'done' THEN '' ELSE raw END WHERE id = $1",
        [(payload.id, state, turn_id) for payload in payloads],
    )
