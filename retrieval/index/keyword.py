"""The keyword leg: for each word of a question, the chunks that hold it and what it adds to their BM25.

BM25 is a sum over words (Robertson and Zaragoza 2009), so the score of a question is the sum of the scores that FTS5 gives to
each of its words alone, and those are the same for every question. They are kept in memory, as two arrays a word: words that
many chunks hold are read once after the index was loaded, rare ones when they are asked. What a question costs is then an
addition of arrays, and the result is exactly that of the whole OR query.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from retrieval.db import Database, Row
from retrieval.text.analyse import Term, quoted, stemmed
from retrieval.text.stopwords import STOPWORDS

Ids = NDArray[np.int64]
Scores = NDArray[np.float32]
WEIGHTS = "3.0, 2.0, 1.0"
"""BM25's column weights: title, headings, text."""
SMALL = 5000
"""Chunks up to which nothing is read ahead and a change forgets what is in memory: reading anew costs next to nothing."""
COMMON = 0.01
"""Share of the chunks from which a word is read ahead."""
EVERYWHERE = 0.5
"""Share of the chunks from which a word says nothing: its weight in BM25 is next to 0."""
MOST_POSTINGS = 12_000_000
"""Kept in memory, 12 bytes each; the words that weren't asked for longest go first."""
MOST_FORMS = 32

_ONE = f"SELECT rowid AS id, -bm25(chunk_words, {WEIGHTS}) AS score FROM chunk_words WHERE chunk_words MATCH $1"  # noqa: S608
_NEW = f"{_ONE} AND rowid > $2"


@dataclass(frozen=True, slots=True)
class Posting:
    """Where a word stands: chunk ids in order, and what it adds to each one's score."""

    ids: Ids
    scores: Scores


NOWHERE = Posting(np.empty(0, np.int64), np.empty(0, np.float32))


@dataclass(frozen=True, slots=True)
class Words:
    """What a question's words reach on the whole index.

    `ids` and `scores` are of every chunk that holds one of them, ids in order; `mean` and `deviation` count all other
    chunks of the index as 0.
    """

    ids: Ids
    scores: Scores
    mean: float
    deviation: float
    held: Mapping[Term, Ids]
    weights: Mapping[Term, float]

    def best(self, most: int) -> dict[int, float]:
        """The highest scores by chunk id, best first, ties by id."""
        some = np.argpartition(-self.scores, most)[:most] if len(self.scores) > most else np.arange(len(self.scores))
        order = some[np.lexsort((self.ids[some], -self.scores[some]))]
        return {int(self.ids[at]): float(self.scores[at]) for at in order}

    def only(self, allowed: Ids) -> Words:
        """Of these chunks alone, whose ids are in order; mean and deviation stay those of the whole index."""
        kept = among(self.ids, allowed)
        return replace(self, ids=self.ids[kept], scores=self.scores[kept])

    def of(self, chunk_ids: Ids) -> NDArray[np.float64]:
        """The chunks' scores, 0 where none of the words stands."""
        return (
            np.where(among(chunk_ids, self.ids), self.scores[_places(chunk_ids, self.ids)], 0.0)
            if len(self.ids)
            else np.zeros(len(chunk_ids))
        )

    def coverage(self, chunk_ids: Ids) -> NDArray[np.float64]:
        """The share of the question's words, by their weights, that each chunk holds: 0 to 1."""
        whole = sum(self.weights.values()) or 1.0
        found = np.zeros(len(chunk_ids))
        for term, weight in self.weights.items():
            found += weight / whole * among(chunk_ids, self.held[term])
        return found


def among(chunk_ids: Ids, ordered: Ids) -> NDArray[np.bool_]:
    """Which of the ids stand in the other ones, which are in order."""
    if not len(ordered):
        return np.zeros(len(chunk_ids), np.bool_)
    return np.asarray(ordered[_places(chunk_ids, ordered)] == chunk_ids)


def _places(chunk_ids: Ids, ordered: Ids) -> NDArray[np.intp]:
    return np.minimum(np.searchsorted(ordered, chunk_ids), len(ordered) - 1)


