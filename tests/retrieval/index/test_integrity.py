"""What the index's check finds: every kind of disagreement between chunks, words and vectors."""

from __future__ import annotations

import pytest

from retrieval.document import Chunk, Document, Parent
from retrieval.index.index import Entry, Index
from retrieval.index.integrity import problems


async def filled(index: Index) -> None:
    parent = Parent("Kayaks and tides.", 4)
    chunks = [Chunk("Kayaks.", (), 1, parent=parent), Chunk("Tides.", (), 1, parent=parent)]
    await index.replace(Entry("test", Document("u", "", "", "en"), "1", chunks))


async def test_a_sound_index_has_no_problem(index: Index) -> None:
    await filled(index)
    assert index.embedder
    assert await problems(index.db, index.embedder.name) == []
    assert await problems(index.db, "") == []


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        ("DELETE FROM chunk_words WHERE rowid = 1", "1 chunks without words"),
        ("INSERT INTO chunk_words (rowid, text) VALUES (99, 'x')", "1 words of chunks that are no more"),
        (
            "INSERT INTO embeddings VALUES (99, 'hashing-16', 16, 'h', zeroblob(64))",
            "1 vectors of chunks that are no more",
        ),
        ("UPDATE embeddings SET vector = zeroblob(3) WHERE chunk_id = 1", "1 vectors are cut off"),
        (
            "UPDATE embeddings SET dimension = 8, vector = zeroblob(32) WHERE chunk_id = 1",
            "1 models have vectors of several",
        ),
        ("UPDATE chunks SET parent_id = 99 WHERE id = 1", "1 chunks without their parents"),
        ("UPDATE chunks SET position = 7 WHERE id = 1", "1 documents whose chunks aren't numbered without gaps"),
        ("UPDATE documents SET tombstoned_at = 'now'", "1 documents are gone, but their chunks are not"),
        ("DELETE FROM embeddings WHERE chunk_id = 1", "1 chunks have no vector of hashing-16"),
        ("UPDATE chunk_words_content SET c2 = 'other words'", "the words' index is damaged"),
    ],
)
async def test_each_kind_of_damage_is_told(index: Index, damage: str, sentence: str) -> None:
    await filled(index)
    await index.db.read("PRAGMA foreign_keys")
    async with index.db.write() as tx:
        await tx.run("PRAGMA defer_foreign_keys = ON")
        if "99" in damage and "words" not in damage:
            await tx.run("COMMIT")
            await tx.run("PRAGMA foreign_keys = OFF")
            await tx.run("BEGIN")
        await tx.run(damage)
    found = await problems(index.db, "hashing-16")
    assert any(text.startswith(sentence) for text in found), found
