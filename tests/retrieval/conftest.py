"""A knowledge database in a folder of its own, an index with a tiny embedder, and the real local embedder once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from retrieval.crawl.fetch import Fetcher
from retrieval.db import Database
from retrieval.embed.bundled import BUNDLED_MODEL
from retrieval.embed.embedder import LocalEmbedder
from retrieval.index.index import Index
from retrieval.knowledge import MIGRATIONS
from tests.retrieval.hashing import HashingEmbedder

EXAMPLE = Path(__file__).parents[2] / "examples" / "tern-and-tide" / "site"


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database.opened(tmp_path / "knowledge.db", MIGRATIONS, "retrieval") as opened:
        await _add_source(opened)
        yield opened


async def _add_source(db: Database) -> None:
    async with db.write() as tx:
        await tx.run("INSERT INTO sources (id, kind, added_at) VALUES ('test', 'upload', '')")


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


@pytest.fixture
async def index(db: Database, embedder: HashingEmbedder) -> Index:
    made = Index(db, embedder)
    await made.load()
    return made


@pytest.fixture
async def fetcher() -> AsyncIterator[Fetcher]:
    """A fetcher that may reach the stand-ins on loopback."""
    async with Fetcher.opened(allow_private=True) as opened:
        yield opened


@pytest.fixture(scope="session")
def local_embedder() -> Iterator[LocalEmbedder]:
    """The bundled model, loaded once."""
    with ThreadPoolExecutor(1) as thread:
        yield LocalEmbedder(BUNDLED_MODEL, thread, thread)


@pytest.fixture(scope="session")
def example() -> Path:
    """The folder of the example business' website."""
    return EXAMPLE
