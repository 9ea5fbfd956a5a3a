"""The semantic leg: which model's vectors are searched while another one's are being made."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from retrieval.db import Database, Row
from retrieval.document import Chunk
from retrieval.embed.embedder import Embedder, Vectors
from retrieval.errors import DimensionError
from retrieval.index.index import Entry, Index
from retrieval.knowledge import MIGRATIONS
from tests.retrieval.hashing import HashingEmbedder
from tests.retrieval.index.entries import entry


class NewModel(HashingEmbedder):
    """Says, while it embeds pages, which model answers questions meanwhile."""

    def __init__(self) -> None:
        super().__init__("new")
        self.index: Index | None = None
        self.answered_by: list[str] = []

    async def embed(self, texts: Sequence[str], *, language: str = "", question: bool = False) -> Vectors:
        if self.index and not question and self.index.semantic_leg.serving:
            near = await self.index.nearest("Kayaks.", 1)
            self.answered_by.append(f"{self.index.semantic_leg.serving.name} {len(near.ids)}")
        return await super().embed(texts, language=language, question=question)


async def index_after_a_change_of_model(db: Database, new: HashingEmbedder) -> Index:
    """An index of two chunks whose vectors are by the model "old", opened with a new one."""
    before = Index(db, HashingEmbedder("old"))
    await before.load()
    await before.replace(entry("u", "Kayaks.", "Tides."))

    async def earlier_embedder(name: str) -> Embedder | None:
        return HashingEmbedder(name) if name == "old" else None

    index = Index(db, new, earlier_embedder)
    await index.load()
    return index


async def models(db: Database) -> set[str]:
    return {row["model"] for row in await db.read("SELECT DISTINCT model FROM embeddings")}


async def test_the_old_vectors_serve_until_every_chunk_has_a_new_one(db: Database) -> None:
    new = NewModel()
    new.index = index = await index_after_a_change_of_model(db, new)
    assert index.semantic_leg.serving
    assert index.semantic_leg.serving.name == "old"
    assert await index.semantic_leg.embed_missing() == 2
    assert new.answered_by == ["old 1"], "while the new vectors were made, the old ones were searched"
    assert index.semantic_leg.serving.name == "new"
    assert len((await index.nearest("Kayaks.", 5)).ids) == 2
    assert await models(db) == {"new"}


async def test_a_page_that_comes_while_a_model_changes_is_embedded_by_the_new_one(db: Database) -> None:
    index = await index_after_a_change_of_model(db, NewModel())
    await index.replace(entry("v", "Anchors."))
    assert len(index.semantic_leg) == 2, "one model's vectors only are searched"
    assert await index.semantic_leg.embed_missing() == 2
    assert len(index.semantic_leg) == 3


async def test_without_the_old_model_words_alone_serve_until_the_new_vectors_are_there(db: Database) -> None:
    before = Index(db, HashingEmbedder("old"))
    await before.load()
    await before.replace(entry("u", "Kayaks."))
    index = Index(db, HashingEmbedder("new"))
    await index.load()
    assert len((await index.nearest("Kayaks.", 5)).ids) == 0
    await index.semantic_leg.embed_missing()
    assert len((await index.nearest("Kayaks.", 5)).ids) == 1


class InterruptedDatabase(Database):
    """A database that lets pages come in when a model's vectors are read: before the first of them or after the last."""

    index: Index | None = None
    coming: list[Entry]
    before_first = False

    async def read(self, sql: str, *args: object) -> list[Row]:
        rows = await super().read(sql, *args)
        if "ORDER BY chunk_id LIMIT" in sql and self.index and bool(rows) == self.before_first:
            while self.coming:
                await self.index.replace(self.coming.pop())
        return rows


@asynccontextmanager
async def interrupted_database(path: Path) -> AsyncIterator[InterruptedDatabase]:
    async with InterruptedDatabase.opened(path / "k.db", MIGRATIONS, "retrieval") as db:
        assert isinstance(db, InterruptedDatabase)
        async with db.write() as tx:
            await tx.run("INSERT INTO sources (id, kind, added_at) VALUES ('test', 'upload', '')")
        yield db


