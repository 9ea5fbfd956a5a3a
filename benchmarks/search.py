"""What a search and the index cost at size: `python -m benchmarks.search [--chunks 100000] [--data DIR]`.

Passages of some 90 words are drawn sentence by sentence from the texts of every corpus.jsonl under DIR (the example business'
pages without it). Questions know their item: four words of one passage that aren't stop words, and five stop words. Measured in
one run, on one thread, CPU ms a question: FTS5's OR of all words, the same without stop words, and the keyword leg; then
the whole search with vectors that cost nothing to make. Also chunks indexed a second, and memory a chunk beside the vectors.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import numpy as np

from bot.run import demo
from retrieval.db import Database
from retrieval.document import Chunk, Document
from retrieval.embed.embedder import Vectors
from retrieval.index.index import Entry, Index
from retrieval.index.keyword import COLUMN_WEIGHTS
from retrieval.knowledge import MIGRATIONS
from retrieval.search.floor import OffTopicLevels
from retrieval.search.search import Options, search
from retrieval.text.analyse import quoted, terms, words
from retrieval.text.stopwords import STOPWORDS

DIMENSION = 384
CHUNKS_A_DOCUMENT = 50
PASSAGE_WORDS = 90
ASKED_QUESTIONS = 100
STOP_WORDS = ["what", "is", "the", "how", "do", "i", "to", "a", "of", "in", "for", "and", "on", "with", "can"]
OR_QUERY = (
    "SELECT rowid AS id FROM chunk_words WHERE chunk_words MATCH $1"  # noqa: S608 — constants only
    f" ORDER BY bm25(chunk_words, {COLUMN_WEIGHTS}), rowid LIMIT 20"
)


class Instant:
    """An embedder that costs nothing: a vector of random numbers for each text."""

    name, dimension, scale = "instant", DIMENSION, 0.0

    def __init__(self) -> None:
        self._random = np.random.default_rng(7)

    async def embed(self, texts: Sequence[str], *, language: str = "", question: bool = False) -> Vectors:
        rows = self._random.standard_normal((len(texts), DIMENSION), np.float32)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def sentences(data: Path | None) -> list[str]:
    """Every sentence of the corpora, or of the example's pages."""
    if data:
        lines = [line for path in sorted(data.glob("**/corpus.jsonl")) for line in path.read_text("utf-8").splitlines()]
        texts = [record["text"] for record in map(json.loads, lines) if record.get("lang", "en") == "en"]
    else:
        texts = [re.sub(r"<[^>]+>", " ", path.read_text("utf-8")) for path in demo.folder().glob("site/**/*.html")]
    found = [part.strip() for text in texts for part in re.split(r"(?<=[.!?])\s+|\n", text)]
    return [part for part in found if 4 <= len(part.split()) <= 60]


def passages(pool: Sequence[str], number: int) -> list[str]:
    """So many passages of neighbouring sentences, no two alike."""
    chance = random.Random(3)  # noqa: S311 — the same texts in every run
    found = []
    for _ in range(number):
        at, text = chance.randrange(len(pool)), ""
        while len(text.split()) < PASSAGE_WORDS:
            text += " " + (pool[at % len(pool)] if chance.random() < 0.7 else chance.choice(pool))
            at += 1
        found.append(text.strip())
    return found


def questions(texts: Sequence[str]) -> list[tuple[int, str]]:
    """A passage's number (from 1) and a question that is about it."""
    chance = random.Random(5)  # noqa: S311 — the same questions in every run
    found: list[tuple[int, str]] = []
    while len(found) < ASKED_QUESTIONS:
        at = chance.randrange(len(texts))
        telling = [
            word
            for word in dict.fromkeys(re.findall(r"[A-Za-z]{4,}", texts[at]))
            if word.lower() not in STOPWORDS["en"]
        ]
        if len(telling) >= 6:
            asked = chance.sample(telling, 4) + chance.sample(STOP_WORDS, 5)
            chance.shuffle(asked)
            found.append((at + 1, " ".join(asked)))
    return found


