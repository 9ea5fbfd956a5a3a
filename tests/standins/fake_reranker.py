"""A re-ranking server on loopback that speaks the three dialects; its scores are a function of question and text.

async with FakeReranker(lambda question, text: 0.9 if "canoe" in text else 0.1) as server:
    # rerank = "remote", rerank_url = server.url
    server.answer = lambda: web.Response(status=500)   # what every request gets instead
    server.requests                                    # path, headers and body of all requests, in order
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from tests.standins.server import StandIn

SECRET_WORDS = "internal: shard 7 exploded"


@dataclass(frozen=True)
class Asked:
    """One request."""

    path: str
    authorization: str
    body: dict[str, Any]


class FakeReranker(StandIn):
    """One server; `likely` gives the probability, 0 to 1, that a text answers a question."""

    def __init__(self, likely: Callable[[str, str], float]) -> None:
        self.likely = likely
        self.answer: Callable[[], web.Response] | None = None
        self.requests: list[Asked] = []
        self.hangs = False
        self._over = asyncio.Event()
        ranked = [web.post(path, self._results) for path in ("/v1/rerank", "/v2/rerank")]
        super().__init__(*ranked, web.post("/rerank", self._raw))

    def end(self) -> None:
        """Let go of whoever waits."""
        self._over.set()

    async def _seen(self, request: web.Request) -> dict[str, Any]:
        body: dict[str, Any] = await request.json()
        self.requests.append(Asked(request.path, request.headers.get("Authorization", ""), body))
        if self.hangs:
            await self._over.wait()
        return body

    async def _results(self, request: web.Request) -> web.Response:
        body = await self._seen(request)
        if self.answer:
            return self.answer()
        if not body.get("model"):
            return web.json_response({"message": "model is required"}, status=400)
        scores = [(at, self.likely(body["query"], text)) for at, text in enumerate(body["documents"])]
        best = sorted(scores, key=lambda item: -item[1])[: body["top_n"]]
        return web.json_response(
            {"id": "1", "results": [{"index": at, "relevance_score": score} for at, score in best], "meta": {}}
        )

    async def _raw(self, request: web.Request) -> web.Response:
        body = await self._seen(request)
        if self.answer:
            return self.answer()
        if len(body["texts"]) > 32:
            return web.json_response({"error": "batch size > maximum allowed batch size 32"}, status=413)
        found = [self.likely(body["query"], text) for text in body["texts"]]
        scores = [math.log(one / (1 - one)) if body.get("raw_scores") else one for one in found]
        best = sorted(enumerate(scores), key=lambda item: -item[1])
        return web.json_response([{"index": at, "score": score} for at, score in best])
