"""Database and index on real SQLite: transactions, migrations, replacement of a document."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.db import Database
from retrieval.document import Chunk, Document
from retrieval.errors import DatabaseError
from retrieval.index.index import Entry, Index
from retrieval.knowledge import MIGRATIONS
from retrieval.split.by_headings import split
from retrieval.text.analyse import terms
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
                "0004_split",
                "0005_index",
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


async def consistent(index: Index) -> int:
    """How many chunks there are, once each has words and a vector and the matrix agrees."""
    counts = await index.db.one(
        "SELECT (SELECT count(*) FROM chunks) AS chunks, (SELECT count(*) FROM chunk_words) AS words,"
        " (SELECT count(*) FROM embeddings) AS vectors"
    )
    assert counts
    near = await index.semantic("anything", 100)
    assert {counts["chunks"], counts["words"], counts["vectors"], len(index.meaning)} == {len(near.ids)}
    return len(near.ids)


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
    assert (await index.words(terms("£36", "en", ["en"]))).best(99) == {}
    assert len((await index.words(terms("£38", "en", ["en"]))).best(99)) == 1


async def cosines(index: Index) -> dict[int, float]:
    near = await index.semantic("New.", 100)
    return dict(zip(near.ids.tolist(), near.cosines.tolist(), strict=True))


async def ids(index: Index) -> dict[str, int]:
    rows = await index.db.read("SELECT id, text FROM chunks ORDER BY position")
    return {row["text"]: row["id"] for row in rows}


async def test_chunks_that_stay_keep_their_ids_and_vectors_wherever_they_move(
    index: Index, embedder: HashingEmbedder
) -> None:
    await index.replace(entry("u", "One.", "Two.", "Three.", "Four."))
    before = await ids(index)
    embedder.asked.clear()
    await index.replace(entry("u", "Four.", "New.", "One.", "Three."))
    after = await ids(index)
    assert list(after) == ["Four.", "New.", "One.", "Three."]
    assert {text: after[text] for text in ("Four.", "One.", "Three.")} == {
        text: before[text] for text in ("Four.", "One.", "Three.")
    }
    assert after["New."] > max(before.values())
    assert [text.rpartition("\n")[2] for text in embedder.asked] == ["New."]
    assert await consistent(index) == 4
    fresh = Index(index.db, embedder)
    await fresh.load()
    assert await cosines(fresh) == await cosines(index)


async def test_equal_chunks_of_one_document_stay_apart(index: Index) -> None:
    await index.replace(entry("u", "Same.", "Same.", "Other."))
    before = [row["id"] for row in await index.db.read("SELECT id FROM chunks ORDER BY position")]
    await index.replace(entry("u", "Other.", "Same.", "Same."))
    after = [row["id"] for row in await index.db.read("SELECT id FROM chunks ORDER BY position")]
    assert after == [before[2], before[0], before[1]]


async def test_an_id_is_never_used_again(index: Index) -> None:
    document_id = await index.replace(entry("u", "One.", "Two."))
    used = set((await ids(index)).values())
    await index.remove(document_id)
    await index.replace(entry("u", "One.", "Two."))
    assert used.isdisjoint((await ids(index)).values())


async def test_another_title_is_another_embedded_text(index: Index, embedder: HashingEmbedder) -> None:
    await index.replace(entry("u", "One."))
    before = await ids(index)
    embedder.asked.clear()
    await index.replace(entry("u", "One.", title="Another"))
    assert (await ids(index)) != before
    assert embedder.asked == ["Another\nPart\nOne."]
    assert await consistent(index) == 1


async def test_a_replacement_that_breaks_off_leaves_all_as_it_was(index: Index) -> None:
    await index.replace(entry("u", "One.", "Two."))
    before = await index.db.read("SELECT * FROM chunks")
    words = await index.db.read("SELECT rowid, * FROM chunk_words")
    async with index.db.write() as tx:
        await tx.run("CREATE TRIGGER breaks BEFORE INSERT ON embeddings BEGIN SELECT raise(ABORT, 'no room'); END")
    with pytest.raises(DatabaseError, match="no room"):
        await index.replace(entry("u", "Two.", "Three."))
    assert await index.db.read("SELECT * FROM chunks") == before
    assert await index.db.read("SELECT rowid, * FROM chunk_words") == words
    assert await consistent(index) == 2
    async with index.db.write() as tx:
        await tx.run("DROP TRIGGER breaks")
    await index.replace(entry("u", "Two.", "Three."))
    assert list(await ids(index)) == ["Two.", "Three."]


async def test_a_change_of_one_section_changes_that_sections_chunks_alone(index: Index) -> None:
    def page(price: int) -> Entry:
        sections = [f"## Part {at}?\n\n" + f"Boat {at} costs {at} euros a day. " * 60 for at in range(6)]
        sections[2] += f" And it now costs {price}."
        document = Document("u", "Boats", "\n\n".join(sections), "en")
        return Entry("test", document, str(price), split(document, chunk_tokens=100))

    await index.replace(page(1))
    before = {row["id"]: row["heading_path"] for row in await index.db.read("SELECT id, heading_path FROM chunks")}
    await index.replace(page(2))
    after = {row["id"]: row["heading_path"] for row in await index.db.read("SELECT id, heading_path FROM chunks")}
    assert {path for _, path in before.items() ^ after.items()} == {'["Part 2?"]'}
    assert len(before.keys() & after.keys()) > 25


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


async def test_a_removed_document_leaves_both_legs(index: Index) -> None:
    document_id = await index.replace(entry("u", "Kayaks."))
    await index.replace(entry("v", "Bikes."))
    await index.remove(document_id)
    assert await consistent(index) == 1
    assert (await index.words(terms("kayaks", "en", ["en"]))).best(99) == {}
    row = await index.db.one("SELECT tombstoned_at, markdown FROM documents WHERE id = $1", document_id)
    assert row
    assert row["tombstoned_at"]
    assert row["markdown"] == "Kayaks."


async def test_what_is_in_memory_is_rebuilt_from_the_database(index: Index, embedder: HashingEmbedder) -> None:
    await index.replace(entry("u", "Kayaks cost £36.", "Dogs may come."))
    again = Index(index.db, embedder)
    await again.load()
    loaded = await again.semantic("Kayaks cost £36.", 10)
    before = await index.semantic("Kayaks cost £36.", 10)
    assert loaded.ids.tolist() == before.ids.tolist()
    assert loaded.cosines.tolist() == before.cosines.tolist()
    assert len(again) == 2


async def test_vectors_of_another_model_are_never_mixed_in(index: Index) -> None:
    await index.replace(entry("u", "Kayaks."))
    other = Index(index.db, HashingEmbedder("another"))
    await other.load()
    assert len((await other.semantic("Kayaks.", 10)).ids) == 0


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    st.text(max_size=80)
    | st.sampled_from(['"', "a AND", "NEAR(a b)", "*", "title:x", "-x", "^a", "a*b", "x OR", "()", "'; --"])
)
async def test_whatever_a_visitor_types_is_never_read_as_syntax(index: Index, text: str) -> None:
    (await index.words(terms(text, "en", ["en"]))).best(99)
