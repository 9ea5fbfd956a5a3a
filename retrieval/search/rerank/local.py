"""A cross-encoder that runs on this machine: loaded at the first question, in a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from importlib.util import find_spec

from retrieval.embed.embedder import batches, by_length
from retrieval.errors import RerankError

ScoreTexts = Callable[[str, Sequence[str]], Sequence[float]]
"""From a question and a few texts to a score for each text."""

# Chosen by hand, no command compares others.
SCORED_TEXTS = 10
"""Texts that the model gets at once, of like lengths: each is filled up to the longest."""


class LocalReranker:
    """A `Reranker` that runs its model here.

    `load` reads the model and raises RerankError where it can't; what it gives scores texts, and may raise RerankError too.
    """

    def __init__(self, name: str, load: Callable[[], ScoreTexts], thread: ThreadPoolExecutor) -> None:
        self.name = name
        self._load, self._thread = load, thread
        self._score_texts: ScoreTexts | None = None

    async def score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """As `Reranker.score`. Who stops waiting doesn't stop the thread: a model goes on being loaded."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._run, question, texts)

    def _run(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        if self._score_texts is None:  # there is one thread, so no two load it
            self._score_texts = self._load()
        scores = [0.0] * len(texts)
        for part in batches(by_length(texts), SCORED_TEXTS):
            for at, score in zip(part, self._score_texts(question, [texts[at] for at in part]), strict=True):
                scores[at] = score
        return scores


@asynccontextmanager
async def local_reranker(name: str, load: Callable[[], ScoreTexts]) -> AsyncIterator[LocalReranker]:
    """A re-ranker with its thread; what is under way at the end is waited for, what is waiting is dropped."""
    thread = ThreadPoolExecutor(1, thread_name_prefix="rerank")
    try:
        yield LocalReranker(name, load, thread)
    finally:
        await asyncio.to_thread(thread.shutdown, cancel_futures=True)


def check_extra(extra: str, *modules: str) -> None:
    """Raise RerankError unless the modules of an extra of the package are installed; extra and setting have the same name."""
    if not all(find_spec(module) for module in modules):
        raise RerankError(
            f'retrieval.rerank is {extra}, but the extra isn\'t installed: pip install "frontdesk[{extra}]"'
        )
