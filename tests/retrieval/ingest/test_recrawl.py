"""What comes back, moves or fails between two crawls, and writes that are broken off."""

from __future__ import annotations

import asyncio

import pytest

from retrieval.db import Database
from retrieval.document import Document
from retrieval.index.index import Entry, Index
from retrieval.ingest.ingest import Crawl, Source
from retrieval.search.floor import OffTopicLevels
from retrieval.search.search import Options, search
from retrieval.split.by_headings import split
from tests.retrieval.hashing import HashingEmbedder
from tests.standins.site import Answer, Site

TEXTS = {path: f"All that there is to say about {path[1:]}." for path in ("/boats", "/carts", "/tents", "/ropes")}


def page(text: str, *links: str) -> str:
    return f"<main><p>{text}</p>{''.join(f'<a href={link}>more</a>' for link in links)}</main>"


def site_of(*paths: str) -> Site:
    return Site({"/": page("Home", *TEXTS), **{path: page(TEXTS[path]) for path in paths}})


async def crawled(index: Index, site: Site) -> dict[str, str]:
    """Each path's state."""
    report = await Crawl(index, Source(f"{site.url}/", allow_private=True)).run()
    return {url.removeprefix(site.url): decision.state for url, decision in report.decisions.items()}


async def held(index: Index, site: Site) -> set[str]:
    rows = await index.db.read("SELECT DISTINCT url FROM documents d JOIN chunks c ON c.document_id = d.id")
    return {row["url"].removeprefix(site.url) for row in rows}


async def test_misses_count_in_a_row_only(index: Index) -> None:
    async with site_of(*TEXTS) as site:
        await crawled(index, site)
        for _ in range(3):
            gone = site.pages.pop("/ropes")
            assert (await crawled(index, site))["/ropes"] == "gone"
            site.pages["/ropes"] = gone
            assert (await crawled(index, site))["/ropes"] == "unchanged"
        assert "/ropes" in await held(index, site)


async def test_a_page_that_failed_is_tried_again_though_the_page_with_its_link_is_unchanged(index: Index) -> None:
    async with site_of(*TEXTS) as site:
        site.script("/boats", *[Answer(status=503, headers={"Retry-After": "0"})] * 3)
        assert (await crawled(index, site))["/boats"] == "failed"
        again = await crawled(index, site)
    assert (again["/"], again["/boats"]) == ("unchanged", "added")


async def test_a_page_that_left_and_comes_back_is_found_again(index: Index) -> None:
    async with site_of(*TEXTS) as site:
        await crawled(index, site)
        gone = site.pages.pop("/boats")
        for _ in range(3):
            await crawled(index, site)
        assert "/boats" not in await held(index, site)
        site.pages["/boats"] = gone
        await crawled(index, site)
        assert "/boats" in await held(index, site)


async def test_a_page_that_moves_is_never_missing_from_the_index(index: Index) -> None:
    async with site_of(*TEXTS) as site:
        await crawled(index, site)
        site.pages["/new"] = site.pages.pop("/boats")
        site.pages["/"] = page("Home", *TEXTS, "/new")
        for _ in range(3):
            await crawled(index, site)
            assert await held(index, site) & {"/boats", "/new"}
        assert "/boats" not in await held(index, site)


async def test_a_chunk_without_a_vector_is_still_found_by_its_words(db: Database, embedder: HashingEmbedder) -> None:
    for maker, name in ((None, "lantern"), (embedder, "anchor")):
        document = Document(f"https://x.example/{name}", name, f"The {name} hangs in the shed.", "en")
        await Index(db, maker).replace(Entry("test", document, name, split(document)))
    index = Index(db, embedder)
    await index.load()
    found = await search(index, "lantern", Options(floor=0.0), OffTopicLevels())
    assert "https://x.example/lantern" in [hit.url for hit in found.hits]


@pytest.mark.parametrize("steps", range(8))
async def test_a_write_that_is_cancelled_anywhere_leaves_the_database_writable(db: Database, steps: int) -> None:
    async def insert() -> None:
        async with db.write() as tx:
            await tx.run("INSERT INTO sources (id, kind, added_at) VALUES ('cut off', 'site', '')")

    task = asyncio.create_task(insert())
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    async with db.write() as tx:
        await tx.run("INSERT INTO sources (id, kind, added_at) VALUES ('next', 'site', '')")
    assert await db.one("SELECT 1 FROM sources WHERE id = 'next'")


async def test_a_page_that_asked_not_to_be_indexed_for_a_while_comes_back(index: Index) -> None:
    async with site_of(*TEXTS) as site:
        await crawled(index, site)
        page_itself = site.pages["/boats"]
        site.pages["/boats"] = Answer(str(page_itself), headers={"X-Robots-Tag": "noindex"})
        assert (await crawled(index, site))["/boats"] == "skipped"
        assert "/boats" not in await held(index, site)
        site.pages["/boats"] = page_itself
        await crawled(index, site)
        assert "/boats" in await held(index, site)
