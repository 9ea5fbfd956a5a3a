"""Vectors from an OpenAI-compatible server, over real sockets: what it is sent, and everything that can go wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import openai
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from retrieval.embed.remote import EMBED_TEXT_CHARACTERS, REQUEST_TEXTS, RemoteEmbedder, remote_embedder
from retrieval.errors import EmbedError


class FakeServer:
    """/v1/embeddings: a text's vector is its length and 1. `status` and `lost` make it fail."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[dict[str, Any]] = []
        self.status, self.lost = 200, 0

    async def answer(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.requests.append(body)
        if self.status != 200:
            return web.json_response({"error": {"message": "no"}}, status=self.status)
        texts = body["input"][self.lost :]
        data = [{"object": "embedding", "index": at, "embedding": [len(text), 1.0]} for at, text in enumerate(texts)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return web.json_response({"object": "list", "model": body["model"], "data": data, "usage": usage})


@asynccontextmanager
async def fake_server() -> AsyncIterator[FakeServer]:
    fake, app = FakeServer(), web.Application()
    app.router.add_post("/v1/embeddings", fake.answer)
    async with TestServer(app) as server:
        fake.url = str(server.make_url("/v1"))
        yield fake


@asynccontextmanager
async def impatient(url: str) -> AsyncIterator[RemoteEmbedder]:
    """An embedder that asks once."""
    async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
        yield RemoteEmbedder(client, "m")


async def test_texts_are_sent_in_batches_and_come_back_as_unit_vectors_in_their_order() -> None:
    texts = ["x" * size for size in range(1, REQUEST_TEXTS + 3)]
    async with fake_server() as server, remote_embedder(server.url, "", "m") as embedder:
        assert (await embedder.embed([])).shape == (0, 0)
        vectors = await embedder.embed(texts)
        assert [len(request["input"]) for request in server.requests] == [REQUEST_TEXTS, 2]
        assert {request["model"] for request in server.requests} == {"m"}
    assert embedder.dimension == 2
    expected = np.array([[len(text), 1.0] for text in texts]) / np.hypot([len(text) for text in texts], 1.0)[:, None]
    assert vectors == pytest.approx(expected, abs=1e-6)


async def test_a_long_text_is_cut_and_an_empty_one_is_a_space() -> None:
    async with fake_server() as server, remote_embedder(server.url, "", "m") as embedder:
        await embedder.embed(["x" * 2 * EMBED_TEXT_CHARACTERS, ""])
        assert [len(text) for text in server.requests[0]["input"]] == [EMBED_TEXT_CHARACTERS, 1]


@pytest.mark.parametrize(("status", "permanent"), [(400, True), (401, True), (404, True), (429, False), (500, False)])
async def test_a_server_that_refuses_is_an_error_that_says_whether_to_try_again(status: int, permanent: bool) -> None:
    async with fake_server() as server, impatient(server.url) as embedder:
        server.status = status
        with pytest.raises(EmbedError, match=f"answered {status}") as caught:
            await embedder.embed(["a"])
    assert caught.value.permanent is permanent


async def test_vectors_that_are_missing_or_a_server_that_is_gone_are_errors() -> None:
    async with fake_server() as server, impatient(server.url) as embedder:
        server.lost = 1
        with pytest.raises(EmbedError, match="gave 1 vectors for 2 texts"):
            await embedder.embed(["a", "b"])
    async with impatient(server.url) as embedder:
        with pytest.raises(EmbedError, match="can't be reached"):
            await embedder.embed(["a"])
