"""Vectors from any OpenAI-compatible endpoint. Apart, since the client takes a second to import."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import numpy as np
import openai

from retrieval.embed.embedder import Vectors
from retrieval.errors import EmbedError

REMOTE_BATCH = 64
REMOTE_CHARACTERS = 24_000


class RemoteEmbedder:
    """An OpenAI-compatible /v1/embeddings."""

    def __init__(self, client: openai.AsyncOpenAI, name: str) -> None:
        self.name = name
        self.dimension = 0
        self.scale = 1.0
        self._client = client

    async def embed(self, texts: Sequence[str], *, language: str = "", question: bool = False) -> Vectors:
        """In batches; the dimension is what the server answers."""
        parts = [texts[i : i + REMOTE_BATCH] for i in range(0, len(texts), REMOTE_BATCH)]
        found = [await self._batch(part) for part in parts]
        return np.concatenate(found) if found else np.empty((0, self.dimension), np.float32)

    async def _batch(self, texts: Sequence[str]) -> Vectors:
        try:
            answer = await self._client.embeddings.create(
                model=self.name,
                input=[text[:REMOTE_CHARACTERS] or " " for text in texts],
                encoding_format="float",
            )
        except openai.APIStatusError as error:
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
        return _unit(vectors)


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths == 0, 1, lengths), dtype=np.float32)


@asynccontextmanager
async def remote_embedder(base_url: str, api_key: str, name: str) -> AsyncIterator[RemoteEmbedder]:
    """An embedder behind HTTP; an empty `base_url` is OpenAI's own."""
    async with openai.AsyncOpenAI(base_url=base_url or None, api_key=api_key or "none", max_retries=3) as client:
        yield RemoteEmbedder(client, name)
