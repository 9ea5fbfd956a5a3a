"""Endless spaces are cut and named; what only has numbers in its address is not."""

from __future__ import annotations

import pytest

from retrieval.crawl.fetch import Fetcher
from retrieval.crawl.trap import MOST_OF_PATTERN, Traps, notice, pattern_of
from retrieval.crawl.walk import Limits
from retrieval.decision import Decision, Kind
from retrieval.index.index import Index
from retrieval.text.likeness import bag
from tests.retrieval.crawl.walking import linking, walk
from tests.retrieval.ingest.crawling import report_of
from tests.standins.site import Answer, Site

BASE = "https://x.example"
FIRST = "red blue green grey dark pale tall long wide deep cold warm".split()
SECOND = "boat rope sail tent cart lamp mast hook buoy oar net dock pier".split()


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("/calendar/2027/03", "/calendar/#/#"),
        ("/p-17-blue", "/p-#-blue"),
        ("/s/8f3a9c01d2e4b5a6/cart", "/s/#/cart"),
        ("/shop?color=red", "/shop?color"),
        ("/shop?color=red&size=m", "/shop?*"),
        ("/shop?page=2&color=red", "/shop?color&page"),
        ("/about", "/about"),
    ],
)
def test_numbers_dates_and_tokens_are_one_pattern(url: str, pattern: str) -> None:
    assert pattern_of(BASE + url) == pattern


def met(traps: Traps, count: int, address: str, text: str = "") -> list[Decision]:
    """Decisions on addresses that each come from a page of their kind, the pages telling `text` with the number in it."""
    decisions: list[Decision | None] = []
    for at in range(count):
        decisions.append(traps.why(BASE + address.format(at + 1), BASE + address.format(at)))
        if decisions[-1] is None:
            traps.judged(
                BASE + address.format(at + 1),
                bag(text.format(at) + " and much else that stays the same") if text else None,
            )
    return [decision for decision in decisions if decision]


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("/calendar/2027-03/{}", "Nothing happens on March {} 2027"),
        ("/cal?date={}", "No events on {}"),
        ("/shop?color={}&size=m", "Wool hats of colour {}"),
        ("/item/{}", ""),
        ("/s/8f3a9c01d2e4b5a6{}/cart", ""),
    ],
    ids=["calendar", "date parameter", "facets", "pages that are left out", "session in the path"],
)
def test_pages_that_bring_only_more_of_their_kind_are_cut(address: str, text: str) -> None:
    traps = Traps()
    decisions = met(traps, 3 * MOST_OF_PATTERN, address, text)
    assert len(decisions) == 2 * MOST_OF_PATTERN
    assert decisions[0].kind is Kind.ENDLESS
    assert decisions[0].target.startswith("/")


@pytest.mark.parametrize(
    "address", ["/news?page={}", "/index.php?option=content&view=article&nr={}", "/item/{}", "/2027/03/{}"]
)
def test_pages_that_go_on_telling_something_new_are_not_cut(address: str) -> None:
    traps = Traps()
    for at in range(3 * MOST_OF_PATTERN):
        assert traps.why(BASE + address.format(at + 1), BASE + address.format(at)) is None
        traps.judged(
            BASE + address.format(at + 1), bag(f"The {FIRST[at % 12]}{SECOND[at // 12 % 13]} is kept in the shed")
        )


def test_pages_that_a_list_links_to_are_never_endless() -> None:
    traps = Traps()
    for at in range(5 * MOST_OF_PATTERN):
        assert traps.why(f"{BASE}/product/{at}", f"{BASE}/products") is None


@pytest.mark.parametrize("path", ["/a/b/a/b/a/b", "/de/de/de/", "/x" * 1100])
def test_paths_that_repeat_themselves_or_have_no_end_are_left_out(path: str) -> None:
    assert Traps().why(BASE + path, BASE)


@pytest.mark.parametrize("path", ["/2027/03/03/the-day", "/a/b/a/c", "/shop/shop/"])
def test_ordinary_paths_are_not(path: str) -> None:
    assert Traps().why(BASE + path, BASE) is None


async def test_a_calendar_does_not_eat_the_crawl(fetcher: Fetcher) -> None:
    async with Site({"/": linking("/cal/2027/1", "/prices"), "/prices": "P"}) as site:
        for at in range(1, 200):
            site.pages[f"/cal/2027/{at}"] = f"<main>Nothing happens here. <a href='/cal/2027/{at + 1}'>next</a></main>"
        walked = await walk(fetcher, site, Limits(max_pages=500))
    assert walked.complete
    assert "/prices" in walked.taken
    assert len(walked.taken) <= MOST_OF_PATTERN + 3
    assert walked.decisions[f"/cal/2027/{len(walked.taken) - 1}"].kind is Kind.ENDLESS


async def test_what_the_sitemap_lists_is_never_a_trap(fetcher: Fetcher) -> None:
    paths = [f"/cal/2027/{at}" for at in range(2 * MOST_OF_PATTERN)]
    listed = "".join(f"<url><loc>{{base}}{path}</loc></url>" for path in paths)
    pages: dict[str, str | Answer] = {path: linking(*paths[:3]) for path in paths}
    async with Site({"/": "Home", "/sitemap.xml": f"<urlset>{listed}</urlset>", **pages}) as site:
        walked = await walk(fetcher, site)
    assert len(walked.taken) == 2 * MOST_OF_PATTERN + 1


async def test_the_report_names_what_was_cut(index: Index) -> None:
    async with Site({"/": linking("/cal/2027/1")}) as site:
        for at in range(1, 200):
            site.pages[f"/cal/2027/{at}"] = f"<main><p>Events {at}</p> <a href='/cal/2027/{at + 1}'>next</a></main>"
        report = await report_of(index, site)
    assert report.note == "looks endless and was cut: /cal/#/# (1 left out)"
    assert notice([]) == ""
