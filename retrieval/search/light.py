"""The light re-ranker: what the words of the first candidates say is added to their fused scores, with small weights.

The weights are round numbers, chosen by leaving one of seven public question sets out at a time; a feature stayed only where the
others' mean reciprocal rank didn't fall. Exactness weighs most: it decides between near-duplicates and is silent elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from retrieval.db import Row
from retrieval.index.index import Index
from retrieval.search.exact import SIZES, Mark, exactness, marks
from retrieval.search.features import Asked, held, side_by_side, standing
from retrieval.search.fuse import Candidate
from retrieval.text.analyse import Term

MOST = 20
"""Candidates that are looked at."""
HEADING, NEIGHBOURS, EXACT = 0.5, 0.5, 1.0
"""In standard deviations of the fused score, for a feature of 1."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a question asks for: its terms with their weights, its numbers and letters."""

    terms: Asked
    marks: Sequence[Mark]

    @classmethod
    def of(cls, index: Index, question: str, asked: Sequence[Term]) -> Question:
        """From the text and its corrected terms."""
        return cls(Asked.of({term: index.weight(term) for term in asked}), marks(question))


async def lightly(
    index: Index, question: Question, order: Sequence[Candidate], rows: Mapping[int, Row], unit: float
) -> list[Candidate]:
    """The first candidates in a new order, the others behind them; `unit`: a standard deviation of the scores."""
    first = [candidate for candidate in order[:MOST] if candidate.chunk_id in rows]
    words = await index.analysed([candidate.chunk_id for candidate in first])
    scored = [
        replace(
            candidate,
            score=candidate.score + unit * gain(question, rows[candidate.chunk_id], words[candidate.chunk_id]),
        )
        for candidate in first
        if candidate.chunk_id in words
    ]
    return sorted(scored, key=lambda candidate: (-candidate.score, candidate.chunk_id)) + list(order[MOST:])


def gain(question: Question, row: Row, words: Row) -> float:
    """What a chunk gains or loses: `row` as in the chunks' table, `words` as in the keyword leg's."""
    asked = question.terms
    heading = held(asked, f"{words['title']} {words['headings']}".split())
    neighbours = side_by_side(asked, standing(asked, words["text"].split()))
    return HEADING * heading + NEIGHBOURS * neighbours + EXACT * _exact(question.marks, row)


def _exact(asked: Sequence[Mark], row: Row) -> float:
    if not asked:
        return 0.0
    letters = any(not mark.value[0].isdigit() or mark.value in SIZES for mark in asked)
    path = " ".join([row["title"], *json.loads(row["heading_path"])])
    return exactness(asked, marks(path, letters=letters), marks(row["text"], letters=letters))
