"""One way to talk to a database: `read` for rows, `write` for a transaction or nothing.

One writer connection behind a lock, readers apart, WAL. Plain SQL with `$1` placeholders. A statement is one hop into
the connection's thread; `Tx.many` runs any number of rows in one. What the engine raises becomes an error of ours here and
nowhere else: BusyError, FullError, CorruptError, NewerSchemaError, or DatabaseError for the rest.
"""

from __future__ import annotations

import asyncio
import itertools
import re
import sqlite3
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import aiosqlite

from retrieval.errors import BusyError, CorruptError, DatabaseError, FullError, NewerSchemaError

Row = sqlite3.Row
BUSY_SECONDS = 10.0
"""How long a statement waits for another process; chosen by hand: a crawl's transactions take milliseconds."""


def now() -> str:
    """The time as the tables keep it: ISO-8601, UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@lru_cache(maxsize=512)
def _numbered(sql: str) -> str:
    return re.sub(r"\$(\d+)", r"?\1", sql)


BUSY_CODES = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
FULL_CODES = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}
CORRUPT_CODES = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def _error(path: Path, error: sqlite3.Error) -> DatabaseError:
    """The engine's error as ours; the low byte of its code is the kind, the rest says more of it."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    about = str(path)
    if code in BUSY_CODES:
        return BusyError("another process holds it; try again, or stop that process", about=about)
    if code in FULL_CODES:
        return FullError(
            f"can't be read or written ({error}); look at the disk's space and the file's rights", about=about
        )
    if code in CORRUPT_CODES:
        return CorruptError(f"is no database or a damaged one ({error}); restore a backup", about=about)
    return DatabaseError(f"can't be used ({error}); `frontdesk doctor` says more", about=about)


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise _error(path, error) from error


class Tx:
    """A transaction that is under way."""

    def __init__(self, path: Path, connection: aiosqlite.Connection) -> None:
        self._path = path
        self._connection = connection

    async def run(self, sql: str, *args: Any) -> list[Row]:
        """One statement; the rows that it returns."""
        with _translated(self._path):
            return list(await self._connection.execute_fetchall(_numbered(sql), args))

    async def many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """The same statement for every row, in one hop."""
        with _translated(self._path):
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
        cls,
        path: Path,
        migrations: Path,
        owner: str,
        *,
        durable: bool = False,
        readers: int = 2,
        busy_seconds: float = BUSY_SECONDS,
    ) -> AsyncIterator[Database]:
        """Open a file, apply what is missing of `migrations/*.sql`.

        `durable`: each commit survives a power cut. `busy_seconds`: how long is waited for another process.
        """
        if str(path).startswith(("postgres:", "postgresql:")):
            raise DatabaseError("PostgreSQL isn't supported yet; leave [database] empty for SQLite", about=str(path))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DatabaseError(f"can't be opened: {error}", about=str(path)) from error
        connections: list[aiosqlite.Connection] = []
        try:
            for _ in range(readers + 1):
                connections.append(await _connect(path, durable=durable, busy_seconds=busy_seconds))  # noqa: PERF401 — closed below if the next one fails
            database = cls(path, connections[0], connections[1:])
            await database.migrate(migrations, owner)
            yield database
        finally:
            for connection in connections:
                await connection.close()

    async def read(self, sql: str, *args: Any) -> list[Row]:
        """The rows of a query, from a connection of their own."""
        with _translated(self.path):
            return list(await next(self._next).execute_fetchall(_numbered(sql), args))

    async def one(self, sql: str, *args: Any) -> Row | None:
        """The first row of a query, or None."""
        rows = await self.read(sql, *args)
        return rows[0] if rows else None

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Tx]:
        """A transaction: committed when the block ends, rolled back when it raises."""
        async with self._lock:
            tx = Tx(self.path, self._writer)
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
            raise NewerSchemaError(
                f"was written by a newer Frontdesk ({', '.join(sorted(unknown))}); install that version, or restore a backup",
                about=str(self.path),
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


async def _connect(path: Path, *, durable: bool, busy_seconds: float) -> aiosqlite.Connection:
    with _translated(path):
        connection = await aiosqlite.connect(path, isolation_level=None)
    connection.row_factory = sqlite3.Row
    level = "FULL_CODES" if durable else "NORMAL"
    try:
        for pragma in (
            "journal_mode=WAL",
            f"synchronous={level}",
            "foreign_keys=ON",
            f"busy_timeout={busy_seconds * 1000:.0f}",
        ):
            await connection.execute_fetchall(f"PRAGMA {pragma}")
    except sqlite3.Error as error:
        await connection.close()  # its thread would keep the process alive
        raise _error(path, error) from error
    return connection


def _statements(script: str) -> list[str]:
    statements, buffer = [], ""
    for line in script.splitlines(keepends=True):
        buffer += line
        if sqlite3.complete_statement(buffer):
            statements.append(buffer)
            buffer = ""
    return statements
