"""Replacing a document: what is unchanged keeps id and vector, what is gone leaves both legs, and nothing is done by halves."""

from __future__ import annotations

import pytest

from retrieval.document import Document
from retrieval.errors import DatabaseError
from retrieval.index.index import Entry, Index
from retrieval.split.by_headings import split
from retrieval.text.analyse import terms
from tests.retrieval.hashing import HashingEmbedder
from tests.retrieval.index import entries


def entry(url: str, *texts: str, title: str = "Title") -> Entry:
    return entries.entry(url, *texts, title=title, heading="Part")


async def consistent(index: Index) -> int:
    """How many chunks there are, once each has words and a vector and the matrix agrees."""
    counts = await index.db.one(
        "SELECT (SELECT count(*) FROM chunks) AS chunks, (SELECT count(*) FROM chunk_words) AS words,"
        " (SELECT count(*) FROM embeddings) AS vectors"
    )
    assert counts
    near = await index.nearest("anything", 100)
    assert {counts["chunks"], counts["words"], counts["vectors"], len(index.semantic_leg)} == {len(near.ids)}
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
    assert (await index.keyword_scores(terms("£36", "en", ["en"]))).best(99) == {}
    assert len((await index.keyword_scores(terms("£38", "en", ["en"]))).best(99)) == 1


async def cosines(index: Index) -> dict[int, float]:
    near = await index.nearest("New.", 100)
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


async def test_a_removed_document_leaves_both_legs(index: Index) -> None:
    document_id = await index.replace(entry("u", "Kayaks."))
    await index.replace(entry("v", "Bikes."))
    await index.remove(document_id)
    assert await consistent(index) == 1
    assert (await index.keyword_scores(terms("kayaks", "en", ["en"]))).best(99) == {}
    row = await index.db.one("SELECT tombstoned_at, markdown FROM documents WHERE id = $1", document_id)
    assert row
    assert row["tombstoned_at"]
    assert row["markdown"] == "Kayaks."


async def test_what_is_in_memory_is_rebuilt_from_the_database(index: Index, embedder: HashingEmbedder) -> None:
    await index.replace(entry("u", "Kayaks cost £36.", "Dogs may come."))
    again = Index(index.db, embedder)
    await again.load()
    loaded = await again.nearest("Kayaks cost £36.", 10)
    before = await index.nearest("Kayaks cost £36.", 10)
    assert loaded.ids.tolist() == before.ids.tolist()
    assert loaded.cosines.tolist() == before.cosines.tolist()
    assert len(again) == 2


async def test_vectors_of_another_model_are_never_mixed_in(index: Index) -> None:
    await index.replace(entry("u", "Kayaks."))
    other = Index(index.db, HashingEmbedder("another"))
    await other.load()
    assert len((await other.nearest("Kayaks.", 10)).ids) == 0
