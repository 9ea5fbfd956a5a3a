"""The semantic leg's store: which model is searched, and what another process wrote."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from retrieval.db import Database
from retrieval.document import Chunk, Document
from retrieval.embed.embedder import Embedder, Vectors
from retrieval.errors import DimensionError
from retrieval.index.index import Entry, Index
from retrieval.knowledge import Knowledge
from retrieval.search.search import Options
from tests.retrieval.hashing import HashingEmbedder


def entry(url: str, *texts: str) -> Entry:
    return Entry("test", Document(url, "", "", "en"), " ".join(texts), [Chunk(text, (), 1) for text in texts])


class Watched(HashingEmbedder):
    """Says, while it embeds pages, which model answers questions meanwhile."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.index: Index | None = None
        self.serving: list[str] = []

    async def embed(self, texts: Sequence[str], *, language: str = "", question: bool = False) -> Vectors:
        if self.index and not question and self.index.meaning.serving:
            near = await self.index.semantic("Kayaks.", 1)
            self.serving.append(f"{self.index.meaning.serving.name} {len(near.ids)}")
        return await super().embed(texts, language=language, question=question)


async def changed(db: Database, new: Watched) -> Index:
    """An index whose vectors are another model's."""
    before = Index(db, HashingEmbedder("old"))
    await before.load()
    await before.replace(entry("u", "Kayaks.", "Tides."))

    async def earlier(name: str) -> Embedder | None:
        return HashingEmbedder(name) if name == "old" else None

    index = Index(db, new, earlier)
    new.index = index
    await index.load()
    return index


async def models(db: Database) -> set[str]:
    return {row["model"] for row in await db.read("SELECT DISTINCT model FROM embeddings")}


async def test_the_old_vectors_serve_until_every_chunk_has_a_new_one(db: Database) -> None:
    new = Watched("new")
    index = await changed(db, new)
    assert index.meaning.serving
    assert index.meaning.serving.name == "old"
    assert await index.meaning.fill() == 2
    assert new.serving == ["old 1"], "while the new vectors were made, the old ones were searched"
    assert index.meaning.serving.name == "new"
    assert len((await index.semantic("Kayaks.", 5)).ids) == 2
    assert await models(db) == {"new"}


async def test_a_page_that_comes_while_a_model_changes_is_embedded_by_the_new_one(db: Database) -> None:
    index = await changed(db, Watched("new"))
    await index.replace(entry("v", "Anchors."))
    assert len(index.meaning) == 2, "the matrix holds one model's vectors only"
    assert await index.meaning.fill() == 2
    assert len(index.meaning) == 3


