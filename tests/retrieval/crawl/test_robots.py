"""robots.txt by RFC 9309."""

from __future__ import annotations

import itertools

import pytest

from retrieval.crawl.fetch import Fetcher
from retrieval.crawl.robots import MOST_ROBOTS_BYTES, Robots, read_robots
from retrieval.crawl.walk import Limits
from retrieval.decision import Decision, Kind
from tests.retrieval.crawl.walking import linking, walk
from tests.standins.site import Answer, Site

BASE = "https://x.example"


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nAllow: /a/b\nDisallow: /a/b", "/a/b", True),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf?z", True),
        ("User-agent: *\nDisallow: /\nUser-agent: frontdeskbot\nDisallow: /a", "/b", True),
        ("User-agent: FrontdeskBot\nDisallow: /a\nUser-agent: x\nDisallow: /\nUser-agent: FrontdeskBot\nDisallow: /b", "/b", False),
        ("User-agent: other\nUser-agent: FrontdeskBot\nDisallow: /a", "/a", False),
        ("\ufeffUser-agent: *\nDisallow: /a", "/a", False),
        ("USER-AGENT: *\ndisallow: /a # no\n", "/a", False),
        ("User-agent: *\nDisallow: /\nDisallow:", "/robots.txt", True),
        ("User-agent: *\nDisallow:", "/a", True),
        ("User-agent: *\nDisallow: /ä", "/%C3%A4", False),
        ("<html>Not found</html>", "/a", True),
    ],
)  # fmt: skip
def test_the_rules_are_read_as_the_rfc_says(rules: str, path: str, allowed: bool) -> None:
    assert Robots(rules).allows(BASE + path) is allowed


async def test_a_byte_order_mark_hides_no_rule(fetcher: Fetcher) -> None:
    async with Site({"/robots.txt": Answer(b"\xef\xbb\xbfUser-agent: *\nDisallow: /a")}) as site:
        assert not (await read_robots(fetcher, f"{site.url}/")).allows(f"{site.url}/a")


async def test_a_huge_file_is_read_to_its_limit(fetcher: Fetcher) -> None:
    start, end = "User-agent: *\nDisallow: /first\n", "Disallow: /last\n"
    filler = "# " + "x" * 1000 + "\n"
    body = start + filler * (MOST_ROBOTS_BYTES // len(filler) + 1) + end
    async with Site({"/robots.txt": Answer(body, kind="text/plain")}) as site:
        robots = await read_robots(fetcher, f"{site.url}/")
    assert not robots.allows(f"{site.url}/first")
    assert robots.allows(f"{site.url}/last")


@pytest.mark.parametrize(("hops", "reachable"), [(5, True), (6, False)])
async def test_five_redirects_are_followed(fetcher: Fetcher, hops: int, reachable: bool) -> None:
    async with Site() as site:
        chain = ["/robots.txt", *(f"/r{at}" for at in range(1, hops)), "/end"]
        for here, there in itertools.pairwise(chain):
            site.pages[here] = Answer(location=there)
        site.pages["/end"] = Answer("User-agent: *\nDisallow: /a", kind="text/plain")
        robots = await read_robots(fetcher, f"{site.url}/")
    assert robots.unreachable is not reachable
    assert not robots.allows(f"{site.url}/a")


async def test_a_host_in_trouble_is_asked_for_its_rules_once_more(fetcher: Fetcher) -> None:
    async with Site({"/robots.txt": Answer("User-agent: *\nDisallow: /a", kind="text/plain"), "/": "Home"}) as site:
        site.script("/robots.txt", Answer(status=503, headers={"Retry-After": "0"}))
        robots = await read_robots(fetcher, f"{site.url}/")
    assert not robots.unreachable
    assert not robots.allows(f"{site.url}/a")


@pytest.mark.parametrize("way", ["link", "sitemap", "redirect", "known"])
async def test_the_rules_hold_on_every_way_to_a_page(fetcher: Fetcher, way: str) -> None:
    pages: dict[str, str | Answer] = {
        "/robots.txt": Answer("User-agent: *\nDisallow: /no", kind="text/plain"),
        "/": linking("/no") if way == "link" else linking("/go") if way == "redirect" else "Home",
        "/sitemap.xml": "<urlset><url><loc>{base}/no</loc></url></urlset>" if way == "sitemap" else "",
        "/go": Answer(location="/no", status=302),
        "/no": "Secret",
    }
    async with Site(pages) as site:
        walked = await walk(fetcher, site, known={"/no": '"x"'} if way == "known" else None)
        assert site.count("/no") == 0
    decision = walked.decisions["/go" if way == "redirect" else "/no"]
    assert decision == (
        Decision(Kind.MOVED, "/no", "robots.txt disallows it") if way == "redirect" else Decision(Kind.ROBOTS)
    )


async def test_a_crawl_delay_slows_the_crawl_unless_robots_txt_is_not_respected(fetcher: Fetcher) -> None:
    robots = Answer("User-agent: *\nCrawl-delay: 0.1", kind="text/plain")
    async with Site({"/robots.txt": robots, "/": linking("/a", "/b"), "/a": "A", "/b": "B"}) as site:
        await walk(fetcher, site)
        slow = site.distances()
        site.forget()
        await walk(fetcher, site, Limits(respect_robots=False))
        fast = site.distances()
    assert min(slow[1:]) >= 0.09
    assert min(fast) < 0.09
