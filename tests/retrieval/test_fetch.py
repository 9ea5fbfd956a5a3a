"""Fetching one address: bounds, conditions, redirects, and what may never be connected to."""

from __future__ import annotations

import pytest

from retrieval.document import Page
from retrieval.errors import FetchError
from retrieval.fetch import Fetcher
from retrieval.sniff import MOST_FILE
from tests.standins.site import Answer, Site


async def test_a_page_comes_with_its_type_and_marks(fetcher: Fetcher) -> None:
    async with Site({"/": Answer("Hello", headers={"Last-Modified": "Mon, 02 Mar 2026 10:00:00 GMT"})}) as site:
        page = await fetcher.get(f"{site.url}/")
    assert (page.url, page.content, page.content_type) == (f"{site.url}/", b"Hello", "text/html")
    assert page.etag.startswith('"')
    assert page.last_modified.startswith("Mon, 02 Mar")
    assert "FrontdeskBot" in site.user_agents.pop()


async def test_an_unchanged_page_is_not_sent_again(fetcher: Fetcher) -> None:
    async with Site({"/": "Hello"}) as site:
        first = await fetcher.get(f"{site.url}/")
        assert await fetcher.step(f"{site.url}/", etag=first.etag) is None
        site.pages["/"] = "Changed"
        again = await fetcher.step(f"{site.url}/", etag=first.etag)
    assert isinstance(again, Page)
    assert again.content == b"Changed"
    assert site.statuses == [200, 304, 200]


async def test_redirects_are_followed_to_the_final_address(fetcher: Fetcher) -> None:
    pages: dict[str, str | Answer] = {"/a": Answer(location="/b"), "/b": Answer(location="c/d?x=1"), "/c/d?x=1": "End"}
    async with Site(pages) as site:
        page = await fetcher.get(f"{site.url}/a")
    assert page.url == f"{site.url}/c/d?x=1"


@pytest.mark.parametrize(
    ("location", "why"),
    [
        ("/loop", "redirects more than 5 times"),
        ("file:///etc/passwd", "only http and https"),
        ("http://[bad/", "can't be read"),
        ("http://x.example:99999/", "can't be"),
    ],
)
async def test_a_redirect_that_leads_nowhere_is_a_fetcherror(fetcher: Fetcher, location: str, why: str) -> None:
    async with Site({"/loop": Answer(location=location)}) as site:
        with pytest.raises(FetchError, match=why):
            await fetcher.get(f"{site.url}/loop")


@pytest.mark.parametrize(
    ("status", "permanent"),
    [(404, True), (410, True), (403, True), (401, True), (429, False), (500, False), (503, False)],
)
async def test_a_refusal_says_whether_asking_again_helps(fetcher: Fetcher, status: int, permanent: bool) -> None:
    async with Site({"/": Answer(status=status, headers={"Retry-After": "7"})}) as site:
        with pytest.raises(FetchError, match=f"answered {status}") as caught:
            await fetcher.get(f"{site.url}/")
    assert (caught.value.status, caught.value.permanent, caught.value.retry_after) == (status, permanent, 7.0)


async def test_a_page_that_is_too_large_is_given_up(fetcher: Fetcher) -> None:
    async with Site({"/": Answer(b"%PDF-" + bytes(MOST_FILE), kind="application/pdf")}, etags=False) as site:
        with pytest.raises(FetchError, match="larger than 50 MiB") as caught:
            await fetcher.get(f"{site.url}/")
    assert caught.value.permanent


async def test_a_server_that_is_away_can_be_asked_again(fetcher: Fetcher) -> None:
    async with Site() as site:
        address = site.url
    with pytest.raises(FetchError, match="can't be reached") as caught:
        await fetcher.get(address)
    assert not caught.value.permanent


@pytest.mark.parametrize(
    "url", ["ftp://x.example/", "file:///etc/passwd", "javascript:alert(1)", "", "/a", "http://", "http://[bad/"]
)
async def test_only_addresses_of_the_web_are_fetched(fetcher: Fetcher, url: str) -> None:
    with pytest.raises(FetchError) as caught:
        await fetcher.get(url)
    assert caught.value.permanent


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "017700000001",
        "0",
        "0.0.0.0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[::127.0.0.1]",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "127.0.0.1.",
        "①②⑦.0.0.1",
    ],
)
async def test_a_private_address_is_never_connected_to_however_it_is_written(host: str) -> None:
    async with Site({"/": "Secret"}) as canary, Fetcher.opened() as fetcher:
        with pytest.raises(FetchError):
            await fetcher.get(f"http://{host}:{canary.port}/")
    assert canary.requests == []


async def test_a_name_that_leads_home_is_refused_for_good_and_says_what_to_set() -> None:
    async with Site({"/": "Secret"}) as canary, Fetcher.opened() as fetcher:
        with pytest.raises(FetchError, match="allow_private = true") as caught:
            await fetcher.get(f"http://localhost:{canary.port}/")
    assert caught.value.permanent
    assert canary.requests == []


async def test_headers_of_a_source_are_sent() -> None:
    async with Site({"/": "Hello"}) as site, Fetcher.opened(allow_private=True, headers={"User-Agent": "Mine"}) as one:
        await one.get(f"{site.url}/")
    assert site.user_agents == {"Mine"}
