"""A cross-encoder by the package `fastembed` (extra `fastembed`), which fetches models from the Hugging Face hub."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path

from retrieval.errors import RerankError
from retrieval.search.rerank.local import LocalReranker, Score, local_reranker

MODEL = "Xenova/ms-marco-MiniLM-L-6-v2"
BATCH = 10


def loaded(name: str, cache: Path, folder: Path | None = None) -> Score:
    """The model, fetched into `cache` unless its files are there or in `folder`; raises RerankError."""
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    try:
        encoder = TextCrossEncoder(name, str(cache), specific_model_path=str(folder) if folder else None)
    except (ValueError, OSError, RuntimeError) as error:
        raise RerankError(f"{name}: the model can't be loaded or fetched ({type(error).__name__})") from error

    def score(question: str, texts: Sequence[str]) -> list[float]:
        try:
            return [float(one) for one in encoder.rerank(question, texts, batch_size=BATCH)]
        except (ValueError, RuntimeError) as error:
            raise RerankError(f"{name}: the model can't be run ({type(error).__name__})") from error

    return score


@asynccontextmanager
async def fastembed_reranker(name: str, cache: Path, folder: Path | None = None) -> AsyncIterator[LocalReranker]:
    """The named model, loaded at the first question; RerankError says that the extra is missing."""
    if not find_spec("fastembed"):
        raise RerankError(
            'retrieval.search.rerank.rerank is fastembed, but the extra isn\'t installed: pip install "frontdesk[fastembed]"'
        )
    async with local_reranker(name or MODEL, lambda: loaded(name or MODEL, cache, folder)) as reranker:
        yield reranker
