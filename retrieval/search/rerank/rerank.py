"""Re-ranking by a cross-encoder: a model that reads the question and a chunk together and says how well the one answers the other.

It sees the best candidates only and changes nothing but their order and label; whatever it fails at, the fused order stays.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from retrieval.db import Row
from retrieval.document import Relevance
from retrieval.errors import RerankError, RetrievalError
from retrieval.search.fuse import Candidate
from retrieval.text.plain import plain

log = logging.getLogger(__name__)

# All chosen by hand, no command compares others.
RERANK_CANDIDATES = 50
"""Candidates that a cross-encoder reads."""
HIGH_ABOVE, MEDIUM_ABOVE = 0.5, -1.0
"""Scores, on the scale of a logit, above which a hit is labelled HIGH or MEDIUM."""
RERANK_SECONDS = 10.0
"""How long a visitor waits for a cross-encoder at most."""
REST_SECONDS = 30.0
"""For how long one that failed isn't asked again, so that not every visitor waits for it."""


class Reranker(Protocol):
    """A cross-encoder."""

    name: str

    async def score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """A score for each text, in their order, on the scale of a logit: 0 is as likely as not. Raises RerankError."""
        ...


class GuardedReranker:
    """A re-ranker that may fail: it has so many seconds, rests after a failure, and the log says so once until it works again.

    `clock` gives seconds.
    """

    def __init__(
        self,
        reranker: Reranker,
        *,
        seconds: float = RERANK_SECONDS,
        rest_seconds: float = REST_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._reranker, self._seconds, self._rest_seconds, self._clock = reranker, seconds, rest_seconds, clock
        self._resting_until = -math.inf
        self._failure_logged = False

    async def score(self, question: str, texts: Sequence[str]) -> Sequence[float] | None:
        """The scores, or None where there are none to be had."""
        if not texts or self._clock() < self._resting_until:
            return None
        try:
            async with asyncio.timeout(self._seconds):
                scores = await self._reranker.score(question, texts)
            # Whatever a model gives that can't order the texts is a failure like any other.
            if len(scores) != len(texts) or not all(map(math.isfinite, scores)):
                raise RerankError(f"{len(scores)} scores for {len(texts)} texts, or one that is no number")
        except TimeoutError:
            self._failed(f"no answer within {self._seconds:g} seconds")
        except RetrievalError as error:
            self._failed(str(error))
        else:
            self._failure_logged = False
            return scores
        return None

    def _failed(self, why: str) -> None:
        self._resting_until = self._clock() + self._rest_seconds
        if not self._failure_logged:
            log.warning("the re-ranker %s failed, the fused order stays: %s", self._reranker.name, why)
        self._failure_logged = True


async def reranked(
    reranker: GuardedReranker, question: str, order: Sequence[Candidate], rows: Mapping[int, Row]
) -> list[Candidate]:
    """The first candidates by the cross-encoder's scores, ties as they were; behind them the others as they were."""
    first = [candidate for candidate in order[:RERANK_CANDIDATES] if candidate.chunk_id in rows]
    scores = await reranker.score(question, [text_to_read(rows[candidate.chunk_id]) for candidate in first])
    if scores is None:
        return list(order)
    scored = [replace(candidate, rerank=float(score)) for candidate, score in zip(first, scores, strict=True)]
    ordered = sorted(scored, key=lambda candidate: -(candidate.rerank or 0.0))
    return ordered + list(order[RERANK_CANDIDATES:])


def text_to_read(row: Row) -> str:
    """What a cross-encoder reads of a chunk: title and heading path, then the text."""
    path = [row["title"], *json.loads(row["heading_path"])]
    return " > ".join(filter(None, dict.fromkeys(path))) + "\n" + plain(row["text"])


def relevance(score: float) -> Relevance:
    """A cross-encoder's score as a label."""
    if score > HIGH_ABOVE:
        return "HIGH"
    return "MEDIUM" if score > MEDIUM_ABOVE else "LOW"
