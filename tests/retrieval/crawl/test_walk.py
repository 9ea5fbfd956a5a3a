"""Walking a site."""

from __future__ import annotations

import gzip
import time

import pytest

from retrieval.crawl.fetch import Fetcher
from retrieval.crawl.robots import Robots
from retrieval.crawl.sitemap import read_sitemaps
from retrieval.crawl.walk import Limits
from retrieval.decision import Decision, Kind, State
from tests.retrieval.crawl.walking import linking, walk
from tests.standins.site import Answer, Site

INDEX = "<sitemapindex><sitemap><loc>{{base}}/{}</loc></sitemap></sitemapindex>"
URLS = "<?xml version='1.0'?><urlset><url><loc>{{base}}{}</loc></url></urlset>"


def urls(*paths: str) -> str:
    return "<urlset>" + "".join(f"<url><loc>{{base}}{path}</loc></url>" for path in paths) + "</urlset>"


async def test_every_page_is_fetched_once_however_it_is_linked(fetcher: Fetcher) -> None:
    pages: dict[str, str | Answer] = {
        "/": linking("/a#x", "/a", "b/../a?utm_source=y", "//"),
        "/a": linking("/", "/b"),
        "/b": "B",
    }
    async with Site(pages) as site:
        walked = await walk(fetcher, site)
    assert walked.complete
    assert walked.taken == ["/", "/a", "/b"]
    assert max(site.count(path) for path in pages) == 1


async def test_a_crawl_stays_in_its_folder_and_on_its_site(fetcher: Fetcher) -> None:
    async with Site() as other, Site() as site:
        site.pages |= {
            "/docs/": linking("/docs/a", "/blog", "/docs/logo.png", f"{other.url}/"),
            "/docs/a": "A",
            "/blog": "B",
        }
        walked = await walk(fetcher, site, start="/docs/")
    assert walked.taken == ["/docs/", "/docs/a"]
    assert other.requests == []


async def test_robots_txt_is_obeyed_and_said_to_be(fetcher: Fetcher) -> None:
    robots = Answer("User-agent: *\nDisallow: /staff\nAllow: /staff/jobs\n", kind="text/plain")
    pages: dict[str, str | Answer] = {
        "/robots.txt": robots,
        "/": linking("/staff/x", "/staff/jobs"),
        "/staff/x": "X",
        "/staff/jobs": "J",
    }
    async with Site(pages) as site:
        walked = await walk(fetcher, site)
        ignoring = await walk(fetcher, site, Limits(respect_robots=False))
    assert walked.taken == ["/", "/staff/jobs"]
    assert walked.decisions == {"/staff/x": Decision(Kind.ROBOTS)}
    assert ignoring.taken == ["/", "/staff/jobs", "/staff/x"]


async def test_a_redirect_into_what_robots_txt_disallows_is_not_taken(fetcher: Fetcher) -> None:
    robots = Answer("User-agent: FrontdeskBot\nDisallow: /staff\n", kind="text/plain")
    async with Site(
        {"/robots.txt": robots, "/": linking("/go"), "/go": Answer(location="/staff"), "/staff": "S"}
    ) as site:
        walked = await walk(fetcher, site)
    assert walked.taken == ["/"]
    assert walked.decisions["/go"] == Decision(Kind.MOVED, "/staff", "robots.txt disallows it")


@pytest.mark.parametrize(("status", "taken"), [(404, ["/"]), (403, ["/"]), (500, []), (503, [])])
async def test_a_missing_robots_txt_allows_all_and_a_failing_one_nothing(
    fetcher: Fetcher, status: int, taken: list[str]
) -> None:
    async with Site({"/robots.txt": Answer(status=status), "/": "Hello"}) as site:
        walked = await walk(fetcher, site)
    assert walked.taken == taken
    assert taken or walked.decisions["/"] == Decision(Kind.ROBOTS_UNREADABLE, detail=f"the server answered {status}")


def test_a_crawl_delay_is_honoured_up_to_half_a_minute() -> None:
    assert Robots("User-agent: *\nCrawl-delay: 2").delay == 2.0
    assert Robots("User-agent: *\nCrawl-delay: 3600").delay == 30.0
    assert Robots("").delay == 0.0


async def test_requests_keep_their_distance(fetcher: Fetcher) -> None:
    async with Site({"/": linking("/a", "/b"), "/a": "A", "/b": "B"}) as site:
        began = time.monotonic()
        await walk(fetcher, site, Limits(delay=0.1))
    assert time.monotonic() - began >= 0.3


async def test_sitemaps_are_read_from_robots_txt_the_usual_place_and_each_other(fetcher: Fetcher) -> None:
    robots = Answer("Sitemap: {base}/index.xml\n", kind="text/plain")
    async with Site({"/robots.txt": robots, "/": "Home"}) as site:
        packed = gzip.compress(urls("/packed").replace("{base}", site.url).encode())
        site.pages |= {
            "/index.xml": INDEX.replace("{{base}}/{}", "{base}/one.xml.gz"),
            "/one.xml.gz": Answer(packed, kind="application/gzip"),
            "/sitemap.xml": urls("/usual", "/usual?a=1&amp;b=2"),
            **dict.fromkeys(("/packed", "/usual", "/usual?a=1&b=2"), "P"),
        }
        walked = await walk(fetcher, site)
    assert walked.taken == ["/", "/packed", "/usual", "/usual?a=1&b=2"]


