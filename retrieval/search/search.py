"""A question to hits: both legs at once, each leg's own cut-off, fusion, the floor, and packing into the budget."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from retrieval.db import Row
from retrieval.document import Found, Hit, Leg, Relevance
from retrieval.index.index import Index
from retrieval.index.keyword import Words, among
from retrieval.index.matrix.vectors import NOTHING_NEAR, Nearest
from retrieval.search.expand import expanded, parent_of
from retrieval.search.filters import EVERYTHING, Filter, chosen
from retrieval.search.floor import Levels, Signs, confidence, verdict
from retrieval.search.fuse import (
    FOREIGN_SHARE,
    IDENTIFIER_SHARE,
    KEYWORD_SHARE,
    RRF_K,
    Candidate,
    joined,
    rrf,
    standard,
    weighted,
)
from retrieval.search.light import Question, lightly
from retrieval.search.rerank.rerank import Guarded, relevance, reranked
from retrieval.search.spread import spread
from retrieval.search.widen import toward, widened
from retrieval.text.analyse import Term, terms
from retrieval.text.language import detect
from retrieval.writer import Writer

Mode = Literal["hybrid", "semantic", "keyword"]
CANDIDATES = 50
FEW_RANKS = 4
FEW = 20
"""Of them, how many are read at least."""
FIRST = 5
"""How many of the first hits may cover the question's words."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to search.

    `threshold`: least cosine, and least share of the best BM25. `floor`: least confidence. `per_page`: most of one document's
    hits while others are left. `light`: whether the words of the first candidates order them anew. `hyde`, `queries`: what a
    model adds to search with (`widen`).
    """

    mode: Mode = "hybrid"
    fusion: Literal["zscore", "rrf"] = "zscore"
    threshold: float = 0.3
    floor: float = 0.5
    k: int = 10
    per_page: int = 3
    light: bool = True
    filter: Filter = EVERYTHING
    hyde: bool = False
    queries: int = 1

    @property
    def by_rank(self) -> bool:
        """Whether the scores of one question can't be compared with those of another."""
        return self.mode == "keyword" or (self.mode == "hybrid" and self.fusion == "rrf")


@dataclass(frozen=True, slots=True)
class Legs:
    """Each leg's list after its own cut-off, best first, with raw scores; and what fusion needs of the whole index."""

    keyword: dict[int, float]
    semantic: dict[int, float]
    words: Words
    near: Nearest
    cosines: Mapping[int, float]
    """Of every candidate that has a vector."""
    plain: float
    """The best cosine of the question itself, whatever was searched with."""

    @property
    def best(self) -> dict[str, float]:
        """The highest raw score of each leg; 0 where it found nothing."""
        return {"semantic": self.plain, "keyword": float(self.words.scores.max()) if len(self.words.scores) else 0.0}


@dataclass(frozen=True, slots=True)
class Searched:
    """One question's way through both legs and fusion."""

    terms: Sequence[Term]
    legs: Legs
    order: list[Candidate]


async def search(
    index: Index,
    question: str,
    options: Options,
    levels: Levels,
    language: str = "",
    reranker: Guarded | None = None,
    writer: Writer | None = None,
) -> Found:
    """The hits for a question that stands alone, best first, with a verdict."""
    began = time.perf_counter()
    language = language or detect(question, among=index.languages)
    hyde = options.hyde and options.mode != "keyword"
    wider = await widened(writer, question, hyde=hyde, queries=options.queries)
    searched = await _searched(index, question, language, options, wider.answer)
    others = [await _searched(index, query, language, options) for query in wider.queries]
    legs, order = searched.legs, searched.order
    if others:
        order = _covered(legs.words, joined([order, *(one.order for one in others)], by_rank=options.by_rank))
    most = max(2 * options.k, CANDIDATES if reranker is not None else FEW)
    rows = await index.chunks([candidate.chunk_id for candidate in order[:most]])
    signs = _signs(legs, order)
    if options.light:
        unit = _unit(legs, options, several=bool(others))
        order = await lightly(index, Question.of(index, question, searched.terms), order, rows, unit)
    if reranker is not None:
        order = await reranked(reranker, question, order, rows)
    ranks = _ranks([one.legs for one in (*others, searched)])
    found = (_hit(rows[candidate.chunk_id], candidate, ranks) for candidate in order if candidate.chunk_id in rows)
    hits = spread(expanded(found), options.k, options.per_page)
    sure = _sure(index, legs, options, signs, levels.of(language)) if hits else 0.0
    return Found(
        question=question,
        hits=tuple(hits),
        verdict=verdict(sure, options.floor, signs.exact),
        confidence=sure,
        floor=options.floor,
        mode=options.mode,
        elapsed_ms=(time.perf_counter() - began) * 1000,
        best=legs.best | {"coverage": signs.coverage, "exact": signs.exact},
    )


