"""The database on real SQLite: transactions, migrations, backups, and what the engine raises as errors of ours."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from retrieval.db import Database
from retrieval.errors import BusyError, CorruptError, DatabaseError, FullError, NewerSchemaError
from retrieval.knowledge import MIGRATIONS


async def test_a_transaction_is_whole_or_nothing(db: Database) -> None:
    with pytest.raises(RuntimeError):
        async with db.write() as tx:
            await tx.run("INSERT INTO sources (id, kind, added_at) VALUES ('half', 'site', '')")
            raise RuntimeError
    assert await db.one("SELECT 1 FROM sources WHERE id = 'half'") is None
    async with db.write() as tx:
        await tx.many("INSERT INTO sources (id, kind, added_at) VALUES ($1, $2, '')", [("a", "site"), ("b", "site")])
    assert len(await db.read("SELECT 1 FROM sources WHERE kind = $1", "site")) == 2


async def test_migrations_run_once_and_a_newer_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "k.db"
    for _ in range(2):
        async with Database.opened(path, MIGRATIONS, "retrieval") as db:
            assert [row["name"] for row in await db.read("SELECT name FROM migrations")] == [
                "0001_knowledge",
                "0002_crawl",
                "0003_site",
                "0004_split",
                "0005_index",
                "0006_decisions",
            ]
    async with Database.opened(path, MIGRATIONS, "retrieval") as db, db.write() as tx:
        await tx.run("INSERT INTO migrations VALUES ('retrieval', '9999_future', '')")
    with pytest.raises(DatabaseError, match=r"newer Frontdesk \(9999_future\)"):
        async with Database.opened(path, MIGRATIONS, "retrieval"):
            pass


async def test_a_migration_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "0001_bad.sql").write_text(
        "CREATE TABLE one (id TEXT);\nCREATE TABEL two (id TEXT);\n", encoding="utf-8"
    )
    with pytest.raises(Exception, match="TABEL"):
        async with Database.opened(tmp_path / "x.db", tmp_path, "test"):
            pass
    (tmp_path / "0001_bad.sql").write_text("CREATE TABLE one (id TEXT);\n", encoding="utf-8")
    async with Database.opened(tmp_path / "x.db", tmp_path, "test") as db:
        assert await db.read("SELECT * FROM one") == []


@pytest.mark.parametrize("content", [b"this is no database at all, but long enough to look like one" * 20])
async def test_a_file_that_is_no_database_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "k.db").write_bytes(content)
    with pytest.raises(DatabaseError, match="is no database"):
        async with Database.opened(tmp_path / "k.db", MIGRATIONS, "retrieval"):
            pass


async def test_a_backup_is_a_whole_database(db: Database, tmp_path: Path) -> None:
    await db.backup(tmp_path / "copy.db")
    async with Database.opened(tmp_path / "copy.db", MIGRATIONS, "retrieval") as copy:
        assert await copy.check() == []
        assert await copy.one("SELECT 1 FROM sources WHERE id = 'test'")


async def test_the_vectors_of_an_older_database_stay(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    for file in sorted(MIGRATIONS.glob("*.sql"))[:3]:
        (old / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    async with Database.opened(tmp_path / "k.db", old, "retrieval") as db, db.write() as tx:
        await tx.run("INSERT INTO sources (id, kind, added_at) VALUES ('s', 'site', '')")
        await tx.run(
            "INSERT INTO documents (id, source_id, url, title, language, markdown, content_hash, markdown_hash, fetched_at)"
            " VALUES ('d', 's', 'u', 'T', 'en', 'x', '', '', '')"
        )
        await tx.run(
            "INSERT INTO chunks (id, document_id, position, heading_path, text, tokens) VALUES (7, 'd', 0, '[]', 'x', 1)"
        )
        await tx.run("INSERT INTO embeddings VALUES (7, 'm', 1, 'h', x'00000000')")
    async with Database.opened(tmp_path / "k.db", MIGRATIONS, "retrieval") as db:
        assert [tuple(row) for row in await db.read("SELECT chunk_id, text_hash FROM embeddings")] == [(7, "h")]
        assert await db.read("PRAGMA foreign_key_check") == []
        async with db.write() as tx:
            await tx.run("DELETE FROM sources")
        assert await db.read("SELECT 1 FROM embeddings") == []


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
