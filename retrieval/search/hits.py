"""From a candidate and its row in the database to a hit: each leg's rank and score, and the label that says how well it fits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from retrieval.db import Row
from retrieval.document import Hit, Leg, Relevance
from retrieval.search.expand import parent_of
from retrieval.search.fuse import Candidate
from retrieval.search.rerank.rerank import relevance

# Chosen by hand, no command compares others; a label orders nothing.
HIGH_COVERAGE, HIGH_COSINE = 0.75, 0.6
MEDIUM_COVERAGE, MEDIUM_COSINE = 0.4, 0.4
"""Above which a hit's label is HIGH or MEDIUM where no cross-encoder gives one; either will do."""


@dataclass(frozen=True, slots=True)
class LegRanks:
    """Each leg's rank and raw score by chunk id."""

    semantic: Mapping[int, Leg]
    keyword: Mapping[int, Leg]

    @classmethod
    def of(cls, legs: Iterable[tuple[Mapping[int, float], Mapping[int, float]]]) -> LegRanks:
        """From the semantic and the keyword leg's scores, best first, of several questions.

        Where several of them found a chunk, what the last one has of it counts.
        """
        semantic: dict[int, Leg] = {}
        keyword: dict[int, Leg] = {}
        for semantic_scores, keyword_scores in legs:
            semantic |= _ranked(semantic_scores)
            keyword |= _ranked(keyword_scores)
        return cls(semantic, keyword)


def _ranked(scores: Mapping[int, float]) -> dict[int, Leg]:
    return {chunk_id: Leg(rank, score) for rank, (chunk_id, score) in enumerate(scores.items(), 1)}


def hit_of(row: Row, candidate: Candidate, ranks: LegRanks) -> Hit:
    """The hit of a candidate; `row` as `Index.chunks` gives it."""
    semantic = ranks.semantic.get(candidate.chunk_id)
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
        keyword=ranks.keyword.get(candidate.chunk_id),
        language=row["language"],
        fetched_at=row["fetched_at"],
        page=row["page"],
        coverage=candidate.coverage,
        relevance=_label(candidate, semantic),
        rerank=candidate.rerank,
        parent=parent_of(row),
    )


def _label(candidate: Candidate, semantic: Leg | None) -> Relevance:
    if candidate.rerank is not None:
        return relevance(candidate.rerank)
    cosine = semantic.score if semantic else 0.0
    if candidate.coverage > HIGH_COVERAGE or cosine > HIGH_COSINE:
        return "HIGH"
    return "MEDIUM" if candidate.coverage > MEDIUM_COVERAGE or cosine > MEDIUM_COSINE else "LOW"
