"""Sitemaps: what is read, from where, and what stops it."""

from __future__ import annotations

import gzip

import pytest

from retrieval.crawl.fetch import Fetcher
from retrieval.crawl.sitemap import Listed, parse, read_sitemaps
from retrieval.crawl.walk import Limits
from tests.retrieval.crawl.walking import linking, walk
from tests.standins.site import Answer, Site

URL = "<url><loc>https://x.example/{}</loc></url>"
NAMESPACE = "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'"


def urlset(*paths: str) -> bytes:
    return f"<?xml version='1.0'?><urlset {NAMESPACE}>{''.join(map(URL.format, paths))}</urlset>".encode()


def paths(body: bytes) -> list[str]:
    return [item.url.removeprefix("https://x.example") for item in parse("https://x.example/sitemap.xml", body).listed]


def test_addresses_come_with_priority_and_last_change() -> None:
    entry = "<loc> https://x.example/a?b=1&amp;c=2 </loc><lastmod>2026-03-01</lastmod><priority>0.8</priority>"
    body = f"<urlset {NAMESPACE}><url>{entry}</url><url><loc>/b</loc><priority>high</priority></url></urlset>".encode()
    assert parse("https://x.example/s.xml", body).listed == [
        Listed("https://x.example/a?b=1&c=2", 0.8, "2026-03-01"),
        Listed("https://x.example/b"),
    ]


@pytest.mark.parametrize(
    "body",
    [
        b"<s:urlset xmlns:s='x'><s:url><s:loc><![CDATA[https://x.example/a]]></s:loc></s:url></s:urlset>",
        b"\xef\xbb\xbf<urlset><url><loc>https://x.example/a</loc><image:loc xmlns:image='i'>https://x.example/i.png"
        b"</image:loc></url></urlset>",
        "<urlset><url><loc>https://x.example/a</loc></url></urlset>".encode("utf-16"),
        b"https://x.example/a\n",
        b"\xef\xbb\xbfhttps://x.example/a\r\n",
        gzip.compress(urlset("a")),
    ],
    ids=["prefix and CDATA", "images", "utf-16", "text", "text with a mark", "packed"],
)
def test_every_form_of_a_sitemap_is_read(body: bytes) -> None:
    assert paths(body) == ["/a"]


@pytest.mark.parametrize("name", ["sitemap.xml.gz", "sitemap.xml"])
@pytest.mark.parametrize("twice", [False, True], ids=["once", "again for the way"])
async def test_a_packed_sitemap_is_told_by_its_bytes_whatever_it_is_called(
    fetcher: Fetcher, name: str, twice: bool
) -> None:
    """github.com/scrapy/scrapy/issues/2389"""
    body = gzip.compress(urlset("a"))
    answer = Answer(gzip.compress(body), headers={"Content-Encoding": "gzip"}) if twice else Answer(body)
    async with Site({f"/{name}": answer}) as site:
        found = await read_sitemaps(fetcher.get, [f"{site.url}/{name}"], f"{site.url}/")
    assert list(found.listed) == ["https://x.example/a"]
    assert found.warnings == []


async def test_a_sitemap_sent_packed_for_the_way_only_is_read(fetcher: Fetcher) -> None:
    answer = Answer(gzip.compress(urlset("a")), headers={"Content-Encoding": "gzip"})
    async with Site({"/sitemap.xml.gz": answer}) as site:
        found = await read_sitemaps(fetcher.get, [f"{site.url}/sitemap.xml.gz"], f"{site.url}/")
    assert list(found.listed) == ["https://x.example/a"]


@pytest.mark.parametrize("place", ["/sitemap.xml", "/sitemap_index.xml", "/sitemap-index.xml", "/shop/sitemap.xml"])
async def test_the_usual_places_are_tried(fetcher: Fetcher, place: str) -> None:
    """github.com/Automattic/data-liberation-agent/issues/291"""
    index = f"<sitemapindex><sitemap><loc>{{base}}{place}.1</loc></sitemap></sitemapindex>"
    async with Site({place: index, f"{place}.1": Answer(urlset("a"))}) as site:
        assert list((await read_sitemaps(fetcher.get, [], f"{site.url}/shop/")).listed) == ["https://x.example/a"]


async def test_robots_txt_may_name_a_sitemap_by_its_path(fetcher: Fetcher) -> None:
    robots = Answer("Sitemap: /deep/sitemap-index.xml\n", kind="text/plain")
    sitemap_ = "<urlset><url><loc>{base}/hidden</loc></url></urlset>"
    async with Site({"/robots.txt": robots, "/": "Home", "/deep/sitemap-index.xml": sitemap_, "/hidden": "H"}) as site:
        assert (await walk(fetcher, site)).taken == ["/", "/hidden"]