@pytest.mark.parametrize("before_first", [False, True])
async def test_a_page_that_comes_while_the_new_vectors_are_read_is_among_them(
    tmp_path: Path, before_first: bool
) -> None:
    async with interrupted_database(tmp_path) as db:
        index = await index_after_a_change_of_model(db, NewModel())
        db.index, db.before_first = index, before_first
        db.coming = [entry("v", "Anchors."), entry("u", "Tides.")]
        await index.semantic_leg.embed_missing()
        assert db.coming == [], "they came in while vectors were read"
        near = await index.nearest("Anchors.", 9)
        rows = await index.db.read("SELECT id FROM chunks ORDER BY id")
        assert sorted(near.ids.tolist()) == [row["id"] for row in rows]


async def test_a_page_that_comes_while_the_old_vectors_are_read_is_not_among_them(tmp_path: Path) -> None:
    async with interrupted_database(tmp_path) as db:
        index = await index_after_a_change_of_model(db, NewModel())
        db.index, db.coming = index, [entry("v", "Anchors.")]
        await index.load()
        assert db.coming == []
        assert len(index.semantic_leg) == 2, "its vector is the new model's, and the old one's are searched"


async def test_two_at_once_make_each_vector_once(db: Database) -> None:
    new = NewModel()
    index = await index_after_a_change_of_model(db, new)
    leg = index.semantic_leg
    assert sorted(await asyncio.gather(leg.embed_missing(), leg.embed_missing())) == [0, 2]
    assert sorted(new.asked) == ["Kayaks.", "Tides."]


async def test_reading_the_index_while_a_model_takes_over_leaves_no_chunk_without_a_vector(db: Database) -> None:
    index = await index_after_a_change_of_model(db, NewModel())
    await asyncio.gather(index.semantic_leg.embed_missing(), index.load(), index.load())
    await index.load()
    assert index.semantic_leg.serving
    assert index.semantic_leg.serving.name == "new"
    assert len(index.semantic_leg) == 2


class WritesContext(HashingEmbedder):
    """While it embeds the text about kayaks, a context is written for it, and embedded with it."""

    index: Index | None = None

    async def embed(self, texts: Sequence[str], *, language: str = "", question: bool = False) -> Vectors:
        if self.index and any("Kayaks." in text and "boats" not in text for text in texts):
            rows = await self.index.db.read("SELECT id FROM chunks WHERE text = 'Kayaks.'")
            chunk = Chunk("Kayaks.", (), 1, context="Of the boats.")
            await self.index.put_contexts("", "en", {rows[0]["id"]: chunk})
        return await super().embed(texts, language=language, question=question)


async def test_a_context_written_while_vectors_are_made_is_what_is_embedded(db: Database) -> None:
    new = WritesContext("new")
    new.index = index = await index_after_a_change_of_model(db, new)
    await index.semantic_leg.embed_missing()
    stored = await db.one(
        "SELECT vector FROM embeddings WHERE model = 'new' AND chunk_id IN (SELECT id FROM chunks WHERE text = 'Kayaks.')"
    )
    expected = await HashingEmbedder().embed(["Of the boats.\nKayaks."])
    assert stored
    assert stored["vector"] == expected.tobytes()


class Longer(HashingEmbedder):
    """The same name, vectors of another length."""

    async def embed(self, texts: Sequence[str], *, language: str = "", question: bool = False) -> Vectors:
        vectors = await super().embed(texts, language=language, question=question)
        return np.concatenate([vectors, vectors], axis=1)


async def test_a_model_that_changed_its_dimension_under_its_name_is_told(index: Index) -> None:
    await index.replace(entry("u", "Kayaks.", "Tides."))
    later = Index(index.db, Longer())
    await later.load()
    with pytest.raises(DimensionError, match="embed all chunks anew"):
        await later.replace(entry("u", "Kayaks.", "Anchors."))
