"""What the search is configured to run with: its embedder, those of models that were used before, a re-ranker."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from bot.config import Config
from retrieval.embed.bundled import BUNDLED_MODEL
from retrieval.embed.embedder import Embedder, EmbeddingModel, local_embedder
from retrieval.index.semantic import EarlierEmbedder
from retrieval.search.rerank.rerank import Reranker
from retrieval.search.search import Options


def options_of(config: Config) -> Options:
    """The configured way to search."""
    settings = config.retrieval
    return Options(
        settings.mode,
        settings.fusion,
        settings.threshold,
        settings.floor,
        per_page=settings.per_page,
        light=settings.rerank != "none",
        hyde=settings.hyde,
        queries=settings.queries,
    )


@asynccontextmanager
async def embedders_of(config: Config) -> AsyncIterator[tuple[Embedder, EarlierEmbedder]]:
    """The configured embedder, and a way to those that made the vectors that a new model hasn't replaced yet."""
    async with AsyncExitStack() as stack:
        embedder = await _opened(stack, config)

        async def earlier(name: str) -> Embedder | None:
            if name == BUNDLED_MODEL.name:
                return await stack.enter_async_context(local_embedder(BUNDLED_MODEL))
            if config.embedding.provider == "openai":
                return await _remote(stack, config, name)
            return None

        yield embedder, earlier


async def _opened(stack: AsyncExitStack, config: Config) -> Embedder:
    if config.embedding.provider == "openai":
        return await _remote(stack, config, config.embedding.name)
    return await stack.enter_async_context(local_embedder(_model(config)))


def _model(config: Config) -> EmbeddingModel:
    """What runs here: the bundled models, a folder's ONNX file, or a model that fastembed knows."""
    if config.embedding.provider == "onnx":
        from retrieval.embed.onnx import onnx_model

        return onnx_model(Path(config.embedding.path))
    if config.embedding.provider == "fastembed":
        from retrieval.embed.fastembed import fastembed_model

        return fastembed_model(config.embedding.name)
    return BUNDLED_MODEL


async def _remote(stack: AsyncExitStack, config: Config, name: str) -> Embedder:
    from retrieval.embed.remote import remote_embedder

    key = config.secret("OPENAI_API_KEY")
    return await stack.enter_async_context(remote_embedder(config.embedding.base_url, key, name))


@asynccontextmanager
async def reranker_of(config: Config, folder: Path) -> AsyncIterator[Reranker | None]:
    """The configured cross-encoder, or None; each kind is only imported where it is used."""
    settings = config.retrieval
    local = Path(config.folder, settings.rerank_path) if settings.rerank_path else None
    async with AsyncExitStack() as stack:
        if settings.rerank == "remote":
            from retrieval.search.rerank.remote import remote_reranker

            key = config.secret("FRONTDESK_RERANK_API_KEY")
            remote = remote_reranker(settings.rerank_dialect, settings.rerank_url, settings.rerank_model, key)
            yield await stack.enter_async_context(remote)
        elif settings.rerank == "onnx" and local:
            from retrieval.search.rerank.onnx import onnx_reranker

            yield await stack.enter_async_context(onnx_reranker(local))
        elif settings.rerank == "fastembed":
            from retrieval.search.rerank.fastembed import fastembed_reranker

            named = fastembed_reranker(settings.rerank_model, folder / "models", local)
            yield await stack.enter_async_context(named)
        else:
            yield None
