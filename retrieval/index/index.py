"""The index: chunks, their words and their vectors, replaced a document at a time in one short transaction."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from retrieval.db import Database, Row, Tx, now
from retrieval.document import Chunk
from retrieval.embed.embedder import Embedder
from retrieval.index.keyword import Postings, Words
from retrieval.index.matrix.vectors import NOTHING_NEAR, Nearest
from retrieval.index.semantic import Earlier, Meaning, embedded, no_earlier
from retrieval.index.spelling import Speller
from retrieval.index.write import Entry, drop, path_of, put, put_contexts
from retrieval.text.analyse import Term

__all__ = ["Entry", "Index"]

SHARE = 0.02
"""Share of the documents from which a language counts as one of the corpus."""
MOST_LANGUAGES = 4
LOOKED = 1.0
"""Seconds between two looks at what another process may have written."""
SETTLED, PATIENCE = 3.0, 60.0
"""Seconds without a change after which it is read; seconds after which it is read though changes go on."""


class Index:
    """Both legs over one knowledge database. `load` fills what is kept in memory."""

    def __init__(self, db: Database, embedder: Embedder | None, earlier: Earlier = no_earlier) -> None:
        self.db = db
        self.languages: list[str] = []
        self.postings = Postings(db)
        self.meaning = Meaning(db, embedder, earlier)
        self.speller = Speller({})
        self._generation = self._noticed = -1
        self._looked_at = self._noticed_at = self._behind_since = 0.0

    def __len__(self) -> int:
        return self.postings.chunks

    @property
    def embedder(self) -> Embedder | None:
        """What makes vectors of texts; None in keyword mode."""
        return self.meaning.embedder

    async def load(self) -> None:
        """Read vectors and word frequencies."""
        stored = await self._stored_generation()
        await self.meaning.load()
        await self.refresh()
        self._generation = self._noticed = stored  # only now: what was broken off is done again

    async def refresh(self) -> None:
        """Count words and languages anew, after documents changed."""
        await self.postings.refresh()
        rows = await self.db.read(
            "SELECT language, count(*) AS n FROM documents WHERE tombstoned_at IS NULL GROUP BY language ORDER BY n DESC"
        )
        least = SHARE * sum(row["n"] for row in rows)
        self.languages = [row["language"] for row in rows if row["n"] >= least][:MOST_LANGUAGES]
        self.speller = await asyncio.to_thread(Speller, self.postings.frequency, self.languages)

    async def follow(self) -> bool:
        """Read what another process has written, once it is done or after a minute; whether that was so.

        It costs one look at the database a second at most.
        """
        moment = time.monotonic()
        if moment - self._looked_at < LOOKED:
            return False
        self._looked_at = moment
        stored = await self._stored_generation()
        if stored == self._generation:
            self._noticed = stored
            return False
        if self._noticed == self._generation:
            self._behind_since = moment
        if stored != self._noticed:
            self._noticed, self._noticed_at = stored, moment
        if moment - self._noticed_at < SETTLED and moment - self._behind_since < PATIENCE:
            return False
        await self.load()
        return True

    async def _stored_generation(self) -> int:
        row = await self.db.one("SELECT number FROM generation")
        return int(row["number"]) if row else 0

    async def _raised(self, tx: Tx) -> int:
        """Tell other processes of a change; how many of them there were besides this one's."""
        rows = await tx.run("UPDATE generation SET number = number + 1 RETURNING number")
        return int(rows[0]["number"]) - 1 - self._generation

    def _told(self, others: int) -> None:
        """This process knows its own change; when there were others' too, it still has to read those."""
        if not others:
            self._generation += 1
            self._noticed = max(self._noticed, self._generation)

    async def replace(self, entry: Entry) -> str:
        """The document's chunks as they are now; returns its id. Unchanged ones keep their ids, unchanged texts their vectors."""
        entry = replace(entry, chunks=await self._with_contexts(entry))
        document = entry.document
        texts = [embedded(document.title, chunk) for chunk in entry.chunks]
        made = await self.meaning.of(document.url, document.language, texts)
        async with self.db.write() as tx:
            done = await put(tx, entry)
            new = await self.meaning.put(tx, done.ids, made)
            others = await self._raised(tx)
        self._told(others)
        self.meaning.changed(done.gone, [done.ids[at] for at in new], made.vectors[new] if new else made.vectors[:0])
        self.postings.changed()
        return done.document_id

    async def _with_contexts(self, entry: Entry) -> list[Chunk]:
        """The chunks with the contexts that were written for them earlier."""
        rows = await self.db.read(
            "SELECT c.heading_path, c.text, c.context FROM chunks c JOIN documents d ON d.id = c.document_id"
            " WHERE d.url = $1 AND c.context <> ''",
            entry.document.url,
        )
        known = {(row["heading_path"], row["text"]): row["context"] for row in rows}
        return [
            chunk if chunk.context else replace(chunk, context=known.get((path_of(chunk), chunk.text), ""))
            for chunk in entry.chunks
        ]

    async def put_contexts(self, title: str, language: str, chunks: Mapping[int, Chunk]) -> None:
        """One document's chunks by id, with the contexts that are searched with them from now on."""
        texts = [embedded(title, chunk) for chunk in chunks.values()]
        made = await self.meaning.of("", language, texts)
        places = {chunk_id: at for at, chunk_id in enumerate(chunks)}
        async with self.db.write() as tx:
            ids = await put_contexts(tx, title, language, chunks)
            still = [places[chunk_id] for chunk_id in ids]
            await self.meaning.put(tx, ids, made.only(still))
            others = await self._raised(tx)
        self._told(others)
        self.meaning.changed((), ids if self.embedder else (), made.only(still).vectors)
        self.postings.changed()

    async def remove(self, document_id: str) -> None:
        """Tombstone a document: its text stays in the database, its chunks leave the index."""
        async with self.db.write() as tx:
            old = await drop(tx, document_id)
            await tx.run("UPDATE documents SET tombstoned_at = $2, content_hash = '' WHERE id = $1", document_id, now())
            others = await self._raised(tx)
        self._told(others)
        self.meaning.changed(old, (), np.empty((0, 0), np.float32))
        self.postings.changed()

    async def words(self, terms: Collection[Term]) -> Words:
        """What the question's words reach, over the whole index."""
        return await self.postings.lookup(terms)

    async def semantic(self, question: str, most: int, language: str = "") -> Nearest:
        """The chunks nearest to a question."""
        vector = await self.meaning.vector(question, language)
        return NOTHING_NEAR if vector is None else self.meaning.nearest(vector, most)

    async def chunks(self, ids: Sequence[int]) -> dict[int, Row]:
        """Chunks with their documents, by id; ids that have just gone are left out."""
        rows = await self.db.read(
            "SELECT c.id, c.document_id, c.heading_path, c.text, c.tokens, c.page, d.url, d.title, d.language, d.fetched_at,"
            " c.parent_id, p.text AS parent_text, p.tokens AS parent_tokens, p.page AS parent_page"
            " FROM chunks c JOIN documents d ON d.id = c.document_id"
            " LEFT JOIN parents p ON p.id = c.parent_id"
            " WHERE c.id IN (SELECT value FROM json_each($1))",
            json.dumps(list(ids)),
        )
        return {row["id"]: row for row in rows}

    async def analysed(self, ids: Sequence[int]) -> dict[int, Row]:
        """The chunks' words as the keyword leg keeps them: title, headings and text, words in their order."""
        rows = await self.db.read(
            "SELECT rowid AS id, title, headings, text FROM chunk_words"
            " WHERE rowid IN (SELECT value FROM json_each($1))",
            json.dumps(list(ids)),
        )
        return {row["id"]: row for row in rows}

    def weight(self, term: Term) -> float:
        """The term's inverse document frequency; a word that the corpus doesn't hold weighs most."""
        return self.postings.weight(term)
