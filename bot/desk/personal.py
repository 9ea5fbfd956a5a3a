"""One person's data: everything that is kept of a visitor, and erasing it; by wish or by age."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.desk import gaps
from bot.desk.audit import audited
from retrieval.db import Database


async def forget(db: Database, visitor: str) -> int:
    """Erase a visitor's conversations with all that hangs on them; returns how many there were."""
    async with db.write() as tx:
        await tx.run("PRAGMA secure_delete = ON")
        await tx.run(
            "DELETE FROM inbox WHERE (channel, chat_id) IN (SELECT channel, chat_id FROM conversations WHERE visitor = $1)",
            visitor,
        )
        rows = await tx.run("DELETE FROM conversations WHERE visitor = $1 RETURNING id", visitor)
        await gaps.tidy(tx)
        await audited(tx, "owner", "forget", f"{len(rows)} conversations")
    return len(rows)


async def export(db: Database, visitor: str) -> dict[str, Any]:
    """Everything that is kept of a visitor."""
    conversations = []
    for row in await db.read("SELECT * FROM conversations WHERE visitor = $1 ORDER BY created_at", visitor):
        turns = await db.read(
            "SELECT kind, question, answer, outcome, language, rating, comment, started_at FROM turns"
            " WHERE conversation_id = $1 ORDER BY seq",
            row["id"],
        )
        known = {key: row[key] for key in ("channel", "chat_id", "name", "language", "created_at")}
        answers = json.loads(row["answers"])
        conversations.append({**known, "answers": answers, "turns": [dict(turn) for turn in turns]})
    return {"visitor": visitor, "conversations": conversations}


async def purge(db: Database, retention_days: int) -> int:
    """Erase conversations whose last turn is older than so many days; returns how many there were."""
    border = (datetime.now(UTC) - timedelta(days=retention_days)).isoformat(timespec="milliseconds")
    async with db.write() as tx:
        rows = await tx.run(
            "DELETE FROM conversations WHERE id NOT IN (SELECT conversation_id FROM turns WHERE ended_at >= $1)"
            " AND created_at < $1 RETURNING id",
            border,
        )
        await tx.run("DELETE FROM inbox WHERE state <> 'waiting' AND received_at < $1", border)
        await gaps.tidy(tx)
    return len(rows)
