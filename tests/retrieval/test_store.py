"""Database and index on real SQLite: transactions, migrations, replacement of a document."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.analyse import terms
from retrieval.db import Database
from retrieval.document import Chunk, Document
from retrieval.errors import DatabaseError
from retrieval.index import Entry, Index
from retrieval.knowledge import MIGRATIONS
from retrieval.vectors import Matrix
from tests.retrieval.hashing import HashingEmbedder


def entry(url: str, *texts: str, title: str = "Title") -> Entry:
    document = Document(url, title, "\n\n".join(texts), "en")
    return Entry("test", document, f"hash of {texts}", [Chunk(text, ("Part",), 5) for text in texts])


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
    with pytest.raises(DatabaseError, match="can't be opened"):
        async with Database.opened(tmp_path / "k.db", MIGRATIONS, "retrieval"):
            pass


async def test_a_backup_is_a_whole_database(db: Database, tmp_path: Path) -> None:
    await db.backup(tmp_path / "copy.db")
    async with Database.opened(tmp_path / "copy.db", MIGRATIONS, "retrieval") as copy:
        assert await copy.check() == []
        assert await copy.one("SELECT 1 FROM sources WHERE id = 'test'")


async def consistent(index: Index) -> int:
    """How many chunks there are, once each has words and a vector and the matrix agrees."""
    counts = await index.db.one(
        "SELECT (SELECT count(*) FROM chunks) AS chunks, (SELECT count(*) FROM chunk_words) AS words,"
        " (SELECT count(*) FROM embeddings) AS vectors"
    )
    assert counts
    ids, _ = await index.semantic("anything")
    assert {counts["chunks"], counts["words"], counts["vectors"]} == {len(ids)}
    return len(ids)


async def test_a_document_is_replaced_whole_and_unchanged_texts_keep_their_vectors(
    index: Index, embedder: HashingEmbedder
) -> None:
    first = await index.replace(entry("u", "Kayaks cost £36.", "Dogs may come."))
    assert await consistent(index) == 2
    embedder.asked.clear()
    second = await index.replace(entry("u", "Kayaks cost £38.", "Dogs may come.", "Cats may not."))
    assert first == second
    assert [text.rpartition("\n")[2] for text in embedder.asked] == ["Kayaks cost £38.", "Cats may not."]
    embedder.asked.clear()
    assert await consistent(index) == 3
    await index.refresh()
    assert await index.keyword(terms("£36", "en", ["en"])) == {}
    assert len(await index.keyword(terms("£38", "en", ["en"]))) == 1


async def test_a_removed_document_leaves_both_legs(index: Index) -> None:
    document_id = await index.replace(entry("u", "Kayaks."))
    await index.replace(entry("v", "Bikes."))
    await index.remove(document_id)
    assert await consistent(index) == 1
    assert await index.keyword(terms("kayaks", "en", ["en"])) == {}
    row = await index.db.one("SELECT tombstoned_at, markdown FROM documents WHERE id = $1", document_id)
    assert row
    assert row["tombstoned_at"]
    assert row["markdown"] == "Kayaks."


async def test_what_is_in_memory_is_rebuilt_from_the_database(index: Index, embedder: HashingEmbedder) -> None:
    await index.replace(entry("u", "Kayaks cost £36.", "Dogs may come."))
    again = Index(index.db, embedder)
    await again.load()
    ids, scores = await again.semantic("Kayaks cost £36.")
    before, same = await index.semantic("Kayaks cost £36.")
    assert sorted(zip(ids, scores, strict=True)) == sorted(zip(before, same, strict=True))
    assert len(again) == 2


async def test_vectors_of_another_model_are_never_mixed_in(index: Index) -> None:
    await index.replace(entry("u", "Kayaks."))
    other = Index(index.db, HashingEmbedder("another"))
    await other.load()
    assert len((await other.semantic("Kayaks."))[0]) == 0


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    st.text(max_size=80)
    | st.sampled_from(['"', "a AND", "NEAR(a b)", "*", "title:x", "-x", "^a", "a*b", "x OR", "()", "'; --"])
)
async def test_whatever_a_visitor_types_is_never_read_as_syntax(index: Index, text: str) -> None:
    await index.keyword(terms(text, "en", ["en"]))


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.tuples(st.sets(st.integers(0, 15), max_size=4), st.integers(0, 4)), max_size=12), st.integers(0, 10_000)
)
def test_the_matrix_finds_what_brute_force_finds_after_any_replacements(
    steps: list[tuple[set[int], int]], seed: int
) -> None:
    random = np.random.default_rng(seed)
    matrix, truth, fresh = Matrix(4), dict[int, np.ndarray[tuple[int], np.dtype[np.float32]]](), 0
    for removed, added in steps:
        ids = list(range(fresh, fresh + added))
        fresh += added
        vectors = random.normal(size=(added, 4)).astype(np.float32)
        matrix.replace(removed, ids, vectors)
        truth = {key: value for key, value in truth.items() if key not in removed}
        truth.update(zip(ids, vectors, strict=True))
    query = random.normal(size=4).astype(np.float32)
    found = dict(zip(*(part.tolist() for part in matrix.scores(query)), strict=True))
    assert found == pytest.approx({key: float(value @ query) for key, value in truth.items()}, abs=1e-5)
