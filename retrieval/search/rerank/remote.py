"""A cross-encoder behind HTTP: Cohere's API, Jina's, and that of Hugging Face's text-embeddings-inference (TEI).

Many servers speak one of the three (vLLM, Infinity, LiteLLM, gateways). Each request has a bound in time and size; nothing is
tried twice, since a visitor waits, and no redirect is followed, since the key would go along.
"""

from __future__ import annotations

import json
import math
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal

import aiohttp

from retrieval.embed.embedder import batches
from retrieval.errors import RerankError

DialectName = Literal["cohere", "jina", "tei"]

# All chosen by hand, no command compares others.
REQUEST_SECONDS = 5.0
RERANK_TEXT_CHARACTERS = 4000
"""A text is cut there before it is sent."""
ANSWER_BYTES = 1 << 20
"""A longer answer is an error."""
LEAST_PROBABILITY = 1e-6
"""How near to 0, and to 1, a probability may lie, so that its logit is finite."""
SERVICE_TEXTS = 1000
"""Texts that one request to Cohere or Jina may hold; a search never has so many."""
TEI_TEXTS = 32
"""The most that TEI takes unless it is told otherwise."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a server is asked.

    `base`: where it is if nobody says. `request_texts`: texts that one request may hold. `body`: from model, question and texts
    to what is sent. `scores`: from the answer to pairs of a text's number and its logit.
    """

    base: str
    path: str
    request_texts: int
    body: Callable[[str, str, Sequence[str]], dict[str, Any]]
    scores: Callable[[Any], list[tuple[int, float]]]


def logit(probability: float) -> float:
    """log(p / (1 - p)): what Cohere and Jina answer, 0 to 1, on the scale of a cross-encoder's raw score.

    So HIGH, above 0.5, is a probability above 0.62; MEDIUM, above -1, one above 0.27. The order stays the same.
    """
    inside = min(max(probability, LEAST_PROBABILITY), 1 - LEAST_PROBABILITY)
    return math.log(inside / (1 - inside))


def _cohere_body(model: str, question: str, texts: Sequence[str]) -> dict[str, Any]:
    return {"model": model, "query": question, "documents": list(texts), "top_n": len(texts)}


def _jina_body(model: str, question: str, texts: Sequence[str]) -> dict[str, Any]:
    return _cohere_body(model, question, texts) | {"return_documents": False}


def _tei_body(_model: str, question: str, texts: Sequence[str]) -> dict[str, Any]:
    return {"query": question, "texts": list(texts), "raw_scores": True, "truncate": True}


def _service_scores(answer: Any) -> list[tuple[int, float]]:
    return [(int(item["index"]), logit(float(item["relevance_score"]))) for item in answer["results"]]


def _tei_scores(answer: Any) -> list[tuple[int, float]]:
    return [(int(item["index"]), float(item["score"])) for item in answer]


DIALECTS: dict[DialectName, Dialect] = {
    "cohere": Dialect("https://api.cohere.com", "/v2/rerank", SERVICE_TEXTS, _cohere_body, _service_scores),
    "jina": Dialect("https://api.jina.ai", "/v1/rerank", SERVICE_TEXTS, _jina_body, _service_scores),
    "tei": Dialect("", "/rerank", TEI_TEXTS, _tei_body, _tei_scores),
}


class RemoteReranker:
    """A `Reranker` behind HTTP, asked in its dialect. `base_url` may hold the dialect's path already."""

    def __init__(self, session: aiohttp.ClientSession, dialect: Dialect, base_url: str, model: str) -> None:
        self.name = model or "rerank"
        self._session, self._dialect, self._model = session, dialect, model
        base = (base_url or dialect.base).rstrip("/")
        self._url = base if base.endswith("/rerank") else base + dialect.path

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """As `Reranker.score`; a request a batch, one after the other."""
        scores: list[float] = []
        for part in batches([text[:RERANK_TEXT_CHARACTERS] for text in texts], self._dialect.request_texts):
            scores += await self._request(question, part)
        return scores

    async def _request(self, question: str, texts: Sequence[str]) -> list[float]:
        answer = await self._answer(self._dialect.body(self._model, question, texts))
        try:
            scores = dict(self._dialect.scores(answer))
        except (KeyError, TypeError, ValueError) as error:
            raise RerankError("the re-ranking server's answer is of another form; check rerank_dialect") from error
        if set(scores) != set(range(len(texts))):
            raise RerankError(f"the re-ranking server gave {len(scores)} scores for {len(texts)} texts")
        return [scores[at] for at in range(len(texts))]

    async def _answer(self, body: dict[str, Any]) -> Any:
        try:
            async with self._session.post(self._url, json=body, allow_redirects=False) as answer:
                if answer.status != 200:
                    raise RerankError(f"the re-ranking server answered {answer.status}")
                return json.loads(await _bounded_body(answer.content))
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise RerankError(f"the re-ranking server can't be reached ({type(error).__name__})") from error
        except ValueError as error:
            raise RerankError("the re-ranking server's answer is no JSON") from error


async def _bounded_body(content: aiohttp.StreamReader) -> bytes:
    body = bytearray()
    async for part in content.iter_chunked(1 << 16):
        body += part
        if len(body) > ANSWER_BYTES:
            raise RerankError("the re-ranking server's answer is too long")
    return bytes(body)


@asynccontextmanager
async def remote_reranker(
    dialect: DialectName, base_url: str, model: str, api_key: str, *, seconds: float = REQUEST_SECONDS
) -> AsyncIterator[RemoteReranker]:
    """A re-ranker behind HTTP; an empty `base_url` is the dialect's own service. `seconds`: for one request."""
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    async with aiohttp.ClientSession(headers=headers, timeout=aiohttp.ClientTimeout(total=seconds)) as session:
        yield RemoteReranker(session, DIALECTS[dialect], base_url, model)