@pytest.mark.parametrize(
    "broken",
    [
        gzip.compress(b"<urlset>" * 200)[:30],
        b"\x1f\x8b nonsense",
        b"<urlset><url><loc>http://[bad</loc></url></urlset>",
        b"\xff\xfe",
    ],
    ids=["cut short", "no gzip", "bad address", "no text"],
)
async def test_a_broken_sitemap_stops_nothing(fetcher: Fetcher, broken: bytes) -> None:
    async with Site({"/": linking("/a"), "/a": "A", "/sitemap.xml": Answer(broken)}) as site:
        assert (await walk(fetcher, site)).taken == ["/", "/a"]


async def test_a_sitemap_that_names_itself_is_read_once(fetcher: Fetcher) -> None:
    async with Site({"/sitemap.xml": INDEX.replace("{{base}}/{}", "{base}/sitemap.xml")}) as site:
        assert (await read_sitemaps(fetcher.get, [], f"{site.url}/")).listed == {}
        assert site.count("/sitemap.xml") == 1


async def test_a_limit_of_one_is_one_page_and_nothing_else_is_asked(fetcher: Fetcher) -> None:
    async with Site({"/": "Home", "/a": linking("/b"), "/b": "B"}) as site:
        walked = await walk(fetcher, site, Limits(max_pages=1), start="/a")
        assert sorted(site.requests) == ["/a", "/robots.txt"]
    assert (walked.complete, walked.taken, walked.decisions) == (True, ["/a"], {})


async def test_what_is_beyond_the_limit_is_noted(fetcher: Fetcher) -> None:
    pages: dict[str, str | Answer] = {f"/{at}": "P" for at in range(6)}
    async with Site({"/": linking(*pages), **pages}) as site:
        walked = await walk(fetcher, site, Limits(max_pages=3))
    assert not walked.complete
    assert len(walked.taken) == 3
    assert set(walked.decisions.values()) == {Decision(Kind.BEYOND_LIMIT, detail="3")}
    assert len(walked.decisions) == 4


@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_server_is_asked_again_after_the_time_it_names(fetcher: Fetcher, status: int) -> None:
    async with Site({"/": "Hello"}) as site:
        site.script("/", Answer(status=status, headers={"Retry-After": "1"}))
        began = time.monotonic()
        walked = await walk(fetcher, site)
    assert walked.taken == ["/"]
    assert 1.0 <= time.monotonic() - began < 1.45


async def test_a_page_that_keeps_failing_is_given_up_after_three_tries(fetcher: Fetcher) -> None:
    failing = Answer(status=503, headers={"Retry-After": "0"})
    async with Site({"/": linking("/a", "/b"), "/a": failing, "/b": "B"}) as site:
        walked = await walk(fetcher, site)
    assert walked.taken == ["/", "/b"]
    assert walked.decisions["/a"] == Decision(Kind.HTTP_ERROR, detail="the server answered 503")
    assert site.count("/a") == 3


async def test_missing_pages_unchanged_pages_and_redirects_are_told_apart(fetcher: Fetcher) -> None:
    pages: dict[str, str | Answer] = {
        "/": linking("/gone", "/404", "/same", "/old", "/away"),
        "/gone": Answer(status=410),
        "/same": "Same",
        "/new": "New",
        "/old": Answer(location="/new"),
        "/away": Answer(location="file:///etc/passwd"),
    }
    async with Site(pages) as site:
        etag = (await fetcher.get(f"{site.url}/same") or pytest.fail("no page")).etag
        walked = await walk(fetcher, site, known={"/same": etag, "/new": ""})
    assert walked.taken == ["/", "/new"]
    assert {path: decision.kind for path, decision in walked.decisions.items()} == {
        "/gone": Kind.NOT_FOUND,
        "/404": Kind.NOT_FOUND,
        "/same": Kind.NOT_MODIFIED,
        "/old": Kind.MOVED,
        "/away": Kind.BAD_ADDRESS,
    }


async def test_a_redirect_to_a_private_address_reaches_nobody() -> None:
    async with Site({"/": "Secret"}) as canary, Fetcher.opened() as guarded:
        walked = await walk(guarded, canary)
    assert canary.requests == []
    assert walked.taken == []
    assert walked.decisions["/"].state is State.FAILED


async def test_patterns_that_leave_a_page_out_are_named(fetcher: Fetcher) -> None:
    async with Site({"/": linking("/blog/a", "/b"), "/b": "B"}) as site:
        walked = await walk(fetcher, site, Limits(exclude=["/blog/*"]))
    assert walked.taken == ["/", "/b"]
    assert walked.decisions["/blog/a"] == Decision(Kind.EXCLUDED)