async def test_without_the_old_model_words_alone_serve_until_the_new_vectors_are_there(db: Database) -> None:
    before = Index(db, HashingEmbedder("old"))
    await before.load()
    await before.replace(entry("u", "Kayaks."))
    index = Index(db, HashingEmbedder("new"))
    await index.load()
    assert len((await index.semantic("Kayaks.", 5)).ids) == 0
    await index.meaning.fill()
    assert len((await index.semantic("Kayaks.", 5)).ids) == 1


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No waiting between two looks, nor for the other process to settle."""
    monkeypatch.setattr("retrieval.index.index.LOOKED", 0.0)
    monkeypatch.setattr("retrieval.index.index.SETTLED", 0.0)


@pytest.mark.usefixtures("patient")
async def test_what_another_process_wrote_is_found(db: Database) -> None:
    running, adding = Index(db, HashingEmbedder()), Index(db, HashingEmbedder())
    await running.load()
    await adding.load()
    await adding.replace(entry("u", "Kayaks."))
    assert await running.follow()
    assert len(running) == len(running.meaning) == 1
    assert not await running.follow()


@pytest.mark.usefixtures("patient")
async def test_its_own_changes_are_nothing_to_read_again(db: Database) -> None:
    index = Index(db, HashingEmbedder())
    await index.load()
    document_id = await index.replace(entry("u", "Kayaks."))
    assert not await index.follow()
    await index.remove(document_id)
    assert not await index.follow()


@pytest.mark.usefixtures("patient")
async def test_its_own_change_does_not_hide_another_ones(db: Database) -> None:
    running, adding = Index(db, HashingEmbedder()), Index(db, HashingEmbedder())
    await running.load()
    await adding.load()
    await adding.replace(entry("u", "Kayaks."))
    await running.replace(entry("v", "Tides."))
    assert await running.follow()
    assert len(running.meaning) == 2


async def test_a_change_is_read_only_once_the_other_process_is_done(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrieval.index.index.LOOKED", 0.0)
    monkeypatch.setattr("retrieval.index.index.SETTLED", 3600.0)
    monkeypatch.setattr("retrieval.index.index.PATIENCE", 3600.0)
    running, adding = Index(db, HashingEmbedder()), Index(db, HashingEmbedder())
    await running.load()
    await adding.load()
    await adding.replace(entry("u", "Kayaks."))
    assert not await running.follow()
    monkeypatch.setattr("retrieval.index.index.PATIENCE", 0.0)
    assert await running.follow(), "but not put off for ever"


async def test_patience_begins_when_a_change_is_noticed_not_when_the_index_was_read(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrieval.index.index.LOOKED", 0.0)
    clock = [1000.0]
    monkeypatch.setattr("retrieval.index.index.time.monotonic", lambda: clock[0])
    running, adding = Index(db, HashingEmbedder()), Index(db, HashingEmbedder())
    await running.load()
    await adding.load()
    clock[0] += 3600.0
    told = []
    for at in range(70):  # another process writes a page a second
        await adding.replace(entry(f"u{at}", "Kayaks."))
        clock[0] += 1.0
        told.append(await running.follow())
    assert told.index(True) == 60
    assert sum(told) == 1
    clock[0] += 1.0
    assert not await running.follow()
    clock[0] += 3.0
    assert await running.follow(), "the other process is done"
    assert len(running) == 70


class Slow(Watched):
    """Lets a page come in while the vectors of the new model are read."""

    coming: list[Entry]

    async def bring(self) -> None:
        assert self.index
        while self.coming:
            await self.index.replace(self.coming.pop())


async def test_a_page_that_comes_while_the_new_vectors_are_read_is_among_them(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = Slow("new")
    index = await changed(db, new)
    new.coming = [entry("v", "Anchors."), entry("u", "Tides.")]
    read = index.meaning._loaded

    async def reading(embedder: Embedder) -> object:
        matrix = await read(embedder)
        await new.bring()
        return matrix

    monkeypatch.setattr(index.meaning, "_loaded", reading)
    await index.meaning.fill()
    near = await index.semantic("Anchors.", 9)
    rows = await index.db.read("SELECT id FROM chunks ORDER BY id")
    assert sorted(near.ids.tolist()) == [row["id"] for row in rows]


async def test_two_at_once_make_each_vector_once(db: Database) -> None:
    new = Watched("new")
    index = await changed(db, new)
    new.asked.clear()
    assert sorted(await asyncio.gather(index.meaning.fill(), index.meaning.fill())) == [0, 2]
    assert sorted(text for text in new.asked if text != "Kayaks.") == ["Tides."]
    assert new.asked.count("Kayaks.") == 1


async def test_reading_the_index_while_a_model_takes_over_leaves_no_chunk_without_a_vector(db: Database) -> None:
    index = await changed(db, Watched("new"))
    await asyncio.gather(index.meaning.fill(), index.load(), index.load())
    await index.load()
    assert index.meaning.serving
    assert index.meaning.serving.name == "new"
    assert len(index.meaning) == 2


@pytest.mark.usefixtures("patient")
async def test_a_reading_that_was_broken_off_is_done_again(db: Database) -> None:
    begun = asyncio.Event()

    async def slow(_: str) -> Embedder | None:
        if begun.is_set():
            return None
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    adding = Index(db, HashingEmbedder("old"))
    await adding.load()
    running = Index(db, HashingEmbedder("new"), slow)
    await running.load()
    await adding.replace(entry("u", "Kayaks."))
    reading = asyncio.create_task(running.follow())
    await begun.wait()
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    assert await running.follow()
    assert len(running) == 1


async def test_a_context_written_while_vectors_are_made_is_what_is_embedded(db: Database) -> None:
    new = Watched("new")
    index = await changed(db, new)
    rows = await index.db.read("SELECT id FROM chunks WHERE text = 'Kayaks.'")
    chunk = Chunk("Kayaks.", (), 1, context="Of the boats.")

    class Slower(HashingEmbedder):
        async def embed(self, texts: Sequence[str], *, language: str = "", question: bool = False) -> Vectors:
            if any("Kayaks." in text and "boats" not in text for text in texts):
                await index.put_contexts("", "en", {rows[0]["id"]: chunk})
            return await super().embed(texts, language=language, question=question)

    index.meaning.embedder = Slower("new")
    await index.meaning.fill()
    held = await index.db.one("SELECT vector FROM embeddings WHERE chunk_id = $1 AND model = 'new'", rows[0]["id"])
    told = await HashingEmbedder().embed(["Of the boats.\nKayaks."])
    assert held
    assert held["vector"] == told.tobytes()


async def test_a_model_that_changed_its_dimension_under_its_name_is_told(db: Database) -> None:
    class Longer(HashingEmbedder):
        async def embed(self, texts: Sequence[str], *, language: str = "", question: bool = False) -> Vectors:
            vectors = await super().embed(texts, language=language, question=question)
            return np.concatenate([vectors, vectors], axis=1)

    index = Index(db, HashingEmbedder())
    await index.load()
    await index.replace(entry("u", "Kayaks.", "Tides."))
    index.meaning.embedder = index.meaning.serving = Longer()
    with pytest.raises(DimensionError, match="embed all chunks anew"):
        await index.replace(entry("u", "Kayaks.", "Anchors."))


async def test_the_floor_is_measured_anew_when_another_model_has_taken_over(tmp_path: Path) -> None:
    async def earlier(name: str) -> Embedder | None:
        return HashingEmbedder(name)

    path = tmp_path / "k.db"
    async with Knowledge.opened(path, HashingEmbedder("old"), Options()) as knowledge:
        await knowledge.put([Document("u", "", "Kayaks.", "en")])
        assert knowledge.levels.model == "old"
    async with Knowledge.opened(path, HashingEmbedder("new"), Options(), earlier=earlier) as knowledge:
        assert knowledge.levels.model == "old"
        async with knowledge.db.write() as tx:  # killed between the last vector and the take-over
            await tx.run("INSERT INTO embeddings SELECT chunk_id, 'new', dimension, text_hash, vector FROM embeddings")
        await knowledge.catch_up()
        assert knowledge.levels.model == "new"
