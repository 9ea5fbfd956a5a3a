"""A question to hits: both legs, each leg's own cut-off, fusion, the floor, and packing into the budget."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from retrieval.analyse import Term, terms
from retrieval.db import Row
from retrieval.document import Found, Hit, Leg, Relevance
from retrieval.floor import Calibration, confidence, verdict
from retrieval.fuse import IDENTIFIER_SHARE, KEYWORD_SHARE, rrf, weighted, zscores
from retrieval.index import Index
from retrieval.language import detect

Mode = Literal["hybrid", "semantic", "keyword"]
CANDIDATES = 50
FIRST = 5
"""How many of the first hits may cover the question's words."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to search. `threshold`: least cosine, and least share of the best BM25. `floor`: least confidence."""

    mode: Mode = "hybrid"
    fusion: Literal["zscore", "rrf"] = "zscore"
    threshold: float = 0.3
    floor: float = 0.5
    k: int = 10


@dataclass(frozen=True, slots=True)
class Legs:
    """Each leg's list after its own cut-off, best first, with raw scores; and all chunks' cosines for fusion."""

    keyword: dict[int, float]
    semantic: dict[int, float]
    every_keyword: dict[int, float]
    ids: np.ndarray[tuple[int], np.dtype[np.int64]]
    cosines: np.ndarray[tuple[int], np.dtype[np.float32]]

    @property
    def best_cosine(self) -> float:
        """The highest raw cosine of all chunks; 0 without vectors."""
        return float(self.cosines.max()) if len(self.cosines) else 0.0


async def search(index: Index, question: str, options: Options, calibration: Calibration, language: str = "") -> Found:
    """The hits for a question that stands alone, best first, with a verdict."""
    began = time.perf_counter()
    language = language or detect(question, among=index.languages)
    asked = [index.speller.corrected(term) for term in terms(question, language, index.languages)]
    legs = await _legs(index, question, asked, options)
    order = _fused(legs, asked, options)[: options.k]
    rows = await index.chunks([chunk_id for chunk_id, _ in order])
    weights = {term: index.weight(term) for term in asked}
    ranks = _ranked(legs.semantic), _ranked(legs.keyword)
    hits = [_hit(rows[i], score, ranks, weights) for i, score in order if i in rows]
    sure = (
        confidence(options.mode, legs.best_cosine, [hit.coverage for hit in hits[:FIRST]], calibration) if hits else 0.0
    )
    return Found(
        question=question,
        hits=tuple(hits),
        verdict=verdict(sure, options.floor),
        confidence=sure,
        floor=options.floor,
        mode=options.mode,
        elapsed_ms=(time.perf_counter() - began) * 1000,
        best={"semantic": legs.best_cosine, "keyword": max(legs.every_keyword.values(), default=0.0)},
    )


async def _legs(index: Index, question: str, asked: Sequence[Term], options: Options) -> Legs:
    none = np.empty(0, np.int64), np.empty(0, np.float32)
    every = {} if options.mode == "semantic" else await index.keyword(asked)
    ids, cosines = none if options.mode == "keyword" else await index.semantic(question)
    least = options.threshold * max(every.values(), default=0.0)
    keyword = {i: score for i, score in list(every.items())[:CANDIDATES] if score >= least}
    cut_off = options.threshold * (index.embedder.scale if index.embedder else 1.0)
    best = np.argsort(-cosines, kind="stable")[:CANDIDATES]
    semantic = {int(ids[at]): float(cosines[at]) for at in best if cosines[at] >= cut_off}
    return Legs(keyword, semantic, every, ids, cosines)


def _fused(legs: Legs, asked: Sequence[Term], options: Options) -> list[tuple[int, float]]:
    if options.mode == "hybrid" and options.fusion == "zscore" and len(legs.cosines):
        scores = _zscore(legs, asked)
    elif options.mode == "hybrid":
        scores = rrf([list(legs.keyword), list(legs.semantic)])
    else:
        scores = legs.keyword or legs.semantic
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def _zscore(legs: Legs, asked: Sequence[Term]) -> dict[int, float]:
    words, no_word = zscores(legs.every_keyword, len(legs.cosines))
    mean, deviation = float(legs.cosines.mean()), float(legs.cosines.std()) or 1.0
    candidates = legs.keyword.keys() | legs.semantic.keys()
    chosen = np.isin(legs.ids, list(candidates))
    values = (legs.cosines[chosen] - mean) / deviation
    vectors = dict.fromkeys(candidates, 0.0)  # a chunk that has no vector yet counts as average
    vectors |= {int(i): float(value) for i, value in zip(legs.ids[chosen], values, strict=True)}
    share = IDENTIFIER_SHARE if any(term.identifier for term in asked) else KEYWORD_SHARE
    return weighted(words, no_word, vectors, share=share)


def _hit(
    row: Row, score: float, ranks: tuple[Mapping[int, Leg], Mapping[int, Leg]], weights: Mapping[Term, float]
) -> Hit:
    covered = _coverage(set(row["words"].split()), weights)
    return Hit(
        chunk_id=row["id"],
        document_id=row["document_id"],
        url=row["url"],
        title=row["title"],
        heading_path=tuple(json.loads(row["heading_path"])),
        text=row["text"],
        tokens=row["tokens"],
        score=score,
        semantic=ranks[0].get(row["id"]),
        keyword=ranks[1].get(row["id"]),
        language=row["language"],
        fetched_at=row["fetched_at"],
        page=row["page"],
        coverage=covered,
        relevance=_relevance(covered, ranks[0].get(row["id"])),
    )


def _ranked(leg: Mapping[int, float]) -> dict[int, Leg]:
    return {chunk_id: Leg(rank, score) for rank, (chunk_id, score) in enumerate(leg.items(), 1)}


def _coverage(held: set[str], weights: Mapping[Term, float]) -> float:
    whole = sum(weights.values())
    part = sum(weight for term, weight in weights.items() if not held.isdisjoint(term.forms))
    return part / whole if whole else 0.0


def _relevance(coverage: float, semantic: Leg | None) -> Relevance:
    cosine = semantic.score if semantic else 0.0
    if coverage > 0.75 or cosine > 0.6:
        return "HIGH"
    return "MEDIUM" if coverage > 0.4 or cosine > 0.4 else "LOW"


def pack(hits: Iterable[Hit], max_tokens: int) -> list[Hit]:
    """The hits that fit into the budget, greedily in order: what doesn't fit is skipped and the next one tried."""
    packed, left = [], max_tokens
    for hit in hits:
        if hit.tokens <= left:
            packed.append(hit)
            left -= hit.tokens
    return packed
