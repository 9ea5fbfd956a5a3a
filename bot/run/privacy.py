"""One person's data, everywhere; and backups of everything."""

from __future__ import annotations

import asyncio
import json
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from bot.errors import FrontdeskError
from retrieval.db import Database, Tx, now

FILES = ("knowledge.db", "conversations.db")


async def forget(db: Database, visitor: str) -> int:
    """Erase a visitor's conversations with all that hangs on them; returns how many there were."""
    async with db.write() as tx:
        await tx.run("PRAGMA secure_delete = ON")
        await tx.run(
            "DELETE FROM inbox WHERE (channel, chat_id) IN (SELECT channel, chat_id FROM conversations WHERE visitor = $1)",
            visitor,
        )
        rows = await tx.run("DELETE FROM conversations WHERE visitor = $1 RETURNING id", visitor)
        await tidy_topics(tx)
        await tx.run(
            "INSERT INTO audit (at, who, did, what) VALUES ($1, 'owner', 'forget', $2)",
            now(),
            f"{len(rows)} conversations",
        )
    return len(rows)


async def tidy_topics(tx: Tx) -> None:
    """Topics without gaps go; a topic whose title was an erased question takes that of its oldest one that is left."""
    await tx.run("DELETE FROM topics WHERE id NOT IN (SELECT topic_id FROM gaps)")
    await tx.run(
        "UPDATE topics SET words = '', title = (SELECT question FROM gaps WHERE topic_id = topics.id ORDER BY asked_at LIMIT 1)"
        " WHERE title NOT IN (SELECT question FROM gaps WHERE topic_id = topics.id)"
    )


async def export(db: Database, visitor: str) -> dict[str, Any]:
    """Everything that is kept of a visitor."""
    found = []
    for row in await db.read("SELECT * FROM conversations WHERE visitor = $1 ORDER BY created_at", visitor):
        turns = await db.read(
            "SELECT kind, question, answer, outcome, language, rating, comment, started_at FROM turns"
            " WHERE conversation_id = $1 ORDER BY seq",
            row["id"],
        )
        conversation = {key: row[key] for key in ("channel", "chat_id", "name", "language", "created_at")}
        found.append({**conversation, "answers": json.loads(row["answers"]), "turns": [dict(turn) for turn in turns]})
    return {"visitor": visitor, "conversations": found}


async def backup(target: Path, *databases: Database) -> None:
    """Both databases, each as it is at one moment, in one zip file."""
    with tempfile.TemporaryDirectory() as folder:
        copies = [Path(folder) / name for name in FILES]
        for database, copy in zip(databases, copies, strict=True):
            await database.backup(copy)
        await asyncio.to_thread(_zipped, target, copies)


def _zipped(target: Path, copies: list[Path]) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for copy in copies:
            archive.write(copy, copy.name)


def restore(folder: Path, source: Path) -> list[Path]:
    """Put a backup in place of both databases; what was there is kept beside them. Stop Frontdesk first."""
    try:
        with zipfile.ZipFile(source) as archive:
            if set(archive.namelist()) != set(FILES):
                raise FrontdeskError(f"{source}: is not a backup that `frontdesk db backup` wrote")
            folder.mkdir(parents=True, exist_ok=True)
            return [_put_back(folder / name, archive.read(name)) for name in FILES]
    except (zipfile.BadZipFile, FileNotFoundError) as error:
        raise FrontdeskError(f"{source}: can't be read as a backup") from error


def _put_back(path: Path, body: bytes) -> Path:
    for suffix in ("", "-wal", "-shm"):
        old = path.with_name(path.name + suffix)
        if old.exists():
            old.replace(old.with_name(f"{old.name}.before-restore"))
    path.write_bytes(body)
    return path
