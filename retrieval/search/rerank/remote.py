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

from retrieval.errors import RerankError

Name = Literal["cohere", "jina", "tei"]
SECONDS = 5.0
MOST_CHARACTERS = 4000
"""Of a text that is sent."""
MOST_BYTES = 1 << 20
EDGE = 1e-6
"""How near to 0 and 1 a probability may lie, so that its logit is finite."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a server is asked. `base`: where it is if nobody says. `batch`: texts that one request may hold."""

    base: str
    path: str
    batch: int
    body: Callable[[str, str, Sequence[str]], dict[str, Any]]
    found: Callable[[Any], list[tuple[int, float]]]


def logit(probability: float) -> float:
    """log(p / (1 - p)): what Cohere and Jina answer, 0 to 1, on the scale of a cross-encoder's raw score.

    So HIGH, above 0.5, is a probability above 0.62; MEDIUM, above -1, one above 0.27. The order stays the same.
    """
    inside = min(max(probability, EDGE), 1 - EDGE)
    return math.log(inside / (1 - inside))


def _documents(model: str, question: str, texts: Sequence[str]) -> dict[str, Any]:
    return {"model": model, "query": question, "documents": list(texts), "top_n": len(texts)}


def _documents_not_returned(model: str, question: str, texts: Sequence[str]) -> dict[str, Any]:
    return _documents(model, question, texts) | {"return_documents": False}


def _texts(model: str, question: str, texts: Sequence[str]) -> dict[str, Any]:
    return {"query": question, "texts": list(texts), "raw_scores": True, "truncate": True}


def _results(answer: Any) -> list[tuple[int, float]]:
    return [(int(item["index"]), logit(float(item["relevance_score"]))) for item in answer["results"]]


def _raw(answer: Any) -> list[tuple[int, float]]:
    return [(int(item["index"]), float(item["score"])) for item in answer]


DIALECTS: dict[Name, Dialect] = {
    "cohere": Dialect("https://api.cohere.com", "/v2/rerank", 1000, _documents, _results),
    "jina": Dialect("https://api.jina.ai", "/v1/rerank", 1000, _documents_not_returned, _results),
    "tei": Dialect("", "/rerank", 32, _texts, _raw),  # 32 is the most that TEI takes unless it is told otherwise
}


class RemoteReranker:
    """One server, asked in its dialect."""

    def __init__(self, session: aiohttp.ClientSession, dialect: Dialect, base_url: str, model: str) -> None:
        self.name = model or "rerank"
        self._session, self._dialect, self._model = session, dialect, model
        base = (base_url or dialect.base).rstrip("/")
        self._url = base if base.endswith("/rerank") else base + dialect.path

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """A logit for each text; raises RerankError."""
        cut = [text[:MOST_CHARACTERS] for text in texts]
        scores: list[float] = []
        for at in range(0, len(cut), self._dialect.batch):
            scores += await self._batch(question, cut[at : at + self._dialect.batch])
        return scores

    async def _batch(self, question: str, texts: Sequence[str]) -> list[float]:
        answer = await self._answer(self._dialect.body(self._model, question, texts))
        try:
            found = dict(self._dialect.found(answer))
        except (KeyError, TypeError, ValueError) as error:
            raise RerankError("the re-ranking server's answer is of another form; check rerank_dialect") from error
        if set(found) != set(range(len(texts))):
            raise RerankError(f"the re-ranking server gave {len(found)} scores for {len(texts)} texts")
        return [found[at] for at in range(len(texts))]

    async def _answer(self, body: dict[str, Any]) -> Any:
        try:
            async with self._session.post(self._url, json=body, allow_redirects=False) as answer:
                if answer.status != 200:
                    raise RerankError(f"the re-ranking server answered {answer.status}")
                return json.loads(await _bounded(answer.content))
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise RerankError(f"the re-ranking server can't be reached ({type(error).__name__})") from error
        except ValueError as error:
            raise RerankError("the re-ranking server's answer is no JSON") from error


async def _bounded(content: aiohttp.StreamReader) -> bytes:
    held = bytearray()
    async for part in content.iter_chunked(1 << 16):
        held += part
        if len(held) > MOST_BYTES:
            raise RerankError("the re-ranking server's answer is too long")
    return bytes(held)


@asynccontextmanager
async def remote_reranker(
    dialect: Name, base_url: str, model: str, api_key: str, *, seconds: float = SECONDS
) -> AsyncIterator[RemoteReranker]:
    """A re-ranker behind HTTP; an empty `base_url` is the dialect's own service."""
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    async with aiohttp.ClientSession(headers=headers, timeout=aiohttp.ClientTimeout(total=seconds)) as session:
        yield RemoteReranker(session, DIALECTS[dialect], base_url, model)