async def test_an_incomplete_sitemap_does_not_stop_links(fetcher: Fetcher) -> None:
    """github.com/firecrawl/firecrawl/issues/257"""
    listed = "<urlset><url><loc>{base}/a</loc></url></urlset>"
    async with Site({"/sitemap.xml": listed, "/": linking("/b"), "/a": linking("/c"), "/b": "B", "/c": "C"}) as site:
        assert (await walk(fetcher, site)).taken == ["/", "/a", "/b", "/c"]


async def test_a_source_may_be_a_sitemap(fetcher: Fetcher) -> None:
    listed = "<urlset><url><loc>{base}/a</loc></url></urlset>"
    async with Site({"/mine.xml": listed, "/a": "A"}) as site:
        assert (await walk(fetcher, site, start="/mine.xml")).taken == ["/a"]


async def test_indexes_without_end_stop_at_a_depth_and_say_so(fetcher: Fetcher) -> None:
    """github.com/apify/crawlee-python/pull/2012"""
    async with Site() as site:
        for at in range(20):
            site.pages[f"/{at}.xml"] = (
                f"<sitemapindex><sitemap><loc>{{base}}/{at + 1}.xml</loc></sitemap></sitemapindex>"
            )
        found = await read_sitemaps(fetcher.get, [f"{site.url}/0.xml"], f"{site.url}/")
        assert site.count("/7.xml") == 0
    assert [warning for warning in found.warnings if "nested more than 5 deep" in warning]


async def test_a_bomb_gives_what_came_before_it_and_a_warning(fetcher: Fetcher) -> None:
    bomb = gzip.compress(urlset("a")[:-9] + b" " * 200_000_000)
    async with Site({"/sitemap.xml": Answer(bomb)}) as site:
        found = await read_sitemaps(fetcher.get, [f"{site.url}/sitemap.xml"], f"{site.url}/")
    assert list(found.listed) == ["https://x.example/a"]
    assert "100 times" in found.warnings[0]


def test_more_addresses_than_the_protocol_allows_are_cut_with_a_warning() -> None:
    for body in (urlset(*"abcde"), b"\n".join(b"https://x.example/%d" % at for at in range(5))):
        parsed = parse("https://x.example/s.xml", body, most=3)
        assert len(parsed.listed) == 3
        assert parsed.fault == "lists more than 3 addresses; the rest was not read"


def test_a_sitemap_that_breaks_off_gives_what_stands_before_it() -> None:
    parsed = parse("https://x.example/s.xml", urlset("a", "b")[:-30])
    assert [item.url for item in parsed.listed] == ["https://x.example/a"]
    assert "breaks off in line 1" in parsed.fault


@pytest.mark.parametrize(
    "declaration",
    [
        "<!DOCTYPE x [<!ENTITY a 'https://x.example/a'>]>",
        "<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>",
        "<!DOCTYPE x [<!ENTITY b 'bb'><!ENTITY a '&b;&b;&b;'>]>",
    ],
)
def test_entities_are_never_expanded(declaration: str) -> None:
    parsed = parse("u", f"{declaration}<urlset><url><loc>&a;</loc></url></urlset>".encode())
    assert parsed.listed == []
    assert "declares entities" in parsed.fault


async def test_a_page_at_a_usual_place_is_no_warning_but_at_an_announced_one(fetcher: Fetcher) -> None:
    async with Site({"/sitemap.xml": "<html><body>Not found</body></html>", "/mine.xml": "<html></html>"}) as site:
        guessed = await read_sitemaps(fetcher.get, [], f"{site.url}/")
        told = await read_sitemaps(fetcher.get, [f"{site.url}/mine.xml"], f"{site.url}/")
    assert guessed.warnings == []
    assert told.warnings == [f"{site.url}/mine.xml: is no sitemap"]


async def test_pages_that_the_sitemap_ranks_higher_come_first(fetcher: Fetcher) -> None:
    ranks = {"/low": 0.1, "/top": 1.0, "/mid": 0.5}
    listed = "".join(f"<url><loc>{{base}}{path}</loc><priority>{rank}</priority></url>" for path, rank in ranks.items())
    async with Site({"/sitemap.xml": f"<urlset>{listed}</urlset>", "/": "Home", **dict.fromkeys(ranks, "P")}) as site:
        one_by_one = await walk(fetcher, site, Limits(concurrency=1))
    assert one_by_one.order == ["/", "/top", "/mid", "/low"]
