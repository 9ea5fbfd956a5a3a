"""What the database engine raises, as errors of ours: real files, made busy, full, broken and too new."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from retrieval.db import Database
from retrieval.errors import BusyError, CorruptError, DatabaseError, FullError, NewerSchemaError


@pytest.fixture
def migrations(tmp_path: Path) -> Path:
    folder = tmp_path / "migrations"
    folder.mkdir()
    (folder / "0001_one.sql").write_text("CREATE TABLE notes (text TEXT NOT NULL UNIQUE);\n", encoding="utf-8")
    return folder


async def put(db: Database, text: str) -> None:
    async with db.write() as tx:
        await tx.run("INSERT INTO notes (text) VALUES ($1)", text)


async def test_what_another_process_holds_is_busy_and_works_afterwards(tmp_path: Path, migrations: Path) -> None:
    path = tmp_path / "n.db"
    async with Database.opened(path, migrations, "test", busy_seconds=0.05) as db:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BusyError, match="another process holds it"):
            await put(db, "a")
        other.execute("ROLLBACK")
        other.close()
        await put(db, "a")
        assert len(await db.read("SELECT * FROM notes")) == 1


async def test_a_full_file_takes_nothing_and_keeps_what_it_has(tmp_path: Path, migrations: Path) -> None:
    async with Database.opened(tmp_path / "n.db", migrations, "test") as db:
        await put(db, "a")
        async with db.write() as tx:
            await tx.run("PRAGMA max_page_count = 1")
        with pytest.raises(FullError, match="disk's space"):
            await put(db, "b" * 100_000)
        assert [row["text"] for row in await db.read("SELECT text FROM notes")] == ["a"]


async def test_a_damaged_file_says_so_and_what_to_do(tmp_path: Path, migrations: Path) -> None:
    path = tmp_path / "n.db"
    path.write_bytes(b"This is no database, whatever its name says. " * 100)
    with pytest.raises(CorruptError, match="restore a backup") as caught:
        async with Database.opened(path, migrations, "test"):
            pass
    assert caught.value.about == str(path)


async def test_a_newer_schema_is_told_from_other_trouble(tmp_path: Path, migrations: Path) -> None:
    path = tmp_path / "n.db"
    async with Database.opened(path, migrations, "test") as db, db.write() as tx:
        await tx.run("INSERT INTO migrations VALUES ('test', '0002_two', '')")
    with pytest.raises(NewerSchemaError, match="0002_two"):
        async with Database.opened(path, migrations, "test"):
            pass


async def test_a_statement_that_breaks_a_rule_is_an_error_of_ours_too(tmp_path: Path, migrations: Path) -> None:
    async with Database.opened(tmp_path / "n.db", migrations, "test") as db:
        await put(db, "a")
        with pytest.raises(DatabaseError, match="UNIQUE"):
            await put(db, "a")
