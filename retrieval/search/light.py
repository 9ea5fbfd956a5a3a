"""The light re-ranker: what the words of the first candidates say is added to their fused scores, with small weights."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from retrieval.db import Row
from retrieval.index.index import Index
from retrieval.search.exact import CLOTHING_SIZES, ExactValue, exact_values, exactness
from retrieval.search.features import WeightedTerms, occurrences, share_held, share_side_by_side
from retrieval.search.fuse import Candidate
from retrieval.text.analyse import Term

# Chosen by hand; docs/ranking.md says what it costs.
LIGHT_CANDIDATES = 20
"""Candidates that are looked at."""
# Round numbers, chosen by leaving one of seven public question sets out at a time; a feature stayed only where the others'
# mean reciprocal rank didn't fall. No command is left that does so; benchmarks/quality.py shows the search with and without
# the light re-ranker. Exactness weighs most: it decides between near-duplicates (test_near_duplicates.py) and is silent elsewhere.
HEADING_WEIGHT, NEIGHBOURS_WEIGHT, EXACT_WEIGHT = 0.5, 0.5, 1.0
"""In standard deviations of the fused score, for a feature of 1."""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """What a question asks for: its terms with their weights, its numbers and letters."""

    terms: WeightedTerms
    exact_values: Sequence[ExactValue]

    @classmethod
    def of(cls, index: Index, question: str, asked: Sequence[Term]) -> AskedQuestion:
        """From the text and its corrected terms."""
        return cls(WeightedTerms.of({term: index.weight(term) for term in asked}), exact_values(question))


async def reranked_by_features(
    index: Index, question: AskedQuestion, order: Sequence[Candidate], rows: Mapping[int, Row], deviation: float
) -> list[Candidate]:
    """The first candidates in a new order, the others behind them.

    `rows`: the chunks' rows by id, at least of the first candidates. `deviation`: a standard deviation of the fused scores.
    """
    first = [candidate for candidate in order[:LIGHT_CANDIDATES] if candidate.chunk_id in rows]
    words = await index.analysed_words([candidate.chunk_id for candidate in first])
    scored = [
        replace(
            candidate,
            score=candidate.score + deviation * gain(question, rows[candidate.chunk_id], words[candidate.chunk_id]),
        )
        for candidate in first
        if candidate.chunk_id in words
    ]
    ordered = sorted(scored, key=lambda candidate: (-candidate.score, candidate.chunk_id))
    return ordered + list(order[LIGHT_CANDIDATES:])


def gain(question: AskedQuestion, row: Row, words: Row) -> float:
    """What a chunk gains or loses: `row` as in the chunks' table, `words` as in the keyword leg's."""
    terms = question.terms
    heading = share_held(terms, f"{words['title']} {words['headings']}".split())
    neighbours = share_side_by_side(terms, occurrences(terms, words["text"].split()))
    exact = _exactness(question.exact_values, row)
    return HEADING_WEIGHT * heading + NEIGHBOURS_WEIGHT * neighbours + EXACT_WEIGHT * exact


def _exactness(asked: Sequence[ExactValue], row: Row) -> float:
    if not asked:
        return 0.0
    # Letters take a pass over all words of the chunk, so they are looked for only where the question has one.
    letters = any(not value.value[0].isdigit() or value.value in CLOTHING_SIZES for value in asked)
    path = " ".join([row["title"], *json.loads(row["heading_path"])])
    return exactness(asked, exact_values(path, letters=letters), exact_values(row["text"], letters=letters))
