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
from retrieval.index.matrix.places import Ids
from retrieval.text.analyse import Term, quoted, stemmed
from retrieval.text.stopwords import STOPWORDS

Scores = NDArray[np.float32]

# Chosen by hand: a word of the title says most. benchmarks/quality.py shows what the leg alone finds with them.
COLUMN_WEIGHTS = "3.0, 2.0, 1.0"
"""BM25's weights of the columns title, headings and text."""
# Chosen by hand; benchmarks/search.py prints how long reading ahead takes and what it saves.
READ_AHEAD_SHARE = 0.01
"""Share of the chunks from which a word is read ahead."""
# By BM25's formula, not by measuring: the inverse document frequency of a word of half of the chunks is next to 0.
EVERYWHERE_SHARE = 0.5
"""Share of the chunks from which a word says nothing in a large index, and isn't looked up."""

_SCORES = (
    f"SELECT rowid AS id, -bm25(chunk_words, {COLUMN_WEIGHTS}) AS score FROM chunk_words WHERE chunk_words MATCH $1"  # noqa: S608
)
_NEWER_SCORES = f"{_SCORES} AND rowid > $2"


# The defaults were chosen by hand; benchmarks/search.py shows time and memory at 100,000 chunks with them.
@dataclass(frozen=True, slots=True)
class KeywordLimits:
    """How much the keyword leg reads and keeps."""

    small_index_chunks: int = 5000
    """Up to here nothing is read ahead and each change forgets what is in memory: reading anew costs next to nothing."""
    kept_postings: int = 12_000_000
    """Chunk and score pairs in memory, 12 bytes each; the words that weren't asked for longest go first."""
    forms_a_question: int = 32
    """Forms of words that one question looks up; its codes and its rarest words come first."""


DEFAULT_LIMITS = KeywordLimits()


@dataclass(frozen=True, slots=True)
class PostingList:
    """Where a word stands: the ids of its chunks in order, and what it adds to each chunk's score."""

    ids: Ids
    scores: Scores


NO_POSTINGS = PostingList(np.empty(0, np.int64), np.empty(0, np.float32))


@dataclass(frozen=True, slots=True)
class KeywordScores:
    """What a question's words reach over the whole index.

    `ids`, in order, and `scores` are of every chunk that holds one of the words; `mean` and `deviation` count all other
    chunks of the index as 0. `holding`: the chunks that hold each term; `weights`: each term's inverse document frequency.
    """

    ids: Ids
    scores: Scores
    mean: float
    deviation: float
    holding: Mapping[Term, Ids]
    weights: Mapping[Term, float]

    def best(self, most: int) -> dict[int, float]:
        """The highest scores by chunk id, best first, ties by id."""
        # Only the best are put in order: a common word stands in tens of thousands of chunks.
        some = np.argpartition(-self.scores, most)[:most] if len(self.scores) > most else np.arange(len(self.scores))
        order = some[np.lexsort((self.ids[some], -self.scores[some]))]
        return {int(self.ids[at]): float(self.scores[at]) for at in order}

    def only(self, allowed: Ids) -> KeywordScores:
        """Those of some chunks alone, whose ids are in order; mean and deviation stay those of the whole index."""
        kept = is_among(self.ids, allowed)
        return replace(self, ids=self.ids[kept], scores=self.scores[kept])

    def of(self, chunk_ids: Ids) -> NDArray[np.float64]:
        """The chunks' scores, 0 for a chunk that holds none of the words."""
        if not len(self.ids):
            return np.zeros(len(chunk_ids))
        return np.where(is_among(chunk_ids, self.ids), self.scores[_positions(chunk_ids, self.ids)], 0.0)

    def coverage(self, chunk_ids: Ids) -> NDArray[np.float64]:
        """The share of the question's words, by their weights, that each chunk holds: 0 to 1."""
        whole = sum(self.weights.values()) or 1.0
        shares = np.zeros(len(chunk_ids))
        for term, weight in self.weights.items():
            shares += weight / whole * is_among(chunk_ids, self.holding[term])
        return shares


