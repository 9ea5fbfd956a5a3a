"""The semantic leg: every chunk's vector, in the database and in memory, and the models that make and read them."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import numpy as np

from retrieval.db import Database, Row, Tx
from retrieval.document import Chunk
from retrieval.embed.embedder import Embedder, Vectors, batches
from retrieval.index.matrix.places import Ids
from retrieval.index.matrix.vectors import NOTHING_NEAR, Matrix, Nearest, check_dimension
from retrieval.text.plain import plain

# All three chosen by hand, no command compares others.
MOST_TITLE_LETTERS = 300
"""How much of a title is embedded with each of a document's chunks."""
FILL_BATCH_CHUNKS = 64
"""Chunks embedded at once after a model has changed; each batch is committed, so a kill loses one at most."""
LOAD_BATCH_VECTORS = 4096
"""Vectors read from the database at once: some 12 MB beside the matrix."""
NO_VECTORS: Vectors = np.empty((0, 0), np.float32)
EarlierEmbedder = Callable[[str], Awaitable[Embedder | None]]
"""Gives the embedder of a model that was used before, by the model's name; None when it can't be had."""


@dataclass(frozen=True, slots=True, eq=False)
class TextVectors:
    """The vectors of some texts, shape (texts, dimension), and a hash of each text. Without an embedder there are no vectors."""

    hashes: Sequence[str]
    vectors: Vectors

    def only(self, positions: Sequence[int]) -> TextVectors:
        """Those of the texts at some positions."""
        vectors = self.vectors[list(positions)] if len(self.vectors) else self.vectors
        return TextVectors([self.hashes[at] for at in positions], vectors)


@dataclass(frozen=True, slots=True, eq=False)
class _Change:
    """Chunks that left the index, chunks that came into it, and the vectors of these."""

    removed: Sequence[int]
    ids: Sequence[int]
    vectors: Vectors


async def no_earlier_embedder(_: str) -> None:
    """Where no earlier model can be had."""


