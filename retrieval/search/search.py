"""A question to hits: both legs at once, each leg's own cut-off, fusion, the floor, and packing into the budget."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from retrieval.document import Found, Hit
from retrieval.index.index import Index
from retrieval.index.keyword import KeywordScores, is_among
from retrieval.index.matrix.vectors import NOTHING_NEAR, Nearest
from retrieval.search.expand import expanded
from retrieval.search.filters import EVERYTHING, Filter, allowed_chunks
from retrieval.search.floor import FloorEvidence, OffTopicLevels, confidence, verdict
from retrieval.search.fuse import (
    FOREIGN_SHARE,
    IDENTIFIER_SHARE,
    KEYWORD_SHARE,
    RRF_K,
    Candidate,
    joined,
    reciprocal_rank_fusion,
    z_score_fusion,
    z_scores,
)
from retrieval.search.hits import LegRanks, hit_of
from retrieval.search.light import AskedQuestion, reranked_by_features
from retrieval.search.rerank.rerank import GuardedReranker, reranked
from retrieval.search.spread import spread
from retrieval.search.widen import moved_toward, widened
from retrieval.text.analyse import Term, terms
from retrieval.text.language import detect
from retrieval.writer import Writer

Mode = Literal["hybrid", "semantic", "keyword"]

# All chosen by hand; benchmarks/search.py shows what a search costs with them, tests/eval what it finds. No command compares
# others.
LEG_CANDIDATES = 50
"""How many chunks each leg gives at most."""
LEAST_READ_CHUNKS = 20
"""How many of the fused candidates are read from the database at least: what the light re-ranker looks at."""
FLOOR_HITS = 5
"""How many of the first candidates the floor looks at for the question's words."""
DEVIATION_RANKS = 4
"""How many reciprocal ranks count as a standard deviation, where scores are sums of them."""


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
class BothLegs:
    """What both legs give for one question.

    `keyword` and `semantic`: each leg's raw scores by chunk id, best first, after its own cut-off. `keyword_scores` and
    `nearest`: what fusion needs of the whole index. `cosines`: of every candidate that has a vector. `question_cosine`: the best
    cosine of the question itself, whatever was searched with.
    """

    keyword: dict[int, float]
    semantic: dict[int, float]
    keyword_scores: KeywordScores
    nearest: Nearest
    cosines: Mapping[int, float]
    question_cosine: float

    @property
    def best(self) -> dict[str, float]:
        """The highest raw score of each leg; 0 where it found nothing."""
        scores = self.keyword_scores.scores
        return {"semantic": self.question_cosine, "keyword": float(scores.max()) if len(scores) else 0.0}


@dataclass(frozen=True, slots=True)
class SearchedQuestion:
    """One question's way through both legs and fusion: its corrected terms, and the candidates in the fused order."""

    terms: Sequence[Term]
    legs: BothLegs
    order: list[Candidate]


async def search(
    index: Index,
    question: str,
    options: Options,
    levels: OffTopicLevels,
    *,
    language: str = "",
    reranker: GuardedReranker | None = None,
    writer: Writer | None = None,
) -> Found:
    """The hits for a question that stands alone, best first, with a verdict.

    `levels`: what off-topic questions reach on the index. `language`: the question's, told from its text when it is empty.
    Raises EmbedError.
    """
    began = time.perf_counter()
    language = language or detect(question, among=index.languages)
    hyde = options.hyde and options.mode != "keyword"
    wider = await widened(writer, question, hyde=hyde, queries=options.queries)
    asked = await _searched(index, question, language, options, wider.answer)
    others = [await _searched(index, query, language, options) for query in wider.queries]
    legs, order = asked.legs, asked.order
    if others:
        order = joined([order, *(other.order for other in others)], by_rank=options.by_rank)
        order = _with_coverage(legs.keyword_scores, order)
    # More than are asked for: hits of one parent become one, and a full page's hits are put off.
    most = max(2 * options.k, LEG_CANDIDATES if reranker is not None else LEAST_READ_CHUNKS)
    rows = await index.chunks([candidate.chunk_id for candidate in order[:most]])
    evidence = _evidence(legs, order)  # before re-ranking: the floor reads what the legs found
    if options.light:
        features = AskedQuestion.of(index, question, asked.terms)
        order = await reranked_by_features(
            index, features, order, rows, _deviation(legs, options, several=bool(others))
        )
    if reranker is not None:
        order = await reranked(reranker, question, order, rows)
    # The question itself comes last, so that its own ranks count.
    ranks = LegRanks.of((one.legs.semantic, one.legs.keyword) for one in (*others, asked))
    found = (hit_of(rows[candidate.chunk_id], candidate, ranks) for candidate in order if candidate.chunk_id in rows)
    hits = spread(expanded(found), options.k, options.per_page)
    sure = _confidence(index, legs, options, evidence, levels.of(language)) if hits else 0.0
    return Found(
        question=question,
        hits=tuple(hits),
        verdict=verdict(sure, options.floor, evidence.exact),
        confidence=sure,
        floor=options.floor,
        mode=options.mode,
        elapsed_ms=(time.perf_counter() - began) * 1000,
        best=legs.best | {"coverage": evidence.coverage, "exact": evidence.exact},
    )


