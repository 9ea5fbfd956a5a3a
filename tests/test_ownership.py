"""Each table is read and written by one room: found in the SQL of the code."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
OWNERS = {
    "sources": "retrieval/ingest",
    "crawls": "retrieval/ingest",
    "crawl_pages": "retrieval/ingest",
    "addresses": "retrieval/ingest",
    "held_pages": "retrieval/ingest",
    "frame_lines": "retrieval/ingest",
    "documents": "retrieval/index",
    "chunks": "retrieval/index",
    "parents": "retrieval/index",
    "chunk_words": "retrieval/index",
    "chunk_vocabulary": "retrieval/index",
    "embeddings": "retrieval/index",
    "generation": "retrieval/index",
    "calibrations": "retrieval/search",
    "inbox": "bot/desk",
    "conversations": "bot/desk",
    "turns": "bot/desk",
    "turn_hits": "bot/desk",
    "deliveries": "bot/desk",
    "topics": "bot/desk",
    "gaps": "bot/desk",
    "jobs": "bot/desk",
    "audit": "bot/desk",
    "migrations": "retrieval/db.py",
}
TABLE = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE(?: OR \w+)?|TABLE(?: IF NOT EXISTS)?)\s+([a-z_]+)")
STATEMENT = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE|FROM|JOIN)\b")


def statements(file: Path) -> list[str]:
    """The texts of a module that look like SQL."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return [text for text in texts if STATEMENT.search(text)]


def uses() -> list[tuple[str, str]]:
    """Every module with every table that its SQL names."""
    return [
        (file.relative_to(ROOT).as_posix(), table)
        for package in ("retrieval", "bot", "channels")
        for file in sorted((ROOT / package).rglob("*.py"))
        for text in statements(file)
        for table in TABLE.findall(text)
        if table in OWNERS
    ]


def test_each_table_is_read_and_written_by_its_room_alone() -> None:
    foreign = sorted({(module, table) for module, table in uses() if not module.startswith(OWNERS[table])})
    assert not foreign, f"ask the room that owns the table: {foreign}"


def test_each_table_of_the_migrations_has_an_owner_who_uses_it() -> None:
    made: set[str] = set()
    for file in sorted(ROOT.glob("*/migrations/*.sql")):
        text = re.sub(r"--[^\n]*", "", file.read_text(encoding="utf-8"))
        made |= set(re.findall(r"CREATE (?:VIRTUAL )?TABLE (\w+)", text))
        made = {re.sub("^new_", "", table) for table in made} - {"kept_embeddings"}
    assert made <= set(OWNERS)
    assert {table for _, table in uses()} == set(OWNERS)


def test_the_engine_s_own_errors_stay_in_the_database_module() -> None:
    for package in ("retrieval", "bot", "channels"):
        for file in (ROOT / package).rglob("*.py"):
            if file != ROOT / "retrieval" / "db.py":
                assert "sqlite3" not in file.read_text(encoding="utf-8"), f"{file}: db translates the engine's errors"
