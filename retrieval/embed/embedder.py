"""Text as vectors of unit length: what an embedder is, and one that runs a model in threads of this process."""

from __future__ import annotations

import asyncio
import math
import os
import sys
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from retrieval.errors import EmbedError

Item = TypeVar("Item")
Vectors = NDArray[np.float32]
Encode = Callable[[Sequence[str], str, bool], Vectors]
"""Texts, their language's code (empty: each may have another) and whether they are questions, to unit vectors."""

# Chosen by hand, no command compares others: small, so that questions get their turn while pages are embedded.
EMBED_BATCH_TEXTS = 8
# Chosen by hand: one turn asks for the same vector several times, and the questions of a few minutes are kept (3 kB each).
KEPT_QUESTIONS = 256
# Chosen by hand; benchmarks/turns.py shows what a turn costs, not what it waits while pages are embedded.
PAGE_THREAD_NICENESS = 10
"""By how much the priority of the threads is lowered that embed pages, so that questions go first."""


class Embedder(Protocol):
    """Turns texts into unit vectors; `name` and `dimension` are stored with each of them."""

    name: str
    dimension: int
    scale: float
    """What the threshold is multiplied by, for models whose cosines lie lower or higher than usual."""

    async def embed(self, texts: Sequence[str], *, language: str = "", question: bool = False) -> Vectors:
        """An array of shape (texts, dimension), float32; raises EmbedError.

        `language`: the code of the language of all the texts, empty when it isn't known. `question`: whether the texts are
        questions; else they are parts of pages.
        """


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """A model that runs in this process. `load` reads it, at the first text, and may raise EmbedError."""

    name: str
    dimension: int
    scale: float
    load: Callable[[], Encode]
    known_questions: Callable[[], Mapping[str, Vectors]] = dict
    """Questions whose vectors come with the code, so that the floor is measured without running the model."""


class LocalEmbedder:
    """An embedder that runs its model here, without a server; each thread computes on one core.

    Pages are embedded on as many threads as there are cores, at a low priority; questions on a thread of their own.
    """

    def __init__(
        self, model: EmbeddingModel, page_threads: ThreadPoolExecutor, question_threads: ThreadPoolExecutor
    ) -> None:
        self.name, self.dimension, self.scale = model.name, model.dimension, model.scale
        self._model = model
        self._encode: Encode | None = None
        self._loading = threading.Lock()
        self._page_threads, self._question_threads = page_threads, question_threads
        self._cores = os.cpu_count() or 1
        self._recent: OrderedDict[tuple[str, str], Vectors] = OrderedDict()

    async def embed(self, texts: Sequence[str], *, language: str = "", question: bool = False) -> Vectors:
        """As `Embedder.embed`, in threads; the vectors of the last questions that were asked alone are kept."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        if question and len(texts) == 1:
            return await self._one_question(texts[0], language)
        known = self._model.known_questions() if question else {}
        if known and all(text in known for text in texts):
            return np.stack([known[text] for text in texts])
        return await self._in_threads(texts, language, question=question)

    async def _one_question(self, question: str, language: str) -> Vectors:
        key = (question, language)
        if key in self._recent:
            return self._recent[key]
        vectors = self._recent[key] = await self._in_threads([question], language, question=True)
        if len(self._recent) > KEPT_QUESTIONS:
            self._recent.popitem(last=False)
        return vectors

    async def _in_threads(self, texts: Sequence[str], language: str, *, question: bool) -> Vectors:
        """Small batches of texts of like lengths: what is embedded together takes as long as its longest text."""
        loop = asyncio.get_running_loop()
        parts = list(batches(by_length(texts), min(EMBED_BATCH_TEXTS, math.ceil(len(texts) / self._cores))))
        threads = self._question_threads if question else self._page_threads
        encoded = await asyncio.gather(
            *(
                loop.run_in_executor(threads, self._run, [texts[at] for at in part], language, question)
                for part in parts
            )
        )
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for part, some in zip(parts, encoded, strict=True):
            vectors[part] = some
        return vectors

    def _run(self, texts: Sequence[str], language: str, question: bool) -> Vectors:
        with self._loading:  # the first texts come to several threads at once
            if self._encode is None:
                # BLAS would start as many threads for each of ours as there are cores.
                threadpool_limits(limits=1, user_api="blas")
                self._encode = self._model.load()
        return self._encode(texts, language, question)


@asynccontextmanager
async def local_embedder(model: EmbeddingModel) -> AsyncIterator[LocalEmbedder]:
    """An embedder for a model that runs here, with its threads."""
    cores = os.cpu_count() or 1
    with (
        ThreadPoolExecutor(cores, thread_name_prefix="embed", initializer=_lower_priority) as page_threads,
        ThreadPoolExecutor(1, thread_name_prefix="ask") as question_threads,
    ):
        yield LocalEmbedder(model, page_threads, question_threads)


def _lower_priority() -> None:
    """Lower the priority of the thread that calls it, where the system can: only Linux knows one for each thread."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), PAGE_THREAD_NICENESS)


def unit(vectors: Vectors) -> Vectors:
    """Vectors of shape (texts, dimension) at unit length; a vector of zeros stays as it is."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths == 0, 1, lengths), np.float32)


def batches(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """The items in their order, at most `size` at once."""
    for at in range(0, len(items), size):
        yield items[at : at + size]


def by_length(texts: Sequence[str]) -> list[int]:
    """The numbers of the texts, the shortest text's first."""
    return sorted(range(len(texts)), key=lambda at: len(texts[at]))


def extra_missing(extra: str) -> EmbedError:
    """The error that says which extra of the package a provider needs; provider and extra have the same name."""
    return EmbedError(
        f"[embedding] provider = \"{extra}\" needs the extra `{extra}`: pip install 'frontdesk[{extra}]'",
        permanent=True,
    )