async def _searched(
    index: Index, question: str, language: str, options: Options, imagined_answer: str = ""
) -> SearchedQuestion:
    foreign = bool(index.languages) and language not in index.languages
    asked = [index.spelling.corrected(term) for term in terms(question, language, index.languages)]
    legs = await _both_legs(index, question, language, asked, options, imagined_answer)
    return SearchedQuestion(asked, legs, _fused(legs, asked, options, foreign=foreign))


async def _both_legs(
    index: Index, question: str, language: str, asked: Sequence[Term], options: Options, imagined_answer: str
) -> BothLegs:
    """Both at once: while a thread makes the question's vector, the words are looked up."""
    leg = index.semantic_leg
    serving = leg.serving
    scores, vector, allowed = await asyncio.gather(
        index.keyword_scores(() if options.mode == "semantic" else asked),
        _nothing() if options.mode == "keyword" else leg.question_vector(question, language),
        allowed_chunks(index.db, options.filter) if options.filter else _nothing(),
    )
    if vector is not None and leg.serving is not serving:  # another model has taken over meanwhile
        vector = await leg.question_vector(question, language)
    scores = scores if allowed is None else scores.only(allowed)
    best_by_words = scores.best(LEG_CANDIDATES)
    least = options.threshold * max(best_by_words.values(), default=0.0)
    keyword = {chunk_id: score for chunk_id, score in best_by_words.items() if score >= least}
    if vector is None:
        return BothLegs(keyword, {}, scores, NOTHING_NEAR, {}, 0.0)
    moved = await moved_toward(index, vector, imagined_answer, language)
    nearest = leg.nearest(moved, LEG_CANDIDATES, allowed)
    nearest_to_question = leg.nearest(vector, 1, allowed) if imagined_answer else nearest
    cut_off = options.threshold * (leg.serving.scale if leg.serving else 1.0)
    cosines = dict(zip(nearest.ids.tolist(), nearest.cosines.tolist(), strict=True))
    semantic = {chunk_id: cosine for chunk_id, cosine in cosines.items() if cosine >= cut_off}
    by_words_alone = np.fromiter((chunk_id for chunk_id in keyword if chunk_id not in cosines), np.int64)
    # A chunk that only words have found has a cosine too, and fusion wants it.
    cosines |= leg.cosines(moved, by_words_alone)
    question_cosine = float(nearest_to_question.cosines[0]) if len(nearest_to_question.cosines) else 0.0
    return BothLegs(keyword, semantic, scores, nearest, cosines, question_cosine)


async def _nothing() -> None:
    return None