async def _searched(index: Index, question: str, language: str, options: Options, answer: str = "") -> Searched:
    foreign = bool(index.languages) and language not in index.languages
    asked = [index.speller.corrected(term) for term in terms(question, language, index.languages)]
    legs = await _legs(index, question, language, asked, options, answer)
    return Searched(asked, legs, _fused(legs, asked, options, foreign=foreign))


async def _legs(
    index: Index, question: str, language: str, asked: Sequence[Term], options: Options, answer: str = ""
) -> Legs:
    """Both at once: while a thread makes the question's vector, the words are looked up. `answer`: an imagined one."""
    serving = index.meaning.serving
    words, vector, allowed = await asyncio.gather(
        index.words(() if options.mode == "semantic" else asked),
        _nothing() if options.mode == "keyword" else index.meaning.vector(question, language),
        chosen(index.db, options.filter) if options.filter else _nothing(),
    )
    if vector is not None and index.meaning.serving is not serving:  # another model has taken over meanwhile
        vector = await index.meaning.vector(question, language)
    words = words if allowed is None else words.only(allowed)
    by_words = words.best(CANDIDATES)
    least = options.threshold * max(by_words.values(), default=0.0)
    keyword = {chunk_id: score for chunk_id, score in by_words.items() if score >= least}
    if vector is None:
        return Legs(keyword, {}, words, NOTHING_NEAR, {}, 0.0)
    moved = await toward(index, vector, answer, language)
    near = index.meaning.nearest(moved, CANDIDATES, allowed)
    alone = index.meaning.nearest(vector, 1, allowed) if answer else near
    cut_off = options.threshold * (index.meaning.serving.scale if index.meaning.serving else 1.0)
    found = dict(zip(near.ids.tolist(), near.cosines.tolist(), strict=True))
    semantic = {chunk_id: cosine for chunk_id, cosine in found.items() if cosine >= cut_off}
    others = np.fromiter((chunk_id for chunk_id in keyword if chunk_id not in found), np.int64)
    plain = float(alone.cosines[0]) if len(alone.cosines) else 0.0
    return Legs(keyword, semantic, words, near, found | index.meaning.cosines(moved, others), plain)


async def _nothing() -> None:
    return None


def _fused(legs: Legs, asked: Sequence[Term], options: Options, *, foreign: bool) -> list[Candidate]:
    """The candidates of both legs in order, ties by id."""
    ids = np.array(sorted(legs.keyword.keys() | legs.semantic.keys()), np.int64)
    coverage = legs.words.coverage(ids)
    if options.mode == "hybrid" and options.fusion == "zscore" and len(legs.near.ids):
        words = standard(legs.words.of(ids), legs.words.mean, legs.words.deviation)
        unknown = legs.near.mean  # a chunk that has no vector yet counts as average
        cosines = np.array([legs.cosines.get(int(chunk_id), unknown) for chunk_id in ids])
        meaning = standard(cosines, legs.near.mean, legs.near.deviation)
        if foreign:  # only its names and numbers can be held
            scores = weighted(words, np.ones(len(ids)), meaning, share=FOREIGN_SHARE)
        else:
            identified = any(term.identifier for term in asked)
            share = IDENTIFIER_SHARE if identified else KEYWORD_SHARE
            scores = weighted(words, coverage, meaning, share=share)
    else:
        lists = [list(legs.keyword), list(legs.semantic)]
        only = legs.keyword or legs.semantic
        by_id = rrf(lists) if options.mode == "hybrid" else only
        scores = np.array([by_id[int(chunk_id)] for chunk_id in ids])
    order = np.lexsort((ids, -scores))
    return [Candidate(int(ids[at]), float(scores[at]), float(coverage[at])) for at in order]