def is_among(chunk_ids: Ids, ordered: Ids) -> NDArray[np.bool_]:
    """For each id whether it is one of the other ones, which are in order."""
    if not len(ordered):
        return np.zeros(len(chunk_ids), np.bool_)
    return np.asarray(ordered[_positions(chunk_ids, ordered)] == chunk_ids)


def _positions(chunk_ids: Ids, ordered: Ids) -> NDArray[np.intp]:
    return np.minimum(np.searchsorted(ordered, chunk_ids), len(ordered) - 1)


class KeywordLeg:
    """The words of one knowledge database, their scores kept in memory as they are asked for. `refresh` fills it."""

    def __init__(self, db: Database, limits: KeywordLimits = DEFAULT_LIMITS) -> None:
        self._db = db
        self._limits = limits
        self.chunk_frequency: Mapping[str, int] = {}
        """In how many chunks each word stands, as of the last refresh."""
        self.chunks = 0
        """Chunks in the index, as of the last refresh."""
        self._highest_id = 0
        self._kept: OrderedDict[str, PostingList] = OrderedDict()
        self._kept_postings = 0
        self._changes = 0

    async def refresh(self) -> None:
        """Count words anew and forget the scores in memory, after documents changed."""
        rows = await self._db.read("SELECT term, doc FROM chunk_vocabulary")
        self.chunk_frequency = {row["term"]: row["doc"] for row in rows}
        row = await self._db.one("SELECT count(*) AS n, coalesce(max(id), 0) AS last FROM chunks")
        self.chunks, self._highest_id = (row["n"], row["last"]) if row else (0, 0)
        self._forget()

    def changed(self) -> None:
        """Documents changed: a small index is read anew, of a large one what is newer than the last refresh."""
        if self._is_small:
            self._forget()

    @property
    def _is_small(self) -> bool:
        return self.chunks < self._limits.small_index_chunks

    def _forget(self) -> None:
        self._changes += 1
        self._kept.clear()
        self._kept_postings = 0

    def weight(self, term: Term) -> float:
        """The term's inverse document frequency; a word that the corpus doesn't hold weighs most."""
        frequency = sum(self.chunk_frequency.get(form, 0) for form in term.forms)
        # BM25's own idf is negative for a word of more than half of the chunks; with 1 added no weight is.
        return math.log(1 + (self.chunks + 1) / (frequency + 0.5))

    async def read_ahead(self) -> None:
        """Read the words that many chunks hold, except stop words, which are rarely asked for; none in a small index."""
        if self._is_small:
            return
        least, most, stop_words = READ_AHEAD_SHARE * self.chunks, EVERYWHERE_SHARE * self.chunks, _stop_word_forms()
        frequency = self.chunk_frequency
        common = [form for form, number in frequency.items() if least <= number <= most and form not in stop_words]
        for form in sorted(common, key=frequency.__getitem__):  # the commonest last, so that they are kept
            await self._postings(form)

    @property
    def nbytes(self) -> int:
        """Bytes of the scores that are kept."""
        return sum(postings.ids.nbytes + postings.scores.nbytes for postings in self._kept.values())

    async def scores_of(self, terms: Collection[Term]) -> KeywordScores:
        """The scores of all chunks for these words; of a very long question for its codes and its rarest words."""
        asked = self._chosen(terms)
        forms = list(dict.fromkeys(form for term in asked for form in term.forms))
        kept = {form: await self._postings(form) for form in forms}
        newer = await self._newer_postings(forms)
        postings = {form: _joined(kept[form], newer.get(form)) for form in forms}
        ids, scores = _summed(list(postings.values()))
        holding = {term: _union([postings[form].ids for form in term.forms]) for term in asked}
        weights = {term: self.weight(term) for term in asked}
        return KeywordScores(ids, scores, *_mean_and_deviation(scores, self.chunks), holding, weights)

    def _chosen(self, terms: Collection[Term]) -> list[Term]:
        """As many terms as may be looked up, in their order.

        Codes come first: test_a_code_at_the_end_of_a_long_question_is_looked_up.
        """
        room, chosen = self._limits.forms_a_question, set[Term]()
        for term in sorted(terms, key=lambda term: (not term.code, -self.weight(term))):
            if len(term.forms) <= room:
                room -= len(term.forms)
                chosen.add(term)
        return [term for term in terms if term in chosen]

    async def _postings(self, form: str) -> PostingList:
        """A word's scores, from memory or read.

        What was read while documents changed serves once and isn't kept, since it may be from before the change:
        test_what_was_read_before_a_change_is_not_kept_after_it.
        """
        if form in self._kept:
            self._kept.move_to_end(form)
            return self._kept[form]
        changes = self._changes
        postings = await self._read(form)
        if self._changes == changes and form not in self._kept:
            self._keep(form, postings)
        return postings

    async def _read(self, form: str) -> PostingList:
        if not self._is_small and self.chunk_frequency.get(form, 0) > EVERYWHERE_SHARE * self.chunks:
            return NO_POSTINGS
        return _posting_list(await self._db.read(_SCORES, quoted([form])))

    def _keep(self, form: str, postings: PostingList) -> None:
        """Keep a word's scores; the words of one question never push each other out."""
        self._kept[form] = postings
        self._kept_postings += len(postings.ids)
        while self._kept_postings > self._limits.kept_postings and len(self._kept) > self._limits.forms_a_question:
            self._kept_postings -= len(self._kept.popitem(last=False)[1].ids)

    async def _newer_postings(self, forms: Iterable[str]) -> dict[str, PostingList]:
        """Where the words stand in chunks that came after the last refresh of a large index."""
        if self._is_small:
            return {}
        newest = await self._db.one("SELECT coalesce(max(id), 0) AS last FROM chunks")
        if newest is None or newest["last"] <= self._highest_id:
            return {}
        return {
            form: _posting_list(await self._db.read(_NEWER_SCORES, quoted([form]), self._highest_id)) for form in forms
        }


