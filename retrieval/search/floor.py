"""The floor: how likely it is that what was found answers the question. Read off raw scores, never off a fused one.

Two things tell: how far the best cosine lies above what questions without any relation reach on this very index (measured at
the end of each crawl), as a share of the way to 1; and the share of the question's words, by rarity, that the best hits hold.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from retrieval.db import now
from retrieval.document import Verdict
from retrieval.index.index import Index
from retrieval.text.off_topic import off_topic


class FloorCoefficients(NamedTuple):
    """Of a logistic regression: what each part of the evidence adds to the logit of the confidence."""

    constant: float
    cosine_above_off_topic: float
    coverage: float
    code_held: float
    code_nowhere: float


# `python -m benchmarks.floor --data DIR` fits those of hybrid search, each set and both of its classes weighing the same; the
# constant is then raised by 1.3, so that the default floor of 0.5 keeps what a business' own visitors ask rather than refusing
# all that is off. No command is left that fits those of the other two modes.
HYBRID_COEFFICIENTS = FloorCoefficients(-1.7, 9.1, 1.6, 0.7, 1.0)
SEMANTIC_COEFFICIENTS = FloorCoefficients(-1.6, 11.9, 0.0, 0.0, 0.0)
KEYWORD_COEFFICIENTS = FloorCoefficients(-1.4, 0.0, 4.2, 0.7, 1.0)
# The rest was chosen by hand, no command compares others.
UNCERTAIN_ABOVE_FLOOR = 0.15
"""How far above the floor an answer still counts as uncertain."""
MOST_UNCERTAIN = 0.95
"""From here an answer never counts as uncertain, however high the floor."""
UNMEASURED_LEVEL = 0.25
"""The off-topic level where none was measured, rather too high than too low."""
LEAST_ROOM = 0.05
"""What is left between the level and 1 at least, so that a level near 1 doesn't make every cosine look far above it."""


@dataclass(frozen=True, slots=True)
class FloorEvidence:
    """What the floor knows of a search, raw.

    `cosine`: the best one. `coverage`: the greatest share of the question's words by rarity that one of the first hits holds,
    0 to 1. `exact`: 1 when one of them holds all codes of the question, -1 when a code stands nowhere in the index, else 0.
    """

    cosine: float = 0.0
    coverage: float = 0.0
    exact: int = 0


@dataclass(frozen=True, slots=True)
class OffTopicLevels:
    """By language of the question, the mean of the best cosines that off-topic questions reach on an index."""

    by_language: Mapping[str, float] = field(default_factory=dict)
    model: str = ""
    """The name of the model whose cosines they are."""

    def of(self, language: str) -> float:
        """The language's own level, else the mean of all; a careful default where nothing was measured."""
        if not self.by_language:
            return UNMEASURED_LEVEL
        return self.by_language.get(language, sum(self.by_language.values()) / len(self.by_language))


async def calibrate(index: Index) -> OffTopicLevels:
    """Ask the off-topic questions of the index, language by language, and store what they reach with the model's name."""
    leg = index.semantic_leg
    serving = leg.serving
    if serving is None or not len(leg):
        return OffTopicLevels()
    levels = {}
    for language, questions in off_topic().items():
        vectors = await serving.embed(questions, language=language, question=True)
        best = []
        for vector in vectors:
            if leg.serving is not serving:  # another model has taken over meanwhile
                return await calibrate(index)
            best += leg.nearest(vector, 1).cosines.tolist()
            await asyncio.sleep(0)  # in a large index each takes milliseconds, and visitors are waiting
        if best:
            levels[language] = float(np.mean(best))
    name, made_at = serving.name, now()
    async with index.db.write() as tx:
        await tx.run("DELETE FROM calibrations WHERE model = $1", name)
        await tx.many(
            "INSERT INTO calibrations (model, language, off_topic, chunks, made_at) VALUES ($1, $2, $3, $4, $5)",
            [(name, language, level, len(index), made_at) for language, level in levels.items()],
        )
    return OffTopicLevels(levels, name)


async def stored_levels(index: Index) -> OffTopicLevels:
    """The last measured levels for the model that serves, or careful defaults."""
    serving = index.semantic_leg.serving
    if serving is None:
        return OffTopicLevels()
    rows = await index.db.read("SELECT language, off_topic FROM calibrations WHERE model = $1", serving.name)
    return OffTopicLevels({row["language"]: row["off_topic"] for row in rows}, serving.name if rows else "")


def confidence(mode: str, evidence: FloorEvidence, level: float) -> float:
    """The estimated probability, 0 to 1, that the best hits answer the question; `level`: what off-topic questions reach."""
    coefficients = {"semantic": SEMANTIC_COEFFICIENTS, "keyword": KEYWORD_COEFFICIENTS}.get(mode, HYBRID_COEFFICIENTS)
    logit = coefficients.constant
    logit += coefficients.cosine_above_off_topic * above_level(evidence.cosine, level)
    logit += coefficients.coverage * evidence.coverage
    logit += coefficients.code_held * max(evidence.exact, 0) + coefficients.code_nowhere * min(evidence.exact, 0)
    return 1 / (1 + math.exp(-logit))


def above_level(cosine: float, level: float) -> float:
    """How far a cosine lies above the level, as a share of the way to 1; negative below it."""
    return (cosine - level) / max(1 - level, LEAST_ROOM)


def verdict(confidence_: float, floor: float, exact: int = 0) -> Verdict:
    """Nothing under the floor, uncertain just above it, answerable beyond; uncertain at most for a code that stands nowhere."""
    if confidence_ < floor:
        return "nothing"
    if exact < 0:
        return "uncertain"
    return "uncertain" if confidence_ < min(floor + UNCERTAIN_ABOVE_FLOOR, MOST_UNCERTAIN) else "answerable"