def _sure(index: Index, legs: Legs, options: Options, signs: Signs, level: float) -> float:
    """The confidence; of words alone where there are no vectors, of the better where some chunks have none yet."""
    if options.mode == "keyword" or (options.mode == "hybrid" and not len(legs.near.ids)):
        return confidence("keyword", signs, level)
    sure = confidence(options.mode, signs, level)
    incomplete = options.mode == "hybrid" and len(index.meaning) < len(index)
    return max(sure, confidence("keyword", signs, level)) if incomplete else sure


def _signs(legs: Legs, order: Sequence[Candidate]) -> Signs:
    """What the floor reads off the raw scores and the words of the first hits."""
    first = np.array([candidate.chunk_id for candidate in order[:FIRST]], np.int64)
    codes = [ids for term, ids in legs.words.held.items() if term.code]
    held = [among(first, ids) for ids in codes]
    exact = -1 if any(not len(ids) for ids in codes) else int(bool(held) and bool(np.all(held, axis=0).any()))
    covered = max((candidate.coverage for candidate in order[:FIRST]), default=0.0)
    return Signs(legs.best["semantic"], covered, exact)


def _hit(row: Row, candidate: Candidate, ranks: tuple[Mapping[int, Leg], Mapping[int, Leg]]) -> Hit:
    semantic, keyword = (leg.get(candidate.chunk_id) for leg in ranks)
    return Hit(
        chunk_id=row["id"],
        document_id=row["document_id"],
        url=row["url"],
        title=row["title"],
        heading_path=tuple(json.loads(row["heading_path"])),
        text=row["text"],
        tokens=row["tokens"],
        score=candidate.score,
        semantic=semantic,
        keyword=keyword,
        language=row["language"],
        fetched_at=row["fetched_at"],
        page=row["page"],
        coverage=candidate.coverage,
        relevance=_relevance(candidate, semantic),
        rerank=candidate.rerank,
        parent=parent_of(row),
    )


def _covered(words: Words, order: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with the share of the question's own words, whatever the words that found them."""
    shares = words.coverage(np.array([candidate.chunk_id for candidate in order], np.int64))
    return [replace(candidate, coverage=float(share)) for candidate, share in zip(order, shares, strict=True)]


def _unit(legs: Legs, options: Options, *, several: bool) -> float:
    """A standard deviation of the fused scores over the whole index; of reciprocal ranks, a few ranks."""
    if options.mode == "hybrid" and options.fusion == "zscore" and len(legs.near.ids):
        return 1.0
    if options.mode == "hybrid" or (several and options.by_rank):
        return FEW_RANKS / RRF_K**2
    return legs.near.deviation if options.mode == "semantic" else legs.words.deviation


def _ranks(legs: Sequence[Legs]) -> tuple[Mapping[int, Leg], Mapping[int, Leg]]:
    """Each leg's place and score by chunk; where several questions found it, those of the last."""
    semantic: dict[int, Leg] = {}
    keyword: dict[int, Leg] = {}
    for one in legs:
        semantic |= _ranked(one.semantic)
        keyword |= _ranked(one.keyword)
    return semantic, keyword


def _ranked(leg: Mapping[int, float]) -> dict[int, Leg]:
    return {chunk_id: Leg(rank, score) for rank, (chunk_id, score) in enumerate(leg.items(), 1)}


def _relevance(candidate: Candidate, semantic: Leg | None) -> Relevance:
    if candidate.rerank is not None:
        return relevance(candidate.rerank)
    cosine = semantic.score if semantic else 0.0
    if candidate.coverage > 0.75 or cosine > 0.6:
        return "HIGH"
    return "MEDIUM" if candidate.coverage > 0.4 or cosine > 0.4 else "LOW"


def pack(hits: Iterable[Hit], max_tokens: int) -> list[Hit]:
    """The hits that fit into the budget, greedily in order: what doesn't fit is skipped and the next one tried."""
    packed, left = [], max_tokens
    for hit in hits:
        if hit.tokens <= left:
            packed.append(hit)
            left -= hit.tokens
    return packed