@lru_cache(maxsize=1)
def _stop_word_forms() -> frozenset[str]:
    """The stop words of all languages, as the index keeps them."""
    return frozenset(stemmed(word, code) for code, words in STOPWORDS.items() for word in words)


def _posting_list(rows: Sequence[Row]) -> PostingList:
    ids = np.fromiter((row["id"] for row in rows), np.int64, len(rows))
    scores = np.fromiter((row["score"] for row in rows), np.float32, len(rows))
    return PostingList(ids, scores)


def _joined(kept: PostingList, newer: PostingList | None) -> PostingList:
    """What was kept, and behind it what is newer; ids are never used again, so the newer ones are higher."""
    if newer is None or not len(newer.ids):
        return kept
    old = kept.ids < newer.ids[0]  # a list that was read after the newer chunks came has them already
    return PostingList(np.concatenate([kept.ids[old], newer.ids]), np.concatenate([kept.scores[old], newer.scores]))


def _summed(lists: Sequence[PostingList]) -> tuple[Ids, Scores]:
    """Every chunk's sum, ids in order."""
    if not lists:
        return np.empty(0, np.int64), np.empty(0, np.float32)
    last = max((int(postings.ids[-1]) for postings in lists if len(postings.ids)), default=0)
    sums = np.zeros(last + 1, np.float32)  # by id: adding to it takes no search and no sort
    for postings in lists:
        sums[postings.ids] += postings.scores
    ids = np.flatnonzero(sums)
    return ids, sums[ids]


def _union(lists: Sequence[Ids]) -> Ids:
    if len(lists) == 1:
        return lists[0]
    return np.unique(np.concatenate(lists)) if lists else np.empty(0, np.int64)


def _mean_and_deviation(scores: Scores, chunks: int) -> tuple[float, float]:
    """Mean and standard deviation over an index of so many chunks; those without a score count as 0."""
    size = max(chunks, len(scores), 1)
    mean = float(scores.sum(dtype=np.float64)) / size
    variance = float(np.square(scores, dtype=np.float64).sum()) / size - mean * mean
    return mean, math.sqrt(max(variance, 0.0)) or 1.0  # scores are divided by it
