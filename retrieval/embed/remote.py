"""Vectors from any OpenAI-compatible endpoint. A module of its own, since the client takes a second to import."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import numpy as np
import openai

from retrieval.embed.embedder import Vectors, batches, unit
from retrieval.errors import EmbedError

# Both chosen by hand, no command: what common servers take in one request.
REQUEST_TEXTS = 64
EMBED_TEXT_CHARACTERS = 24_000
"""A text is cut there: some 6,000 tokens, while models take 8,192."""
REQUEST_TRIES = 4


class RemoteEmbedder:
    """An OpenAI-compatible /v1/embeddings. `dimension` is 0 until the server has answered once."""

    def __init__(self, client: openai.AsyncOpenAI, name: str) -> None:
        self.name = name
        self.dimension = 0
        self.scale = 1.0
        self._client = client

    async def embed(self, texts: Sequence[str], *, language: str = "", question: bool = False) -> Vectors:
        """As `Embedder.embed`; a request a batch, one after the other."""
        parts = [await self._request(part) for part in batches(texts, REQUEST_TEXTS)]
        return np.concatenate(parts) if parts else np.empty((0, self.dimension), np.float32)

    async def _request(self, texts: Sequence[str]) -> Vectors:
        try:
            answer = await self._client.embeddings.create(
                model=self.name,
                input=[text[:EMBED_TEXT_CHARACTERS] or " " for text in texts],  # servers refuse an empty text
                encoding_format="float",
            )
        except openai.APIStatusError as error:
            # A wrong key, address or model stays wrong; everything else may pass.
            permanent = error.status_code in (400, 401, 403, 404)
            raise EmbedError(f"the embedding server answered {error.status_code}", permanent=permanent) from error
        except openai.OpenAIError as error:
            raise EmbedError(f"the embedding server can't be reached ({type(error).__name__})") from error
        vectors = np.asarray([item.embedding for item in answer.data], dtype=np.float32)
        if vectors.shape[0] != len(texts):
            raise EmbedError(
                f"the embedding server gave {vectors.shape[0]} vectors for {len(texts)} texts", permanent=True
            )
        self.dimension = int(vectors.shape[1])
        return unit(vectors)


@asynccontextmanager
async def remote_embedder(base_url: str, api_key: str, name: str) -> AsyncIterator[RemoteEmbedder]:
    """An embedder behind HTTP; an empty `base_url` is OpenAI's own address."""
    async with openai.AsyncOpenAI(
        base_url=base_url or None, api_key=api_key or "none", max_retries=REQUEST_TRIES - 1
    ) as client:
        yield RemoteEmbedder(client, name)
