"""The order of a crawl, and what it remembers."""

from __future__ import annotations

from retrieval.crawl.fetch import Fetcher
from retrieval.crawl.frontier import Frontier, KnownAddress
from retrieval.crawl.walk import Limits
from retrieval.decision import Decision, Kind
from tests.retrieval.crawl.walking import linking, walk
from tests.standins.site import Answer, Site


def order(frontier: Frontier) -> list[str]:
    found = []
    while spot := frontier.next():
        found.append(spot.url)
    return found


def test_the_start_page_is_first_then_what_is_near_and_linked_to_often() -> None:
    frontier = Frontier()
    frontier.offer("/deep", 4)
    frontier.offer("/near", 1)
    for _ in range(9):
        frontier.offer("/popular", 1)
    frontier.offer("/", 0)
    assert order(frontier) == ["/", "/popular", "/near", "/deep"]


def test_a_sitemaps_priority_outweighs_depth() -> None:
    frontier = Frontier()
    frontier.offer("/terms", 1, priority=0.1)
    frontier.offer("/prices", 1, priority=1.0)
    frontier.offer("/linked", 1)
    assert order(frontier) == ["/prices", "/linked", "/terms"]


def test_an_address_that_was_ranked_again_comes_once() -> None:
    frontier = Frontier()
    for depth in (3, 2, 1):
        frontier.offer("/a", depth)
        frontier.offer("/a", depth, priority=0.9)
    assert order(frontier) == ["/a"]
    assert len(frontier) == 0
    assert not frontier.offer("/a", 1)


def test_a_page_that_the_sitemap_calls_changed_is_asked_before_others() -> None:
    old = [
        KnownAddress("/a", 1, 0.5, "2026-01-01", has_document=True),
        KnownAddress("/b", 1, 0.5, "2026-01-01", has_document=True),
    ]
    frontier = Frontier(old)
    frontier.offer("/a", 1, priority=0.5, lastmod="2026-01-01")
    frontier.offer("/b", 1, priority=0.5, lastmod="2026-02-02")
    assert order(frontier) == ["/b", "/a"]


def test_what_is_new_is_handed_out_once_to_be_stored() -> None:
    frontier = Frontier([KnownAddress("/old")], "crawl 1")
    frontier.offer("/new", 1)
    assert [spot.url for spot in frontier.changed()] == ["/new"]
    assert frontier.changed() == []
    spot = frontier.next()
    assert spot
    frontier.finished(spot)
    assert [(one.url, one.asked_in) for one in frontier.changed()] == [(spot.url, "crawl 1")]


async def test_the_budget_is_spent_on_the_best_pages(fetcher: Fetcher) -> None:
    listed = "".join(
        f"<url><loc>{{base}}/p{at}</loc><priority>{0.9 if at < 3 else 0.2}</priority></url>" for at in range(9)
    )
    pages: dict[str, str | Answer] = {f"/p{at}": "P" for at in range(9)}
    async with Site({"/": linking("/x?a=1"), "/sitemap.xml": f"<urlset>{listed}</urlset>", **pages}) as site:
        walked = await walk(fetcher, site, Limits(max_pages=4, concurrency=1))
    assert walked.taken == ["/", "/p0", "/p1", "/p2"]
    assert not walked.complete


async def test_a_depth_may_be_set(fetcher: Fetcher) -> None:
    async with Site({"/": linking("/1"), "/1": linking("/2"), "/2": linking("/3"), "/3": "3"}) as site:
        walked = await walk(fetcher, site, Limits(max_depth=2))
    assert walked.taken == ["/", "/1", "/2"]
    assert walked.decisions["/3"] == Decision(Kind.TOO_DEEP, detail="2")
