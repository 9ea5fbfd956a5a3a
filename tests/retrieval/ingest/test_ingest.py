"""From a site to the index and again: what changed, what is gone, and when a crawl isn't believed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from retrieval.crawl.walk import Limits
from retrieval.decision import Kind, State
from retrieval.index.index import Index
from retrieval.ingest.ingest import Crawl, Source
from retrieval.ingest.journal import Report
from retrieval.split.splitting import Splitting
from tests.retrieval.hashing import HashingEmbedder
from tests.standins.site import Answer, Site


def page(title: str, text: str, links: str = "") -> str:
    head = f"<html lang='en'><head><title>{title} | Site</title>{links}</head>"
    return f"{head}<body><main><h1>{title}</h1><p>{text}</p></main></body></html>"


PAGES = {
    "/": page("Home", "Welcome to the harbour, where the kayaks are.")
    + "".join(f"<a href='/p{n}.html'>{n}</a>" for n in range(1, 6)),
    **{f"/p{n}.html": page(f"Page {n}", f"The number {n} boat costs £{n}0 for the whole day.") for n in range(1, 6)},
}


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with Site(dict(PAGES)) as running:
        yield running


async def crawled(index: Index, site: Site) -> Report:
    return await Crawl(index, Source(f"{site.url}/", allow_private=True)).run()


async def test_the_second_crawl_converts_and_embeds_nothing(
    index: Index, site: Site, embedder: HashingEmbedder
) -> None:
    assert (await crawled(index, site)).counts[State.ADDED] == 6
    embedder.asked.clear()
    report = await crawled(index, site)
    assert report.counts[State.UNCHANGED] == 6
    assert set(report.counts) == {"unchanged"}
    assert embedder.asked == []
    assert (await index.db.read("SELECT outcome FROM crawls"))[-1]["outcome"] == "complete"


async def test_a_changed_page_says_which_figures_changed(index: Index, site: Site, embedder: HashingEmbedder) -> None:
    await crawled(index, site)
    embedder.asked.clear()
    site.pages["/p2.html"] = page("Page 2", "The number 2 boat costs £25 for the whole day.")
    assert (await crawled(index, site)).counts == {State.CHANGED: 1, State.UNCHANGED: 5}
    row = await index.db.one("SELECT change FROM crawl_pages WHERE kind = 'changed'")
    assert row
    assert "£20" in row["change"].split(" → ")[0]
    assert "£25" in row["change"].split(" → ")[1]
    assert len(embedder.asked) == 1


async def test_a_page_that_is_gone_once_stays_and_gone_twice_leaves(index: Index, site: Site) -> None:
    await crawled(index, site)
    site.pages["/"] = PAGES["/"].replace("<a href='/p5.html'>5</a>", "")
    del site.pages["/p5.html"]
    assert (await crawled(index, site)).counts[State.GONE] == 1
    assert await alive(index) == 6
    await crawled(index, site)
    assert await alive(index) == 5


async def alive(index: Index) -> int:
    return len(await index.db.read("SELECT 1 FROM documents WHERE tombstoned_at IS NULL"))


async def test_a_site_in_trouble_loses_nothing(index: Index, site: Site) -> None:
    await crawled(index, site)
    for path in list(site.pages):
        site.pages[path] = Answer(status=500)
    for _ in range(2):
        await Crawl(index, Source(f"{site.url}/", allow_private=True)).run()
    assert await alive(index) == 6


async def test_too_much_gone_at_once_is_not_believed(index: Index, site: Site) -> None:
    await crawled(index, site)
    for number in range(2, 6):
        del site.pages[f"/p{number}.html"]
    for _ in range(3):
        report = await crawled(index, site)
        assert report.outcome == "braked"
        assert "would vanish" in report.note
    assert await alive(index) == 6


async def test_pages_that_ask_to_stay_out_and_twins_stay_out(index: Index, site: Site) -> None:
    site.pages["/p1.html"] = page("Page 1", "Hidden.", "<meta name='robots' content='noindex'>")
    site.pages["/p2.html"] = site.pages["/p3.html"]
    site.pages["/p4.html"] = "<html><body><main><div id=root></div></main></body></html>"
    report = await crawled(index, site)
    kinds = {url.rsplit("/", 1)[-1]: decision.kind for url, decision in report.decisions.items()}
    assert kinds["p1.html"] is Kind.NOINDEX
    assert Kind.TWIN in kinds.values()
    assert kinds["p4.html"] is Kind.NEEDS_SCRIPT


async def test_a_budget_of_pages_is_said(index: Index, site: Site) -> None:
    report = await Crawl(index, Source(f"{site.url}/", allow_private=True, limits=Limits(max_pages=3))).run()
    assert report.counts[State.ADDED] == 3
    assert report.note == "3 of at least 6 pages: raise max_pages for the rest"
    row = await index.db.one("SELECT crawled_at FROM sources WHERE kind = 'site'")
    assert row
    assert row["crawled_at"], "a budget that is spent is an end, or every start would crawl again"


async def test_files_of_a_folder_are_read_and_removed_files_leave(index: Index, tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nAlpha text.", encoding="utf-8")
    (folder / "b.txt").write_text("Beta text.", encoding="cp1252")
    (folder / "c.bin").write_bytes(b"\x00\x01")
    source = Source(str(folder), kind="file")
    assert (await Crawl(index, source).run()).counts == {State.ADDED: 2}
    (folder / "b.txt").unlink()
    assert (await Crawl(index, source).run()).counts == {State.UNCHANGED: 1, State.GONE: 1}
    assert await alive(index) == 1


async def test_another_way_of_splitting_makes_every_page_anew(index: Index, site: Site) -> None:
    await crawled(index, site)
    report = await Crawl(index, Source(f"{site.url}/", allow_private=True, splitting=Splitting(chunk_tokens=100))).run()
    assert report.counts == {State.CHANGED: 6}


@pytest.mark.parametrize(
    "broken",
    [
        "<base href='http://[bad'><main><a href='http://[x'>one</a><img src='//[y' alt='z'> text</main>",
        "<div>" * 30_000 + "deep",
    ],
    ids=["addresses", "depth"],
)
async def test_a_broken_page_never_ends_the_crawl(index: Index, site: Site, broken: str) -> None:
    site.pages["/p1.html"] = broken
    site.pages["/p2.html"] = Answer(location=f"http://{'x' * 70}.example/")
    report = await crawled(index, site)
    assert report.outcome == "complete"
    assert report.counts[State.ADDED] >= 4
    assert report.counts.get(State.FAILED, 0) + report.counts.get(State.SKIPPED, 0) >= 1


async def test_a_site_that_cannot_be_reached_is_a_failed_crawl_that_says_why(index: Index) -> None:
    report = await Crawl(index, Source("http://127.0.0.1:9/")).run()
    assert report.outcome == "failed"
    assert "private address" in report.note
    row = await index.db.one("SELECT crawled_at FROM sources WHERE id = 'http://127.0.0.1:9/'")
    assert row
    assert row["crawled_at"] is None


async def test_a_password_in_the_address_belongs_into_the_headers(index: Index) -> None:
    report = await Crawl(index, Source("http://me:secret@x.example/")).run()
    assert report.outcome == "failed"
    assert "put it into the source's headers" in report.note
    assert "secret" not in report.note
