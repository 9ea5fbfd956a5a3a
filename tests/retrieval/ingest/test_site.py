"""What belongs to a site and not to one of its pages: learned in the crawl, taken out of each page, kept once."""

from __future__ import annotations

from retrieval.decision import Kind, State
from retrieval.index.index import Index
from retrieval.ingest.ingest import Crawl, Source
from retrieval.ingest.journal import Report
from tests.standins.site import Site

PROMISE = "Every boat goes out with a life jacket for each person."
FOOT = "<footer><p>Call +44 555 010 200</p><p>Monday to Friday 9:00 to 17:00</p><p>Made by hand</p></footer>"


def page(name: str, text: str, foot: str = FOOT) -> str:
    return f"<main><h1>{name}</h1><p>{text}</p><p>{PROMISE}</p></main>{foot}"


def site_of(count: int = 6) -> Site:
    links = "".join(f"<a href=/{number}>boat number {number}</a> " for number in range(count))
    start = f"<main><h1>Start</h1><p>{links}</p><p>{PROMISE}</p></main>{FOOT}"
    return Site({"/": start, **{f"/{n}": page(f"Boat {n}", f"It has {n + 2} oars.") for n in range(count)}})


async def crawl(index: Index, site: Site) -> Report:
    return await Crawl(index, Source(f"{site.url}/", allow_private=True)).run()


async def texts(index: Index, site: Site) -> dict[str, str]:
    rows = await index.db.read("SELECT url, markdown FROM documents WHERE tombstoned_at IS NULL")
    return {row["url"].removeprefix(site.url): row["markdown"] for row in rows}


async def test_what_every_page_says_is_kept_once_in_the_sites_own_document(index: Index) -> None:
    async with site_of() as site:
        await crawl(index, site)
        held = await texts(index, site)
        name = site.url.removeprefix("http://")
    assert held["/3"] == "# Boat 3\n\nIt has 5 oars.\n"
    contact = "## Phone, e-mail and opening hours\n\n- Call +44 555 010 200\n- Monday to Friday 9:00 to 17:00\n"
    assert held["/#site"] == f"# {name}\n\n{PROMISE}\n\n{contact}"
    assert sum(PROMISE in text for text in held.values()) == 1


async def test_a_page_that_comes_later_is_read_without_what_is_known_to_repeat(index: Index) -> None:
    async with site_of() as site:
        await crawl(index, site)
        site.pages["/0"] = page("Boat 0", "It has nine oars.")
        report = await crawl(index, site)
        held = await texts(index, site)
    assert held["/0"] == "# Boat 0\n\nIt has nine oars.\n"
    assert report.counts[State.CHANGED] == 1
    assert report.changes[f"{site.url}/0"].count("→") <= 1


async def test_nothing_is_written_again_when_nothing_changed(index: Index) -> None:
    async with site_of() as site:
        await crawl(index, site)
        before = await index.db.read("SELECT url, fetched_at FROM documents ORDER BY url")
        for _ in range(3):
            assert (await crawl(index, site)).counts == {State.UNCHANGED: 7}
        assert await index.db.read("SELECT url, fetched_at FROM documents ORDER BY url") == before
        assert "/#site" not in site.requests


async def test_the_report_still_says_what_was_decided_on_each_page(index: Index) -> None:
    async with site_of() as site:
        report = await crawl(index, site)
        decisions = {url.removeprefix(site.url): decision.kind for url, decision in report.decisions.items()}
    assert decisions == dict.fromkeys(("/", "/#site", *(f"/{n}" for n in range(6))), Kind.ADDED)


async def test_a_site_of_three_pages_keeps_all_that_they_say(index: Index) -> None:
    async with site_of(2) as site:
        await crawl(index, site)
        held = await texts(index, site)
    assert PROMISE in held["/1"]
    assert "/#site" not in held


async def test_facts_that_change_in_the_frame_change_in_the_sites_document(index: Index) -> None:
    async with site_of() as site:
        await crawl(index, site)
        for path, text in list(site.pages.items()):
            site.pages[path] = str(text).replace("9:00 to 17:00", "10:00 to 18:00").replace("oars", "long oars")
        await crawl(index, site)
        held = await texts(index, site)
    assert "Monday to Friday 10:00 to 18:00" in held["/#site"]
    assert "9:00" not in held["/#site"]


async def test_most_pages_of_a_large_site_are_split_once(index: Index) -> None:
    async with site_of(40) as site:
        await crawl(index, site)
        held = await texts(index, site)
        rows = await index.db.read("SELECT max(id) AS last, count(*) AS held FROM chunks")
    assert all(PROMISE not in text for path, text in held.items() if path != "/#site")
    assert len(held) == 42
    assert rows[0]["held"] <= rows[0]["last"] <= rows[0]["held"] + 20
