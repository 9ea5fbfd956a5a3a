"""A crawl that is broken off goes on; a second crawl of the same pages costs one conditional request each."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from retrieval.db import Database
from retrieval.decision import Decision, Kind, State
from retrieval.index.index import Index
from retrieval.ingest.ingest import Crawl
from retrieval.knowledge import MIGRATIONS
from retrieval.split.splitting import Splitting
from tests.retrieval.hashing import HashingEmbedder
from tests.retrieval.ingest.crawling import WORDS, crawled, held, page, report_of, shop, source_of
from tests.standins.site import Answer, Site

CRAWL = """
import asyncio, sys
from pathlib import Path
from retrieval.crawl.walk import Limits
from retrieval.ingest.ingest import Crawl, Source
from retrieval.index.index import Index
from retrieval.db import Database
from retrieval.knowledge import MIGRATIONS
async def main():
    async with Database.opened(Path(sys.argv[1]), MIGRATIONS, "retrieval") as db:
        index = Index(db, None)
        await index.load()
        limits = Limits(concurrency=1)
        await Crawl(index, Source(sys.argv[2], allow_private=True, limits=limits)).run()
asyncio.run(main())
"""


def chain(count: int) -> dict[str, str | Answer]:
    """Pages of which each is known only by the one before it."""
    return {f"/{at or ''}": page(f"{' '.join(WORDS.values())} Page {at}.", f"/{at + 1}") for at in range(count)}


async def stored_in(db: Database, pages: int) -> None:
    """Wait until so many pages are stored."""
    while True:
        if len(await db.read("SELECT 1 FROM documents")) >= pages:
            return
        await asyncio.sleep(0.005)


async def started(index: Index, site: Site, pages: int) -> asyncio.Task[object]:
    """A crawl that has stored so many pages."""
    task: asyncio.Task[object] = asyncio.create_task(Crawl(index, source_of(site, concurrency=1)).run())
    await stored_in(index.db, pages)
    return task


async def test_a_cancelled_crawl_goes_on_where_it_stopped(index: Index) -> None:
    async with Site(chain(12)) as site:
        task = await started(index, site, 4)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        stored = len(await held(index, site))
        assert 4 <= stored < 12
        site.forget()
        report = await report_of(index, site)
        assert report.outcome == "complete"
        assert len(await held(index, site)) == 12
        assert sum(path[1:].isdigit() or path == "/" for path in site.requests) <= 13 - stored + 2
    assert report.counts == {State.ADDED: 12, State.GONE: 1}, "the report is of the whole crawl"
    rows = await index.db.read("SELECT outcome FROM crawls")
    assert [row["outcome"] for row in rows] == ["complete"], "both halves are one crawl"


async def test_a_killed_crawl_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.db"
    async with Site(chain(30)) as site, Database.opened(path, MIGRATIONS, "retrieval") as db:
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", CRAWL, str(path), f"{site.url}/")
        await stored_in(db, 5)
        process.kill()
        await process.wait()
        index = Index(db, None)
        await index.load()
        stored = len(await held(index, site))
        assert stored < 30
        site.forget()
        report = await report_of(index, site)
        assert len(await held(index, site)) == 30
        asked_again = sum(path[1:].isdigit() or path == "/" for path in site.requests) - (31 - stored)
    assert report.outcome == "complete"
    assert asked_again <= 2, "only what was under way is asked again"


async def test_links_of_a_page_that_was_stored_when_the_crawl_died_are_not_lost(index: Index) -> None:
    """The page is in the index and unchanged, but nobody had followed its links yet."""
    async with Site(chain(6)) as site:
        await crawled(index, site)
        for row in await index.db.read("SELECT id FROM documents WHERE substr(url, -1) IN ('3', '4', '5')"):
            await index.remove(row["id"])
        async with index.db.write() as tx:
            await tx.run("UPDATE crawls SET outcome = 'running', ended_at = NULL")
            await tx.run("DELETE FROM addresses WHERE url LIKE '%/3' OR url LIKE '%/4' OR url LIKE '%/5'")
            await tx.run("UPDATE addresses SET crawl_id = '' WHERE url LIKE '%/2'")
        await crawled(index, site)
        assert len(await held(index, site)) == 6


async def test_settings_that_changed_start_a_new_crawl(index: Index) -> None:
    async with Site(chain(12)) as site:
        task = await started(index, site, 3)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await report_of(index, site, splitting=Splitting(chunk_tokens=100))
    rows = await index.db.read("SELECT outcome FROM crawls ORDER BY started_at")
    assert [row["outcome"] for row in rows] == ["failed", "complete"]


async def test_an_unchanged_site_costs_one_conditional_request_a_page(index: Index, embedder: HashingEmbedder) -> None:
    pages = shop() | {
        "/a/": page(WORDS["boats"]),
        "/hidden": page(WORDS["lamps"], head="<meta name=robots content=noindex>"),
    }
    pages["/"] = page("Home", *pages)
    async with Site(pages) as site:
        first = await crawled(index, site)
        embedder.asked.clear()
        site.forget()
        second = await crawled(index, site)
        asked = [path for path in site.requests if path in pages]
        assert sorted(asked) == sorted(pages)
        assert {status for path, status in zip(site.requests, site.statuses, strict=True) if path in pages} == {304}
    assert embedder.asked == []
    assert {path for path, decision in first.items() if decision.state is State.ADDED} == {
        path for path, decision in second.items() if decision.state is State.UNCHANGED
    }
    assert {path: decision for path, decision in first.items() if decision.state is State.SKIPPED} == {
        path: decision for path, decision in second.items() if decision.state is State.SKIPPED
    }  # fmt: skip


async def test_without_etags_the_content_decides_and_without_change_of_text_too(
    index: Index, embedder: HashingEmbedder
) -> None:
    async with Site(shop(), etags=False) as site:
        await crawled(index, site)
        embedder.asked.clear()
        site.pages["/boats"] = page(WORDS["boats"]) + "<!-- served at noon -->"
        decisions = await crawled(index, site)
    assert decisions["/boats"] == Decision(Kind.SAME_TEXT)
    assert decisions["/carts"] == Decision(Kind.SAME_CONTENT)
    assert embedder.asked == []


async def test_a_last_modified_date_is_enough_to_ask_conditionally(index: Index) -> None:
    seen: list[str] = []

    class Dated(Site):
        def _content(self, request, answer):  # type: ignore[no-untyped-def]
            seen.append(request.headers.get("If-Modified-Since", ""))
            return super()._content(request, answer)

    dated = Answer(page(WORDS["boats"]), headers={"Last-Modified": "Mon, 02 Mar 2026 10:00:00 GMT"})
    async with Dated({"/": dated}, etags=False) as site:
        await crawled(index, site)
        seen.clear()
        await crawled(index, site)
    assert "Mon, 02 Mar 2026 10:00:00 GMT" in seen


async def test_another_embedding_model_embeds_unchanged_pages_without_asking_for_them(db: Database) -> None:
    async with Site(shop()) as site:
        first = Index(db, HashingEmbedder())
        await first.load()
        await crawled(first, site)
        other = HashingEmbedder("other-16")
        second = Index(db, other)
        await second.load()
        site.forget()
        decisions = await crawled(second, site)
    assert {decision.state for decision in decisions.values()} == {State.UNCHANGED}
    assert len(other.asked) == 7
    assert set(site.statuses) == {304, 404}
    assert len(second.semantic_leg) == 7
    again = Index(db, other)
    await again.load()
    assert len(again.semantic_leg) == 7, "the vectors are in the database"


async def test_an_excluded_page_comes_back_when_the_pattern_goes(index: Index) -> None:
    async with Site(shop()) as site:
        decisions = await crawled(index, site, exclude=["/boats"])
        assert decisions["/boats"] == Decision(Kind.EXCLUDED)
        assert (await crawled(index, site))["/boats"].state is State.ADDED, (
            "though the page that links to it is unchanged"
        )
        assert (await crawled(index, site, exclude=["/boats"]))["/boats"].state is State.SKIPPED


@pytest.mark.parametrize("crawls", [35])
async def test_old_reports_are_dropped(index: Index, crawls: int) -> None:
    async with Site({"/": page("Home")}) as site:
        for _ in range(crawls):
            await crawled(index, site)
    rows = await index.db.read("SELECT DISTINCT crawl_id FROM crawl_pages")
    assert len(rows) == 30
