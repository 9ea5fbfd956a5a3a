"""The floor: how likely it is that what was found answers the question. Read off raw scores, never off a fused one.

Two signals: how far the best cosine lies above what questions without any relation reach on this very index (measured at the
end of each crawl), as a share of the way to 1; and the share of the question's words, by rarity, that the best hits hold.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from retrieval.db import now
from retrieval.document import Verdict
from retrieval.index.index import Index
from retrieval.text.off_topic import off_topic

SEMANTIC = (-1.6, 11.9, 0.0, 0.0, 0.0)
HYBRID = (-1.7, 9.1, 1.6, 0.7, 1.0)
KEYWORD = (-1.4, 0.0, 4.2, 0.7, 1.0)
"""Logistic coefficients: constant, cosine above off-topic, coverage, a code that is held, a code that stands nowhere.

benchmarks/floor.py fits them, each set and both of its classes weighing the same; the constant is then raised by 1.3, so that
the default floor of 0.5 keeps what a business' own visitors ask rather than refusing all that is off.
"""
UNCERTAIN = 0.15
"""How far above the floor an answer still counts as uncertain."""
DEFAULT_LEVEL = 0.25


@dataclass(frozen=True, slots=True)
class Signs:
    """What is known of a search's result, raw.

    `cosine`: the best one. `coverage`: the greatest share of the question's words by rarity that one of the first hits holds,
    0 to 1. `exact`: 1 when one of them holds all codes of the question, -1 when one stands nowhere in the index, else 0.
    """

    cosine: float = 0.0
    coverage: float = 0.0
    exact: int = 0


@dataclass(frozen=True, slots=True)
class Levels:
    """By language of the question, the mean of the best cosines that off-topic questions reach on an index."""

    by_language: Mapping[str, float] = field(default_factory=dict)
    model: str = ""
    """Whose cosines they are."""

    def of(self, language: str) -> float:
        """The language's own level, else the mean of all; a careful default where nothing was measured."""
        if not self.by_language:
            return DEFAULT_LEVEL
        return self.by_language.get(language, sum(self.by_language.values()) / len(self.by_language))


async def calibrate(index: Index) -> Levels:
    """Measure the off-topic questions on the index, language by language, and store the result with the model's name."""
    serving = index.meaning.serving
    if serving is None or not len(index.meaning):
        return Levels()
    levels = {}
    for language, questions in off_topic().items():
        vectors = await serving.embed(questions, language=language, question=True)
        best = []
        for vector in vectors:
            if index.meaning.serving is not serving:  # another model has taken over meanwhile
                return await calibrate(index)
            best += index.meaning.nearest(vector, 1).cosines.tolist()
            await asyncio.sleep(0)  # in a large index each takes milliseconds, and visitors are waiting
        if best:
            levels[language] = float(np.mean(best))
    name, made = serving.name, now()
    async with index.db.write() as tx:
        await tx.run("DELETE FROM calibrations WHERE model = $1", name)
        await tx.many(
            "INSERT INTO calibrations (model, language, off_topic, chunks, made_at) VALUES ($1, $2, $3, $4, $5)",
            [(name, language, level, len(index), made) for language, level in levels.items()],
        )
    return Levels(levels, name)


async def stored(index: Index) -> Levels:
    """The last measured levels for the index's model, or careful defaults."""
    if index.meaning.serving is None:
        return Levels()
    rows = await index.db.read(
        "SELECT language, off_topic FROM calibrations WHERE model = $1", index.meaning.serving.name
    )
    return Levels({row["language"]: row["off_topic"] for row in rows}, index.meaning.serving.name if rows else "")


def confidence(mode: str, signs: Signs, level: float) -> float:
    """The estimated probability, 0 to 1, that the best hits answer the question; `level`: what off-topic questions reach."""
    constant, per_cosine, per_coverage, held, nowhere = {"semantic": SEMANTIC, "keyword": KEYWORD}.get(mode, HYBRID)
    logit = constant + per_cosine * above(signs.cosine, level) + per_coverage * signs.coverage
    logit += held * max(signs.exact, 0) + nowhere * min(signs.exact, 0)
    return 1 / (1 + math.exp(-logit))


def above(cosine: float, level: float) -> float:
    """How far a cosine lies above the level, as a share of the way to 1; negative below it."""
    return (cosine - level) / max(1 - level, 0.05)


def verdict(confidence_: float, floor: float, exact: int = 0) -> Verdict:
    """nothing under the floor, uncertain just above it, answerable beyond; uncertain at most for a code that stands nowhere."""
    if confidence_ < floor:
        return "nothing"
    if exact < 0:
        return "uncertain"
    return "uncertain" if confidence_ < min(floor + UNCERTAIN, 0.95) else "answerable"