def _fused(legs: BothLegs, asked: Sequence[Term], options: Options, *, foreign: bool) -> list[Candidate]:
    """The candidates of both legs in order, ties by id. `foreign`: the question is in another language than the pages."""
    ids = np.array(sorted(legs.keyword.keys() | legs.semantic.keys()), np.int64)
    coverage = legs.keyword_scores.coverage(ids)
    if options.mode == "hybrid" and options.fusion == "zscore" and len(legs.nearest.ids):
        scores = legs.keyword_scores
        keyword = z_scores(scores.of(ids), scores.mean, scores.deviation)
        average = legs.nearest.mean  # a chunk that has no vector yet counts as average
        cosines = np.array([legs.cosines.get(int(chunk_id), average) for chunk_id in ids])
        semantic = z_scores(cosines, legs.nearest.mean, legs.nearest.deviation)
        if foreign:  # its words can't be held, only its names and numbers: coverage would say nothing
            fused = z_score_fusion(keyword, np.ones(len(ids)), semantic, share=FOREIGN_SHARE)
        else:
            identified = any(term.identifier for term in asked)
            share = IDENTIFIER_SHARE if identified else KEYWORD_SHARE
            fused = z_score_fusion(keyword, coverage, semantic, share=share)
    else:
        only_leg = legs.keyword or legs.semantic
        ranks = [list(legs.keyword), list(legs.semantic)]
        by_id = reciprocal_rank_fusion(ranks) if options.mode == "hybrid" else only_leg
        fused = np.array([by_id[int(chunk_id)] for chunk_id in ids])
    order = np.lexsort((ids, -fused))
    return [Candidate(int(ids[at]), float(fused[at]), float(coverage[at])) for at in order]


def _confidence(index: Index, legs: BothLegs, options: Options, evidence: FloorEvidence, level: float) -> float:
    """The confidence; that of words alone where there are no vectors, the better one where some chunks have none yet.

    Learned by test_without_vectors_words_decide_what_is_found and
    test_while_vectors_are_made_a_page_without_one_is_answered_by_its_words.
    """
    if options.mode == "keyword" or (options.mode == "hybrid" and not len(legs.nearest.ids)):
        return confidence("keyword", evidence, level)
    sure = confidence(options.mode, evidence, level)
    incomplete = options.mode == "hybrid" and len(index.semantic_leg) < len(index)
    return max(sure, confidence("keyword", evidence, level)) if incomplete else sure


def _evidence(legs: BothLegs, order: Sequence[Candidate]) -> FloorEvidence:
    """What the floor reads off the raw scores and the words of the first candidates."""
    first = np.array([candidate.chunk_id for candidate in order[:FLOOR_HITS]], np.int64)
    holding_codes = [ids for term, ids in legs.keyword_scores.holding.items() if term.code]
    # For each code, which of the first candidates hold it; all of them must stand in one and the same.
    codes_held = [is_among(first, ids) for ids in holding_codes]
    nowhere = any(not len(ids) for ids in holding_codes)
    exact = -1 if nowhere else int(bool(codes_held) and bool(np.all(codes_held, axis=0).any()))
    coverage = max((candidate.coverage for candidate in order[:FLOOR_HITS]), default=0.0)
    return FloorEvidence(legs.best["semantic"], coverage, exact)


def _with_coverage(scores: KeywordScores, order: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with the share of the question's own words, whatever the words that found them."""
    shares = scores.coverage(np.array([candidate.chunk_id for candidate in order], np.int64))
    return [replace(candidate, coverage=float(share)) for candidate, share in zip(order, shares, strict=True)]


def _deviation(legs: BothLegs, options: Options, *, several: bool) -> float:
    """A standard deviation of the fused scores over the whole index; of sums of reciprocal ranks, a few ranks.

    `several`: whether the question was searched in other words too. From rank r to the next, 1 / (k + r) falls by about 1 / k².
    """
    if options.mode == "hybrid" and options.fusion == "zscore" and len(legs.nearest.ids):
        return 1.0
    if options.mode == "hybrid" or (several and options.by_rank):
        return DEVIATION_RANKS / RRF_K**2
    return legs.nearest.deviation if options.mode == "semantic" else legs.keyword_scores.deviation


def pack(hits: Iterable[Hit], max_tokens: int) -> list[Hit]:
    """The hits that fit into the budget, greedily in order: what doesn't fit is skipped and the next one tried."""
    packed, left = [], max_tokens
    for hit in hits:
        if hit.tokens <= left:
            packed.append(hit)
            left -= hit.tokens
    return packed
