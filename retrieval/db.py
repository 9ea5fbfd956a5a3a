"""One way to talk to a database: `read` for rows, `write` for a transaction or nothing.

One writer connection behind a lock, readers apart, WAL. Plain SQL with `$1` placeholders. A statement is one hop into
the connection's thread; `Tx.many` runs any number of rows in one.
"""

from __future__ import annotations

import asyncio
import itertools
import re
import sqlite3
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import aiosqlite

from retrieval.errors import DatabaseError

Row = sqlite3.Row


def now() -> str:
    """The time as the tables keep it: ISO-8601, UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@lru_cache(maxsize=512)
def _numbered(sql: str) -> str:
    return re.sub(r"\$(\d+)", r"?\1", sql)


class Tx:
    """A transaction that is under way."""

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection

    async def run(self, sql: str, *args: Any) -> list[Row]:
        """One statement; the rows that it returns."""
        return list(await self._connection.execute_fetchall(_numbered(sql), args))

    async def many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """The same statement for every row, in one hop."""
        cursor = await self._connection.executemany(_numbered(sql), rows)
        await cursor.close()


class Database:
    """A SQLite file with migrations; `async with Database.opened(...)` opens and closes it."""

    def __init__(self, path: Path, writer: aiosqlite.Connection, readers: Sequence[aiosqlite.Connection]) -> None:
        self.path = path
        self._writer = writer
        self._readers = readers
        self._next = itertools.cycle(readers)
        self._lock = asyncio.Lock()

    @classmethod
    @asynccontextmanager
    async def opened(
        cls, path: Path, migrations: Path, owner: str, *, durable: bool = False, readers: int = 2
    ) -> AsyncIterator[Database]:
        """Open a file, apply what is missing of `migrations/*.sql`; `durable` makes each commit survive a power cut."""
        if str(path).startswith(("postgres:", "postgresql:")):
            raise DatabaseError(f"{path}: PostgreSQL isn't supported yet; leave [database] empty for SQLite")
        connections: list[aiosqlite.Connection] = []
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            for _ in range(readers + 1):
                connections.append(await _connect(path, durable=durable))  # noqa: PERF401 — closed below if the next one fails
            database = cls(path, connections[0], connections[1:])
            await database.migrate(migrations, owner)
            yield database
        except (sqlite3.DatabaseError, OSError) as error:
            if len(connections) <= readers:
                raise DatabaseError(f"{path}: can't be opened: {error}") from error
            raise
        finally:
            for connection in connections:
                await connection.close()

    async def read(self, sql: str, *args: Any) -> list[Row]:
        """The rows of a query, from a connection of their own."""
        return list(await next(self._next).execute_fetchall(_numbered(sql), args))

    async def one(self, sql: str, *args: Any) -> Row | None:
        """The first row of a query, or None."""
        rows = await self.read(sql, *args)
        return rows[0] if rows else None

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Tx]:
        """A transaction: committed when the block ends, rolled back when it raises."""
        async with self._lock:
            tx = Tx(self._writer)
            try:
                await tx.run("BEGIN IMMEDIATE")
                yield tx
                await tx.run("COMMIT")
            except BaseException:  # a cancelled BEGIN or COMMIT still runs; without a transaction this does nothing
                await asyncio.shield(self._writer.rollback())
                raise

    async def migrate(self, folder: Path, owner: str) -> None:
        """Apply what is missing, one transaction a file; a schema newer than this program is refused."""
        async with self.write() as tx:
            await tx.run(
                "CREATE TABLE IF NOT EXISTS migrations (owner TEXT NOT NULL, name TEXT NOT NULL,"
                " applied_at TEXT NOT NULL, PRIMARY KEY (owner, name))"
            )
        files = {file.stem: file for file in sorted(folder.glob("*.sql"))}
        done = {row["name"] for row in await self.read("SELECT name FROM migrations WHERE owner = $1", owner)}
        if unknown := done - set(files):
            raise DatabaseError(
                f"{self.path}: was written by a newer Frontdesk ({', '.join(sorted(unknown))});"
                " install that version, or restore a backup"
            )
        for name in sorted(set(files) - done):
            async with self.write() as tx:
                for statement in _statements(files[name].read_text(encoding="utf-8")):
                    await tx.run(statement)
                await tx.run("INSERT INTO migrations VALUES ($1, $2, $3)", owner, name, now())

    async def backup(self, target: Path) -> None:
        """A consistent copy, while everything goes on."""
        target.unlink(missing_ok=True)
        await self.read("VACUUM INTO $1", str(target))

    async def check(self) -> list[str]:
        """SQLite's own integrity check: a list of problems, empty when the file is sound."""
        return [row[0] for row in await self.read("PRAGMA integrity_check") if row[0] != "ok"]


async def _connect(path: Path, *, durable: bool) -> aiosqlite.Connection:
    connection = await aiosqlite.connect(path, isolation_level=None)
    connection.row_factory = sqlite3.Row
    level = "FULL" if durable else "NORMAL"
    try:
        for pragma in ("journal_mode=WAL", f"synchronous={level}", "foreign_keys=ON", "busy_timeout=10000"):
            await connection.execute_fetchall(f"PRAGMA {pragma}")
    except sqlite3.Error:
        await connection.close()  # its thread would keep the process alive
        raise
    return connection


def _statements(script: str) -> list[str]:
    statements, buffer = [], ""
    for line in script.splitlines(keepends=True):
        buffer += line
        if sqlite3.complete_statement(buffer):
            statements.append(buffer)
            buffer = ""
    return statements