class SemanticLeg:
    """The vectors of one knowledge database.

    `embedder` makes vectors; `serving` made those that are searched. They differ after the model was changed, until each
    chunk has a vector of the new model: then the new ones are searched, in one step, and the old ones are deleted.
    """

    def __init__(
        self, db: Database, embedder: Embedder | None, earlier_embedder: EarlierEmbedder = no_earlier_embedder
    ) -> None:
        self._db = db
        self._earlier_embedder = earlier_embedder
        self._filling = asyncio.Lock()
        self._switching = asyncio.Lock()
        self._changes_while_reading: list[_Change] | None = None
        self.embedder = embedder
        self.serving = embedder
        self._matrix = Matrix(embedder.dimension if embedder else 0)

    def __len__(self) -> int:
        return len(self._matrix)

    @property
    def nbytes(self) -> int:
        """Bytes in memory beside the vectors themselves."""
        return self._matrix.nbytes

    async def load(self) -> None:
        """Read the vectors to search: the current model's, or an earlier one's while most chunks have only those."""
        if self.embedder is None:
            return
        async with self._switching:
            # The model with the most vectors serves: after a change that is the old one until the new one has as many.
            rows = await self._db.read("SELECT model, count(*) AS n FROM embeddings GROUP BY model ORDER BY n DESC")
            serving = self.embedder
            if rows and rows[0]["model"] != self.embedder.name:
                serving = await self._earlier_embedder(rows[0]["model"]) or self.embedder
            await self._switch_to(serving)

    async def _switch_to(self, serving: Embedder) -> None:
        """Search a model's vectors from now on.

        What changes while they are read is noted and made up for, else a page that comes meanwhile would be missing:
        test_a_page_that_comes_while_the_new_vectors_are_read_is_among_them.
        """
        changes: list[_Change] = []
        self._changes_while_reading = changes
        try:
            matrix = await self._read_matrix(serving)
            for change in changes:
                ids = change.ids if serving is self.embedder else ()
                matrix.replace([*change.removed, *change.ids], ids, change.vectors)
            self._matrix, self.serving = matrix, serving
        finally:
            self._changes_while_reading = None

    async def _read_matrix(self, embedder: Embedder) -> Matrix:
        count = await self._db.one("SELECT count(*) AS n FROM embeddings WHERE model = $1", embedder.name)
        matrix, last = Matrix(embedder.dimension), -1
        while rows := await self._db.read(
            "SELECT chunk_id, vector FROM embeddings WHERE model = $1 AND chunk_id > $2 ORDER BY chunk_id LIMIT $3",
            embedder.name,
            last,
            LOAD_BATCH_VECTORS,
        ):
            if not len(matrix):  # an embedder behind HTTP doesn't know its dimension yet; the rows do
                matrix = Matrix(len(rows[0]["vector"]) // 4)
                matrix.reserve(count["n"] if count else 0)
            matrix.extend([row["chunk_id"] for row in rows], _vectors_in(rows))
            last = rows[-1]["chunk_id"]
        return matrix

    async def vectors_of(self, url: str, language: str, texts: Sequence[str]) -> TextVectors:
        """The vectors of the texts of a document's chunks; those that the document had before aren't made again.

        Raises EmbedError, and DimensionError when the model's vectors have another length than they had.
        """
        hashes = [_hash(text) for text in texts]
        if self.embedder is None or not texts:
            return TextVectors(hashes, NO_VECTORS)
        rows = await self._db.read(
            "SELECT e.text_hash, e.vector FROM embeddings e JOIN chunks c ON c.id = e.chunk_id"
            " JOIN documents d ON d.id = c.document_id WHERE d.url = $1 AND e.model = $2",
            url,
            self.embedder.name,
        )
        stored = {row["text_hash"]: np.frombuffer(row["vector"], np.float32) for row in rows}
        missing = [text for text, key in zip(texts, hashes, strict=True) if key not in stored]
        new = await self.embedder.embed(missing, language=language) if missing else NO_VECTORS
        for old in stored.values() if missing else ():  # else numpy would say it, in words that help nobody
            check_dimension(new[0], len(old))
        unused = iter(new)
        vectors = np.stack([stored[key] if key in stored else next(unused) for key in hashes])
        if self.serving is self.embedder:
            self._matrix.check(vectors)  # now: after the transaction, database and memory would disagree
        return TextVectors(hashes, vectors)

    async def store(self, tx: Tx, chunk_ids: Sequence[int], texts: TextVectors) -> list[int]:
        """Write the vectors that these chunks lack, in their order; the positions of those chunks among the ids."""
        if self.embedder is None or not chunk_ids:
            return []
        rows = await tx.run(
            "SELECT chunk_id, text_hash FROM embeddings WHERE model = $1 AND chunk_id IN"
            " (SELECT value FROM json_each($2))",
            self.embedder.name,
            json.dumps(list(chunk_ids)),
        )
        # A chunk that kept its id may have got another context: the hash is of all that is embedded.
        stored = {row["chunk_id"]: row["text_hash"] for row in rows}
        lacking = [at for at, chunk_id in enumerate(chunk_ids) if stored.get(chunk_id) != texts.hashes[at]]
        await tx.many(
            "INSERT INTO embeddings (chunk_id, model, dimension, text_hash, vector) VALUES ($1, $2, $3, $4, $5)"
            " ON CONFLICT (chunk_id, model) DO UPDATE SET dimension = $3, text_hash = $4, vector = $5",
            [
                (
                    chunk_ids[at],
                    self.embedder.name,
                    texts.vectors.shape[1],
                    texts.hashes[at],
                    texts.vectors[at].tobytes(),
                )
                for at in lacking
            ],
        )
        return lacking

    def changed(self, removed: Sequence[int], ids: Sequence[int], vectors: Vectors) -> None:
        """Take chunks out of what is searched and put others in, after their transaction was committed.

        `vectors`, of shape (ids, dimension), are the current model's: while an earlier one serves, they aren't searched.
        """
        if self._changes_while_reading is not None:
            self._changes_while_reading.append(_Change(removed, ids, vectors))
        if self.embedder is not None and self.serving is self.embedder:
            self._matrix.replace([*removed, *ids], ids, vectors)
        else:
            self._matrix.replace(removed, (), NO_VECTORS)

    async def embed_missing(self) -> int:
        """Embed the chunks that have no vector of the current model, from their stored text; how many there were.

        Searches go on over the vectors that there are. At the end the model's own take over, and others' are deleted.
        """
        if self.embedder is None:
            return 0
        async with self._filling:  # of two at once the second finds nothing left to make
            return await self._embed_missing(self.embedder)

    async def _embed_missing(self, embedder: Embedder) -> int:
        rows = await self._db.read(
            "SELECT c.id, c.heading_path, c.text, c.context, d.title, d.language FROM chunks c"
            " JOIN documents d ON d.id = c.document_id"
            " WHERE c.id NOT IN (SELECT chunk_id FROM embeddings WHERE model = $1) ORDER BY d.language, c.id",
            embedder.name,
        )
        for language, of_one_language in groupby(rows, key=itemgetter("language")):
            for batch in batches(list(of_one_language), FILL_BATCH_CHUNKS):
                await self._embed_batch(embedder, batch, language)
        await self._take_over(embedder)
        return len(rows)

    async def _embed_batch(self, embedder: Embedder, rows: Sequence[Row], language: str) -> None:
        texts = [text_to_embed(row["title"], chunk_of(row)) for row in rows]
        embedded = TextVectors([_hash(text) for text in texts], await embedder.embed(texts, language=language))
        async with self._db.write() as tx:
            # A chunk that got a vector meanwhile has a newer text than the one that was embedded here:
            # test_a_context_written_while_vectors_are_made_is_what_is_embedded.
            waiting = await tx.run(
                "SELECT id FROM chunks WHERE id IN (SELECT value FROM json_each($1))"
                " AND id NOT IN (SELECT chunk_id FROM embeddings WHERE model = $2)",
                json.dumps([row["id"] for row in rows]),
                embedder.name,
            )
            waiting_ids = {row["id"] for row in waiting}
            positions = [at for at, row in enumerate(rows) if row["id"] in waiting_ids]
            ids = [rows[at]["id"] for at in positions]
            await self.store(tx, ids, embedded.only(positions))
        self.changed((), ids, embedded.only(positions).vectors)

    async def _take_over(self, embedder: Embedder) -> None:
        """Search the embedder's vectors alone, now that each chunk has one."""
        async with self._switching:
            if self.serving is not embedder:
                await self._switch_to(embedder)
        # Last of all: a kill before this leaves them, and the next run deletes them.
        if await self._db.one("SELECT 1 FROM embeddings WHERE model <> $1 LIMIT 1", embedder.name):
            async with self._db.write() as tx:
                await tx.run("DELETE FROM embeddings WHERE model <> $1", embedder.name)

    async def question_vector(self, question: str, language: str = "") -> Vectors | None:
        """The question's vector by the serving model; None without an embedder or any vector to compare it with."""
        if self.serving is None or not len(self._matrix):
            return None
        vectors: Vectors = await self.serving.embed([question], language=language, question=True)
        return vectors.reshape(-1)

    def nearest(self, vector: Vectors, most: int, allowed: Ids | None = None) -> Nearest:
        """The chunks nearest to a vector, only the `allowed` ones where these are given.

        Nothing for a vector of another length: another model has taken over since it was made.
        """
        return self._matrix.nearest(vector, most, allowed) if self._matrix.dimension == len(vector) else NOTHING_NEAR

    def cosines(self, vector: Vectors, chunk_ids: Ids) -> dict[int, float]:
        """The chunks' cosines with a vector; chunks without a vector are left out, all for a vector of another length."""
        return self._matrix.cosines(vector, chunk_ids) if self._matrix.dimension == len(vector) else {}


def text_to_embed(title: str, chunk: Chunk) -> str:
    """What is embedded of a chunk: its document's title, its heading path, its context, its text."""
    parts = (title[:MOST_TITLE_LETTERS], " > ".join(chunk.heading_path), chunk.context, plain(chunk.text))
    return "\n".join(part for part in parts if part)


def chunk_of(row: Row) -> Chunk:
    """The chunk in a row with heading path, text and context, as far as it is embedded."""
    return Chunk(row["text"], tuple(json.loads(row["heading_path"])), context=row["context"])


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]  # 128 bits: no two texts of an index share one by chance


def _vectors_in(rows: Sequence[Row]) -> Vectors:
    return np.frombuffer(b"".join(row["vector"] for row in rows), np.float32).reshape(len(rows), -1)
