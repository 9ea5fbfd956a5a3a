"""Text as vectors of unit length: what an embedder is, and running one in threads of its own."""

from __future__ import annotations

import asyncio
import math
import os
import sys
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

Vectors = NDArray[np.float32]
Encode = Callable[[Sequence[str], str, bool], Vectors]
"""Texts of one language (its code; empty: each may be another), and whether they are questions, to unit vectors."""
BATCH = 8
REMEMBERED = 256
"""Questions whose vectors are kept."""
POLITE = 10
"""How nice the threads are that make vectors of pages, so that questions go first."""


class Embedder(Protocol):
    """Turns texts into unit vectors; `name` and `dimension` are stored with each of them."""

    name: str
    dimension: int
    scale: float
    """What the threshold is multiplied by, for models whose cosines lie lower or higher than usual."""

    async def embed(self, texts: Sequence[str], *, language: str = "", question: bool = False) -> Vectors:
        """An array of shape (texts, dimension), float32; raises EmbedError.

        `language` is that of all the texts, empty when it isn't known; `question`: they are asked, not held.
        """


@dataclass(frozen=True, slots=True)
class Model:
    """A model that runs here. `load` reads it, at the first text."""

    name: str
    dimension: int
    scale: float
    load: Callable[[], Encode]
    known: Callable[[], Mapping[str, Vectors]] = dict
    """Questions whose vectors come with the code, so that the floor is measured without running the model."""


class LocalEmbedder:
    """A model whose weights come inside packages: no download, no server; each thread computes on one core.

    Pages are embedded on as many threads as there are cores, at a low priority; questions on a thread of their own.
    """

    def __init__(self, model: Model, pages: ThreadPoolExecutor, questions: ThreadPoolExecutor) -> None:
        self.name, self.dimension, self.scale = model.name, model.dimension, model.scale
        self._load, self._known = model.load, model.known
        self._encode: Encode | None = None
        self._loading = threading.Lock()
        self._pages, self._questions = pages, questions
        self._cores = os.cpu_count() or 1
        self._asked: OrderedDict[tuple[str, str], Vectors] = OrderedDict()

    async def embed(self, texts: Sequence[str], *, language: str = "", question: bool = False) -> Vectors:
        """In threads, so that the event loop goes on; in small batches of like lengths, so that questions get their turn."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        if question and len(texts) > 1 and all(text in (known := self._known()) for text in texts):
            return np.stack([known[text] for text in texts])
        if question and len(texts) == 1:
            return await self._one(texts[0], language)
        return await self._made(texts, language, question=question)

    async def _one(self, question: str, language: str) -> Vectors:
        """A question's vector; one turn asks for it several times, to search, to choose sentences, to log a gap."""
        if (known := self._asked.get((question, language))) is not None:
            return known
        made = self._asked[question, language] = await self._made([question], language, question=True)
        if len(self._asked) > REMEMBERED:
            self._asked.popitem(last=False)
        return made

    async def _made(self, texts: Sequence[str], language: str, *, question: bool) -> Vectors:
        loop = asyncio.get_running_loop()
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        size = min(BATCH, math.ceil(len(order) / self._cores))
        parts = [order[at : at + size] for at in range(0, len(order), size)]
        pool = self._questions if question else self._pages
        found = await asyncio.gather(
            *(loop.run_in_executor(pool, self._run, [texts[at] for at in part], language, question) for part in parts)
        )
        made = np.empty((len(texts), self.dimension), np.float32)
        for part, vectors in zip(parts, found, strict=True):
            made[part] = vectors
        return made

    def _run(self, texts: Sequence[str], language: str, question: bool) -> Vectors:
        with self._loading:
            if self._encode is None:
                threadpool_limits(limits=1, user_api="blas")
                self._encode = self._load()
        return self._encode(texts, language, question)


def _polite() -> None:
    """Lowers the priority of the thread that calls it, where the system can."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), POLITE)


@asynccontextmanager
async def local_embedder(model: Model) -> AsyncIterator[LocalEmbedder]:
    """An embedder that runs here, with its threads."""
    cores = os.cpu_count() or 1
    with (
        ThreadPoolExecutor(cores, thread_name_prefix="embed", initializer=_polite) as pages,
        ThreadPoolExecutor(1, thread_name_prefix="ask") as questions,
    ):
        yield LocalEmbedder(model, pages, questions)
