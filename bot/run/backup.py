"""Backups of everything: both databases, each as it is at one moment, in one zip file."""

from __future__ import annotations

import asyncio
import tempfile
import zipfile
from pathlib import Path

from bot.errors import FrontdeskError
from retrieval.db import Database

DATABASE_FILES = ("knowledge.db", "conversations.db")


async def backup(target: Path, *databases: Database) -> None:
    """Write the databases, in the order of DATABASE_FILES, into a zip file."""
    with tempfile.TemporaryDirectory() as folder:
        copies = [Path(folder) / name for name in DATABASE_FILES]
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
            if set(archive.namelist()) != set(DATABASE_FILES):
                raise FrontdeskError(f"{source}: is not a backup that `frontdesk db backup` wrote")
            folder.mkdir(parents=True, exist_ok=True)
            return [_put_back(folder / name, archive.read(name)) for name in DATABASE_FILES]
    except (zipfile.BadZipFile, FileNotFoundError) as error:
        raise FrontdeskError(f"{source}: can't be read as a backup") from error


def _put_back(path: Path, body: bytes) -> Path:
    for suffix in ("", "-wal", "-shm"):
        old = path.with_name(path.name + suffix)
        if old.exists():
            old.replace(old.with_name(f"{old.name}.before-restore"))
    path.write_bytes(body)
    return path