class Postings:
    """The words of one knowledge database, kept in memory as they are asked for."""

    def __init__(self, db: Database, small: int = SMALL) -> None:
        self._db = db
        self._small = small
        self.frequency: Mapping[str, int] = {}
        self.chunks = 0
        self._last = 0
        self._kept: OrderedDict[str, Posting] = OrderedDict()
        self._size = 0
        self._changes = 0

    async def refresh(self) -> None:
        """Count words anew and forget the old scores, after documents changed."""
        rows = await self._db.read("SELECT term, doc FROM chunk_vocabulary")
        self.frequency = {row["term"]: row["doc"] for row in rows}
        row = await self._db.one("SELECT count(*) AS n, coalesce(max(id), 0) AS last FROM chunks")
        self.chunks, self._last = (row["n"], row["last"]) if row else (0, 0)
        self._forget()

    def changed(self) -> None:
        """Documents changed: in a small index all is read anew, in a large one what is new until the next refresh."""
        if self.chunks < self._small:
            self._forget()

    def _forget(self) -> None:
        self._changes += 1
        self._kept.clear()
        self._size = 0

    def weight(self, term: Term) -> float:
        """The term's inverse document frequency; a word that the corpus doesn't hold weighs most."""
        frequency = sum(self.frequency.get(form, 0) for form in term.forms)
        return math.log(1 + (self.chunks + 1) / (frequency + 0.5))

    async def warm(self) -> None:
        """Read the words ahead that many chunks hold, but for little ones, which are rarely asked for.

        In a small index there is nothing to gain.
        """
        if self.chunks < self._small:
            return
        least, most, little = COMMON * self.chunks, EVERYWHERE * self.chunks, _little()
        common = [form for form, number in self.frequency.items() if least <= number <= most and form not in little]
        for form in sorted(common, key=self.frequency.__getitem__):
            await self._posting(form)

    @property
    def nbytes(self) -> int:
        """Bytes of the scores that are kept."""
        return sum(posting.ids.nbytes + posting.scores.nbytes for posting in self._kept.values())

    async def lookup(self, terms: Collection[Term]) -> Words:
        """The scores of all chunks for these words; of a very long question for its codes and its rarest words."""
        asked = self._chosen(terms)
        forms = list(dict.fromkeys(form for term in asked for form in term.forms))
        kept = {form: await self._posting(form) for form in forms}
        fresh = await self._fresh(forms)
        found = {form: _joined(kept[form], fresh.get(form)) for form in forms}
        ids, scores = _summed(list(found.values()))
        held = {term: _union([found[form].ids for form in term.forms]) for term in asked}
        return Words(ids, scores, *_level(scores, self.chunks), held, {term: self.weight(term) for term in asked})

    def _chosen(self, terms: Collection[Term]) -> list[Term]:
        """As many terms as may be looked up, in their order."""
        room, chosen = MOST_FORMS, set[Term]()
        for term in sorted(terms, key=lambda term: (not term.code, -self.weight(term))):
            if len(term.forms) <= room:
                room -= len(term.forms)
                chosen.add(term)
        return [term for term in terms if term in chosen]

    async def _posting(self, form: str) -> Posting:
        """A word's scores, from memory or read; what was read while documents changed serves once and isn't kept."""
        if form in self._kept:
            self._kept.move_to_end(form)
            return self._kept[form]
        before = self._changes
        posting = await self._read(form)
        if self._changes == before and form not in self._kept:
            self._keep(form, posting)
        return posting

    async def _read(self, form: str) -> Posting:
        if self.frequency.get(form, 0) > EVERYWHERE * self.chunks >= EVERYWHERE * self._small:
            return NOWHERE
        return _posting(await self._db.read(_ONE, quoted([form])))

    def _keep(self, form: str, posting: Posting) -> None:
        self._kept[form] = posting
        self._size += len(posting.ids)
        while self._size > MOST_POSTINGS and len(self._kept) > MOST_FORMS:
            self._size -= len(self._kept.popitem(last=False)[1].ids)

    async def _fresh(self, forms: Iterable[str]) -> dict[str, Posting]:
        """Where the words stand in chunks that came after the last refresh of a large index."""
        if self.chunks < self._small:
            return {}
        newest = await self._db.one("SELECT coalesce(max(id), 0) AS last FROM chunks")
        if newest is None or newest["last"] <= self._last:
            return {}
        return {form: _posting(await self._db.read(_NEW, quoted([form]), self._last)) for form in forms}


@lru_cache(maxsize=1)
def _little() -> frozenset[str]:
    """The little words of all languages, as the index keeps them."""
    return frozenset(stemmed(word, code) for code, held in STOPWORDS.items() for word in held)


def _posting(rows: Sequence[Row]) -> Posting:
    ids = np.fromiter((row["id"] for row in rows), np.int64, len(rows))
    scores = np.fromiter((row["score"] for row in rows), np.float32, len(rows))
    return Posting(ids, scores)


def _joined(kept: Posting, fresh: Posting | None) -> Posting:
    """What was kept, and behind it what is newer; ids are never used again, so the newer ones are higher."""
    if fresh is None or not len(fresh.ids):
        return kept
    old = kept.ids < fresh.ids[0]
    return Posting(np.concatenate([kept.ids[old], fresh.ids]), np.concatenate([kept.scores[old], fresh.scores]))


def _summed(postings: Sequence[Posting]) -> tuple[Ids, Scores]:
    """Every chunk's sum, ids in order."""
    if not postings:
        return np.empty(0, np.int64), np.empty(0, np.float32)
    last = max((int(posting.ids[-1]) for posting in postings if len(posting.ids)), default=0)
    sums = np.zeros(last + 1, np.float32)
    for posting in postings:
        sums[posting.ids] += posting.scores
    ids = np.flatnonzero(sums)
    return ids, sums[ids]


def _union(lists: Sequence[Ids]) -> Ids:
    if len(lists) == 1:
        return lists[0]
    return np.unique(np.concatenate(lists)) if lists else np.empty(0, np.int64)


def _level(scores: Scores, chunks: int) -> tuple[float, float]:
    """Mean and standard deviation over an index of so many chunks, those that aren't listed at 0."""
    size = max(chunks, len(scores), 1)
    mean = float(scores.sum(dtype=np.float64)) / size
    variance = float(np.square(scores, dtype=np.float64).sum()) / size - mean * mean
    return mean, math.sqrt(max(variance, 0.0)) or 1.0
