"""A cross-encoder that runs on this machine: loaded at the first question, in a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

Score = Callable[[str, Sequence[str]], Sequence[float]]


class LocalReranker:
    """`load` reads the model and raises RerankError where it can't; what it gives scores texts, and may raise it too."""

    def __init__(self, name: str, load: Callable[[], Score], thread: ThreadPoolExecutor) -> None:
        self.name = name
        self._load, self._thread = load, thread
        self._score: Score | None = None

    async def score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """A score for each text. Who stops waiting doesn't stop the thread: a model goes on being loaded."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._run, question, texts)

    def _run(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        if self._score is None:
            self._score = self._load()
        return self._score(question, texts)


@asynccontextmanager
async def local_reranker(name: str, load: Callable[[], Score]) -> AsyncIterator[LocalReranker]:
    """A re-ranker with its thread; what is under way at the end is waited for, what is waiting is dropped."""
    thread = ThreadPoolExecutor(1, thread_name_prefix="rerank")
    try:
        yield LocalReranker(name, load, thread)
    finally:
        await asyncio.to_thread(thread.shutdown, cancel_futures=True)
