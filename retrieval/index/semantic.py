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
from retrieval.embed.embedder import Embedder, Vectors
from retrieval.index.keyword import Ids
from retrieval.index.matrix.vectors import NOTHING_NEAR, Matrix, Nearest, check_dimension
from retrieval.text.plain import plain

MOST_TITLE = 300
"""Letters of a title that are embedded with each of a document's chunks."""
BATCH = 64
"""Chunks embedded at once when a model has changed; each batch is committed."""
LOADED = 4096
"""Vectors read at once when the index is loaded."""
Earlier = Callable[[str], Awaitable[Embedder | None]]
"""The embedder of a model that was used before, by its name; None when it can't be had."""


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """The vectors of some texts, and a hash of each text. Without an embedder the array has no rows."""

    hashes: Sequence[str]
    vectors: Vectors

    def only(self, places: Sequence[int]) -> Made:
        """Those of some of the texts."""
        vectors = self.vectors[list(places)] if len(self.vectors) else self.vectors
        return Made([self.hashes[at] for at in places], vectors)


async def no_earlier(_: str) -> None:
    """Where no earlier model can be had."""


class Meaning:
    """The vectors of one knowledge database.

    `embedder` makes vectors; `serving` made those that are searched. They differ after the model was changed, until each
    chunk has a vector of the new model: then the new ones are searched, in one step, and the old ones go.
    """

    def __init__(self, db: Database, embedder: Embedder | None, earlier: Earlier = no_earlier) -> None:
        self._db = db
        self._earlier = earlier
        self._filling = asyncio.Lock()
        self._turning = asyncio.Lock()
        self._meanwhile: list[tuple[Sequence[int], Sequence[int], Vectors]] | None = None
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
        """Read the vectors to search: the current model's, or the earlier one's while most chunks have only those."""
        if self.embedder is None:
            return
        async with self._turning:
            rows = await self._db.read("SELECT model, count(*) AS n FROM embeddings GROUP BY model ORDER BY n DESC")
            serving = self.embedder
            if rows and rows[0]["model"] != self.embedder.name:
                serving = await self._earlier(rows[0]["model"]) or self.embedder
            await self._turn_to(serving)

    async def _turn_to(self, serving: Embedder) -> None:
        """Search the vectors of a model from now on, with what has changed while they were read."""
        meanwhile: list[tuple[Sequence[int], Sequence[int], Vectors]] = []
        self._meanwhile = meanwhile
        try:
            matrix = await self._loaded(serving)
            for gone, ids, vectors in meanwhile:
                fresh = ids if serving is self.embedder else ()
                matrix.replace([*gone, *ids], fresh, vectors)
            self._matrix, self.serving = matrix, serving
        finally:
            self._meanwhile = None

    async def _loaded(self, embedder: Embedder) -> Matrix:
        count = await self._db.one("SELECT count(*) AS n FROM embeddings WHERE model = $1", embedder.name)
        matrix, last = Matrix(embedder.dimension), -1
        while rows := await self._db.read(
            "SELECT chunk_id, vector FROM embeddings WHERE model = $1 AND chunk_id > $2 ORDER BY chunk_id LIMIT $3",
            embedder.name,
            last,
            LOADED,
        ):
            if not len(matrix):
                matrix = Matrix(len(rows[0]["vector"]) // 4)
                matrix.reserve(count["n"] if count else 0)
            matrix.extend([row["chunk_id"] for row in rows], _unpacked(rows))
            last = rows[-1]["chunk_id"]
        return matrix

    async def of(self, url: str, language: str, texts: Sequence[str]) -> Made:
        """The vectors of a document's texts; those that it had before aren't made again."""
        hashes = [_hash(text) for text in texts]
        if self.embedder is None or not texts:
            return Made(hashes, np.empty((0, 0), np.float32))
        rows = await self._db.read(
            "SELECT e.text_hash, e.vector FROM embeddings e JOIN chunks c ON c.id = e.chunk_id"
            " JOIN documents d ON d.id = c.document_id WHERE d.url = $1 AND e.model = $2",
            url,
            self.embedder.name,
        )
        kept = {row["text_hash"]: np.frombuffer(row["vector"], np.float32) for row in rows}
        missing = [text for text, key in zip(texts, hashes, strict=True) if key not in kept]
        made = await self.embedder.embed(missing, language=language) if missing else np.empty((0, 0), np.float32)
        for old in kept.values() if missing else ():
            check_dimension(made[0], len(old))
        fresh = iter(made)
        vectors = np.stack([kept[key] if key in kept else next(fresh) for key in hashes])
        if self.serving is self.embedder:
            self._matrix.check(vectors)
        return Made(hashes, vectors)

    async def put(self, tx: Tx, ids: Sequence[int], made: Made) -> list[int]:
        """Write the vectors that these chunks lack; their places among the ids."""
        if self.embedder is None or not ids:
            return []
        rows = await tx.run(
            "SELECT chunk_id, text_hash FROM embeddings WHERE model = $1 AND chunk_id IN"
            " (SELECT value FROM json_each($2))",
            self.embedder.name,
            json.dumps(list(ids)),
        )
        held = {row["chunk_id"]: row["text_hash"] for row in rows}
        lacking = [at for at, chunk_id in enumerate(ids) if held.get(chunk_id) != made.hashes[at]]
        await tx.many(
            "INSERT INTO embeddings (chunk_id, model, dimension, text_hash, vector) VALUES ($1, $2, $3, $4, $5)"
            " ON CONFLICT (chunk_id, model) DO UPDATE SET dimension = $3, text_hash = $4, vector = $5",
            [
                (ids[at], self.embedder.name, made.vectors.shape[1], made.hashes[at], made.vectors[at].tobytes())
                for at in lacking
            ],
        )
        return lacking

    def changed(self, gone: Sequence[int], ids: Sequence[int], vectors: Vectors) -> None:
        """Chunks out of what is searched and in, after their transaction was committed."""
        if self._meanwhile is not None:
            self._meanwhile.append((gone, ids, vectors))
        if self.embedder is not None and self.serving is self.embedder:
            self._matrix.replace([*gone, *ids], ids, vectors)
        else:
            self._matrix.replace(gone, (), np.empty((0, 0), np.float32))

    async def fill(self) -> int:
        """Embed the chunks that have no vector of the current model, from their stored text; how many.

        Searches go on over the vectors that there are. At the end the model's own take over, and others' go.
        """
        if self.embedder is None:
            return 0
        async with self._filling:  # of two at once the second finds nothing left to make
            return await self._filled(self.embedder)

    async def _filled(self, embedder: Embedder) -> int:
        rows = await self._db.read(
            "SELECT c.id, c.heading_path, c.text, c.context, d.title, d.language FROM chunks c"
            " JOIN documents d ON d.id = c.document_id"
            " WHERE c.id NOT IN (SELECT chunk_id FROM embeddings WHERE model = $1) ORDER BY d.language, c.id",
            embedder.name,
        )
        for language, group in groupby(rows, key=itemgetter("language")):
            same = list(group)
            for at in range(0, len(same), BATCH):
                await self._fill(embedder, same[at : at + BATCH], language)
        await self._take_over(embedder)
        return len(rows)

    async def _fill(self, embedder: Embedder, rows: Sequence[Row], language: str) -> None:
        texts = [embedded(row["title"], chunk_of(row)) for row in rows]
        made = Made([_hash(text) for text in texts], await embedder.embed(texts, language=language))
        async with self._db.write() as tx:
            there = await tx.run(  # what was embedded meanwhile has a newer text
                "SELECT id FROM chunks WHERE id IN (SELECT value FROM json_each($1))"
                " AND id NOT IN (SELECT chunk_id FROM embeddings WHERE model = $2)",
                json.dumps([row["id"] for row in rows]),
                embedder.name,
            )
            still = {row["id"] for row in there}
            kept = [at for at, row in enumerate(rows) if row["id"] in still]
            ids = [rows[at]["id"] for at in kept]
            await self.put(tx, ids, made.only(kept))
        self.changed((), ids, made.only(kept).vectors)

    async def _take_over(self, embedder: Embedder) -> None:
        async with self._turning:
            if self.serving is not embedder:
                await self._turn_to(embedder)
        if await self._db.one("SELECT 1 FROM embeddings WHERE model <> $1 LIMIT 1", embedder.name):
            async with self._db.write() as tx:
                await tx.run("DELETE FROM embeddings WHERE model <> $1", embedder.name)

    async def vector(self, question: str, language: str = "") -> Vectors | None:
        """The question's vector; None without an embedder or without any vector to compare it with."""
        if self.serving is None or not len(self._matrix):
            return None
        vectors: Vectors = await self.serving.embed([question], language=language, question=True)
        return vectors.reshape(-1)

    def nearest(self, vector: Vectors, most: int, among: Ids | None = None) -> Nearest:
        """The chunks nearest to a vector, only those of `among` where that is given; none for another model's vector."""
        return self._matrix.nearest(vector, most, among) if self._matrix.dimension == len(vector) else NOTHING_NEAR

    def cosines(self, vector: Vectors, chunk_ids: Ids) -> dict[int, float]:
        """The chunks' cosines with a vector; chunks without a vector are left out."""
        return self._matrix.cosines(vector, chunk_ids) if self._matrix.dimension == len(vector) else {}


def embedded(title: str, chunk: Chunk) -> str:
    """What is embedded of a chunk: its document's title, its heading path, its context, its text."""
    parts = (title[:MOST_TITLE], " > ".join(chunk.heading_path), chunk.context, plain(chunk.text))
    return "\n".join(part for part in parts if part)


def chunk_of(row: Row) -> Chunk:
    """A chunk's row (heading path, text, context) as what is embedded of it."""
    return Chunk(row["text"], tuple(json.loads(row["heading_path"])), context=row["context"])


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _unpacked(rows: Sequence[Row]) -> Vectors:
    return np.frombuffer(b"".join(row["vector"] for row in rows), np.float32).reshape(len(rows), -1)