async def filled(index: Index, texts: Sequence[str]) -> float:
    """Index the passages; chunks a CPU second."""
    began = time.process_time()
    for at in range(0, len(texts), CHUNKS_A_DOCUMENT):
        chunks = [Chunk(text, (), len(text) // 4) for text in texts[at : at + CHUNKS_A_DOCUMENT]]
        await index.replace(
            Entry("bench", Document(f"https://x.example/{at}", f"Part {at}", "", "en"), str(at), chunks)
        )
    return len(texts) / (time.process_time() - began)


async def timed(
    name: str, asked: Sequence[tuple[int, str]], find: Callable[[str], Awaitable[Sequence[int]]]
) -> list[Sequence[int]]:
    """Print what a way to search costs and how often it finds the passage; its lists."""
    costs, found = [], []
    for _, question in asked:
        began = time.process_time()
        found.append(await find(question))
        costs.append(1000 * (time.process_time() - began))
    hits = sum(number in ids[:20] for (number, _), ids in zip(asked, found, strict=True)) / len(asked)
    p95 = statistics.quantiles(costs, n=20)[-1]
    print(f"{name:34} p50 {statistics.median(costs):7.2f}  p95 {p95:7.2f} ms CPU   hit@20 {hits:.3f}")
    return found


async def measure(number: int, data: Path | None, folder: Path) -> None:
    """Build and search."""
    texts = passages(sentences(data), number)
    asked = questions(texts)
    async with Database.opened(folder / "k.db", MIGRATIONS, "retrieval") as db:
        async with db.write() as tx:
            await tx.run("INSERT INTO sources (id, kind, added_at) VALUES ('bench', 'upload', '')")
        bare = Index(db, None)
        await bare.load()
        print(f"{number} chunks, indexed without embeddings at {await filled(bare, texts):.0f} a CPU second")
        index = Index(db, Instant())
        await index.load()
        await index.semantic_leg.embed_missing()
        await index.refresh()
        began = time.process_time()
        await index.keyword_leg.read_ahead()
        read, beside = time.process_time() - began, (index.keyword_leg.nbytes + index.semantic_leg.nbytes) / 1e6
        print(
            f"common words read ahead in {read:.1f} CPU s; {beside:.0f} MB in memory beside the vectors and the vocabulary"
        )

        async def any_word(question: str) -> list[int]:
            rows = await db.read(OR_QUERY, quoted(list(dict.fromkeys(words(question, "en")))))
            return [row["id"] for row in rows]

        async def without_stop_words(question: str) -> list[int]:
            rows = await db.read(
                OR_QUERY, quoted([form for term in terms(question, "en", ["en"]) for form in term.forms])
            )
            return [row["id"] for row in rows]

        async def keyword_leg(question: str) -> list[int]:
            return list((await index.keyword_scores(terms(question, "en", ["en"]))).best(20))

        async def whole_search(question: str) -> list[int]:
            found = await search(index, question, Options(k=20), OffTopicLevels(), language="en")
            return [hit.chunk_id for hit in found.hits]

        await timed("FTS5, OR of all words", asked, any_word)
        exact = await timed("FTS5, OR without stop words", asked, without_stop_words)
        ours = await timed("keyword leg, first time asked", asked, keyword_leg)
        await timed("keyword leg, asked again", asked, keyword_leg)
        await timed("whole search, vectors for nothing", asked, whole_search)
        await timed("whole search, again", asked, whole_search)
        same = statistics.mean(set(a[:20]) == set(b[:20]) for a, b in zip(exact, ours, strict=True))
        print(
            f"first twenty of the keyword leg are those of FTS5's OR without stop words in {same:.0%} of the questions"
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--data", type=Path, default=None)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(given.chunks, given.data, Path(folder)))


if __name__ == "__main__":
    main()
