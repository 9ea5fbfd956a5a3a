"""A cross-encoder by the package `fastembed` (extra `fastembed`), which fetches models from the Hugging Face hub."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from retrieval.errors import RerankError
from retrieval.search.rerank.local import SCORED_TEXTS, LocalReranker, ScoreTexts, check_extra, local_reranker

DEFAULT_CROSS_ENCODER = "Xenova/ms-marco-MiniLM-L-6-v2"
"""Used where the settings name none; it knows English."""


def load_cross_encoder(name: str, cache: Path, folder: Path | None = None) -> ScoreTexts:
    """The model, fetched into `cache` unless its files are there or in `folder`; raises RerankError."""
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    try:
        encoder = TextCrossEncoder(name, str(cache), specific_model_path=str(folder) if folder else None)
    except (ValueError, OSError, RuntimeError) as error:
        raise RerankError(f"{name}: the model can't be loaded or fetched ({type(error).__name__})") from error

    def score_texts(question: str, texts: Sequence[str]) -> list[float]:
        try:
            return [float(score) for score in encoder.rerank(question, texts, batch_size=SCORED_TEXTS)]
        except (ValueError, RuntimeError) as error:
            raise RerankError(f"{name}: the model can't be run ({type(error).__name__})") from error

    return score_texts


@asynccontextmanager
async def fastembed_reranker(name: str, cache: Path, folder: Path | None = None) -> AsyncIterator[LocalReranker]:
    """The named model (empty: the default one), loaded at the first question; RerankError says that the extra is missing."""
    check_extra("fastembed", "fastembed")
    name = name or DEFAULT_CROSS_ENCODER
    async with local_reranker(name, lambda: load_cross_encoder(name, cache, folder)) as reranker:
        yield reranker
