"""The index: chunks, their words and their vectors, replaced a document at a time in one short transaction."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from retrieval.db import Database, Row, Tx, now
from retrieval.document import Chunk
from retrieval.embed.embedder import Embedder
from retrieval.index.follow import DEFAULT_TIMES, FollowTimes, GenerationWatch
from retrieval.index.keyword import DEFAULT_LIMITS, KeywordLeg, KeywordLimits, KeywordScores
from retrieval.index.matrix.vectors import NOTHING_NEAR, Nearest
from retrieval.index.semantic import NO_VECTORS, EarlierEmbedder, SemanticLeg, no_earlier_embedder, text_to_embed
from retrieval.index.spelling import SpellingCorrector
from retrieval.index.write import Entry, delete_chunks_of, path_of, write_contexts, write_document
from retrieval.text.analyse import Term

__all__ = ["Entry", "Index"]

# Both chosen by hand, no command compares others: a stray page doesn't add its language to every question's words.
LEAST_LANGUAGE_SHARE = 0.02
"""Share of the documents from which a language counts as one of the corpus."""
MOST_CORPUS_LANGUAGES = 4


class Index:
    """Both legs over one knowledge database. `load` fills what is kept in memory.

    `embedder`: None in keyword mode. `follow_times`, `clock` and `keyword_limits` are for tests and benchmarks.
    """

    def __init__(
        self,
        db: Database,
        embedder: Embedder | None,
        earlier_embedder: EarlierEmbedder = no_earlier_embedder,
        *,
        keyword_limits: KeywordLimits = DEFAULT_LIMITS,
        follow_times: FollowTimes = DEFAULT_TIMES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.db = db
        self.languages: list[str] = []
        """The corpus' languages, the commonest first."""
        self.keyword_leg = KeywordLeg(db, keyword_limits)
        self.semantic_leg = SemanticLeg(db, embedder, earlier_embedder)
        self.spelling = SpellingCorrector({})
        self._watch = GenerationWatch(follow_times, clock)

    def __len__(self) -> int:
        return self.keyword_leg.chunks

    @property
    def embedder(self) -> Embedder | None:
        """What makes vectors of texts; None in keyword mode."""
        return self.semantic_leg.embedder

    async def load(self) -> None:
        """Read vectors and word frequencies."""
        generation = await self._stored_generation()
        await self.semantic_leg.load()
        await self.refresh()
        self._watch.was_read(generation)  # only now: test_a_reading_that_was_broken_off_is_done_again

    async def refresh(self) -> None:
        """Count words and languages anew, after documents changed."""
        await self.keyword_leg.refresh()
        rows = await self.db.read(
            "SELECT language, count(*) AS n FROM documents WHERE tombstoned_at IS NULL GROUP BY language ORDER BY n DESC"
        )
        least = LEAST_LANGUAGE_SHARE * sum(row["n"] for row in rows)
        self.languages = [row["language"] for row in rows if row["n"] >= least][:MOST_CORPUS_LANGUAGES]
        frequency = self.keyword_leg.chunk_frequency
        # A large vocabulary takes a while, and searches go on meanwhile.
        self.spelling = await asyncio.to_thread(SpellingCorrector, frequency, self.languages)

    async def follow(self) -> bool:
        """Read what another process has written, once it is done or after a minute; whether that was so.

        It costs one look at the database a second at most.
        """
        if not self._watch.may_look() or not self._watch.is_due(await self._stored_generation()):
            return False
        await self.load()
        return True

    async def _stored_generation(self) -> int:
        row = await self.db.one("SELECT number FROM generation")
        return int(row["number"]) if row else 0

    async def _raise_generation(self, tx: Tx) -> int:
        """Tell other processes of a change; how many changes by others aren't in memory yet."""
        rows = await tx.run("UPDATE generation SET number = number + 1 RETURNING number")
        return self._watch.changes_of_others(int(rows[0]["number"]))

    async def replace(self, entry: Entry) -> str:
        """The document's chunks as they are now; returns its id. Unchanged ones keep their ids, unchanged texts their vectors.

        Raises EmbedError and DimensionError, and changes nothing.
        """
        entry = replace(entry, chunks=await self._with_contexts(entry))
        document = entry.document
        texts = [text_to_embed(document.title, chunk) for chunk in entry.chunks]
        # Before the transaction, which keeps all other writers out: a model takes seconds.
        embedded = await self.semantic_leg.vectors_of(document.url, document.language, texts)
        async with self.db.write() as tx:
            written = await write_document(tx, entry)
            new = await self.semantic_leg.store(tx, written.chunk_ids, embedded)
            changes_of_others = await self._raise_generation(tx)
        self._watch.count_own_change(changes_of_others)
        new_ids = [written.chunk_ids[at] for at in new]
        self.semantic_leg.changed(written.removed_ids, new_ids, embedded.only(new).vectors if new else NO_VECTORS)
        self.keyword_leg.changed()
        return written.document_id

    async def _with_contexts(self, entry: Entry) -> list[Chunk]:
        """The chunks with the contexts that were written for them earlier."""
        rows = await self.db.read(
            "SELECT c.heading_path, c.text, c.context FROM chunks c JOIN documents d ON d.id = c.document_id"
            " WHERE d.url = $1 AND c.context <> ''",
            entry.document.url,
        )
        contexts = {(row["heading_path"], row["text"]): row["context"] for row in rows}
        return [
            chunk if chunk.context else replace(chunk, context=contexts.get((path_of(chunk), chunk.text), ""))
            for chunk in entry.chunks
        ]

    async def put_contexts(self, title: str, language: str, chunks: Mapping[int, Chunk]) -> None:
        """Write the contexts of one document's chunks, by id; they are searched with them from now on."""
        texts = [text_to_embed(title, chunk) for chunk in chunks.values()]
        embedded = await self.semantic_leg.vectors_of("", language, texts)
        positions = {chunk_id: at for at, chunk_id in enumerate(chunks)}
        # Of chunks that a crawl has replaced since the contexts were asked for, nothing is written.
        async with self.db.write() as tx:
            ids = await write_contexts(tx, title, language, chunks)
            remaining = embedded.only([positions[chunk_id] for chunk_id in ids])
            await self.semantic_leg.store(tx, ids, remaining)
            changes_of_others = await self._raise_generation(tx)
        self._watch.count_own_change(changes_of_others)
        self.semantic_leg.changed((), ids if self.embedder else (), remaining.vectors)
        self.keyword_leg.changed()

    async def remove(self, document_id: str) -> None:
        """Tombstone a document: its text stays in the database, its chunks leave the index."""
        async with self.db.write() as tx:
            removed_ids = await delete_chunks_of(tx, document_id)
            await tx.run("UPDATE documents SET tombstoned_at = $2, content_hash = '' WHERE id = $1", document_id, now())
            changes_of_others = await self._raise_generation(tx)
        self._watch.count_own_change(changes_of_others)
        self.semantic_leg.changed(removed_ids, (), NO_VECTORS)
        self.keyword_leg.changed()

    async def keyword_scores(self, terms: Collection[Term]) -> KeywordScores:
        """What the question's words reach, over the whole index."""
        return await self.keyword_leg.scores_of(terms)

    async def nearest(self, question: str, most: int, language: str = "") -> Nearest:
        """The chunks whose vectors are nearest to a question's, best first; none without an embedder."""
        vector = await self.semantic_leg.question_vector(question, language)
        return NOTHING_NEAR if vector is None else self.semantic_leg.nearest(vector, most)

    async def chunks(self, ids: Sequence[int]) -> dict[int, Row]:
        """Chunks with their documents and parents, by id; ids that have just gone are left out."""
        rows = await self.db.read(
            "SELECT c.id, c.document_id, c.heading_path, c.text, c.tokens, c.page, d.url, d.title, d.language, d.fetched_at,"
            " c.parent_id, p.text AS parent_text, p.tokens AS parent_tokens, p.page AS parent_page"
            " FROM chunks c JOIN documents d ON d.id = c.document_id"
            " LEFT JOIN parents p ON p.id = c.parent_id"
            " WHERE c.id IN (SELECT value FROM json_each($1))",
            json.dumps(list(ids)),
        )
        return {row["id"]: row for row in rows}

    async def analysed_words(self, ids: Sequence[int]) -> dict[int, Row]:
        """The chunks' words as the keyword leg keeps them, by id: title, headings and text, words in their order."""
        rows = await self.db.read(
            "SELECT rowid AS id, title, headings, text FROM chunk_words"
            " WHERE rowid IN (SELECT value FROM json_each($1))",
            json.dumps(list(ids)),
        )
        return {row["id"]: row for row in rows}

    def weight(self, term: Term) -> float:
        """The term's inverse document frequency; a word that the corpus doesn't hold weighs most."""
        return self.keyword_leg.weight(term)
