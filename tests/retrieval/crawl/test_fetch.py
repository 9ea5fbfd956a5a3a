"""Fetching one address: bounds, conditions, redirects, and what may never be connected to."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from retrieval.crawl.fetch import Fetcher, NotModified, Redirect, seconds_until
from retrieval.crawl.sniff import MOST_FILE_BYTES
from retrieval.document import Page
from retrieval.errors import FetchError, NotAPageError
from tests.standins.endless import Endless
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
        assert await fetcher.step(f"{site.url}/", etag=first.etag) == NotModified()
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


@pytest.mark.parametrize("seconds", [0, 90])
async def test_retry_after_may_be_a_date(fetcher: Fetcher, seconds: int) -> None:
    when = format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)
    async with Site({"/": Answer(status=503, headers={"Retry-After": when})}) as site:
        with pytest.raises(FetchError) as caught:
            await fetcher.get(f"{site.url}/")
    assert caught.value.retry_after == pytest.approx(seconds, abs=3)


@pytest.mark.parametrize("text", ["", "soon", "-5", "1.5e9", "Mon, 99 Foo 2026"])
def test_a_retry_after_that_says_nothing_is_none(text: str) -> None:
    assert seconds_until(text) is None


@pytest.mark.parametrize(
    ("kind", "body", "why"),
    [
        ("image/png", b"\x89PNG\r\n\x1a\n" + bytes(50), "is an image"),
        ("text/html", b"\x89PNG\r\n\x1a\n" + bytes(50), "is an image"),
        ("video/mp4", b"\x00\x00\x00\x18ftypmp42", "is a film"),
        ("audio/mpeg", b"ID3\x03", "is a sound"),
        ("font/woff2", b"wOF2\x00", "is a font"),
        ("application/octet-stream", b"MZ\x90\x00\x03", "is a program"),
        ("", bytes(range(32)) * 9, "is binary"),
        ("image/svg+xml", b"<svg xmlns='x'><text>no page</text></svg>", "is an image"),
    ],
)
async def test_what_is_nothing_to_read_is_told_by_its_first_bytes(
    fetcher: Fetcher, kind: str, body: bytes, why: str
) -> None:
    async with Site({"/": Answer(body, kind=kind)}) as site:
        with pytest.raises(NotAPageError, match=why):
            await fetcher.get(f"{site.url}/")


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("image/png", b"<!doctype html><main>Hello</main>"),
        ("application/octet-stream", b"%PDF-1.7 ..."),
        ("application/octet-stream", b"PK\x03\x04\x00\x00"),
        ("", b"\xff\xfeH\x00i\x00"),
        ("text/plain", b"BM is what he said, and more"),
    ],
)
async def test_what_can_be_read_is_taken_whatever_it_is_called(fetcher: Fetcher, kind: str, body: bytes) -> None:
    async with Site({"/": Answer(body, kind=kind)}) as site:
        assert (await fetcher.get(f"{site.url}/")).content == body


async def test_a_film_is_given_up_before_the_whole_of_it_has_come(fetcher: Fetcher) -> None:
    async with Endless(b"\x1aE\xdf\xa3" + bytes(2000), kind="video/webm") as server:
        with pytest.raises(NotAPageError, match="is a film"):
            await fetcher.get(server.url)
    assert server.sent < 5_000_000


async def test_text_may_be_ten_mebibytes_and_a_file_fifty(fetcher: Fetcher) -> None:
    async with Endless(b"<main>text", kind="text/html") as page, Endless(b"%PDF-1.7", kind="text/html") as file:
        with pytest.raises(FetchError, match="larger than 10 MiB"):
            await fetcher.get(page.url)
        with pytest.raises(FetchError, match="larger than 50 MiB"):
            await fetcher.get(file.url)


async def test_a_page_that_drips_is_given_up_in_time() -> None:
    async with (
        Endless(b"<main>drop", kind="text/html", pause=0.05) as server,
        Fetcher.opened(allow_private=True, seconds=0.3) as fetcher,
    ):
        with pytest.raises(FetchError, match="no whole answer within") as caught:
            await fetcher.get(server.url)
    assert not caught.value.permanent


async def test_a_redirect_is_one_step_that_says_whether_it_is_for_good(fetcher: Fetcher) -> None:
    async with Site({"/a": Answer(location="/b"), "/c": Answer(location="/d", status=302)}) as site:
        assert await fetcher.step(f"{site.url}/a") == Redirect(f"{site.url}/b", permanent=True)
        assert await fetcher.step(f"{site.url}/c") == Redirect(f"{site.url}/d", permanent=False)


async def test_a_page_that_is_too_large_is_given_up(fetcher: Fetcher) -> None:
    async with Site({"/": Answer(b"%PDF-" + bytes(MOST_FILE_BYTES), kind="application/pdf")}, etags=False) as site:
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


async def test_a_sources_headers_go_to_its_own_host_alone() -> None:
    key = {"Authorization": "Bearer secret"}
    async with (
        Site({"/": Answer("Own")}) as own,
        Site({"/": Answer("Other")}) as other,
        Fetcher.opened(allow_private=True, headers=key, own=own.url) as one,
    ):
        await one.get(f"{own.url}/")
        own.pages["/"] = Answer(location=f"{other.url}/")
        await one.get(f"{own.url}/")
        assert own.authorizations == ["Bearer secret"] * 2
        assert other.authorizations == [""]


async def test_an_answer_of_unchanged_to_a_question_without_condition_is_an_error(fetcher: Fetcher) -> None:
    async with Site({"/": Answer(status=304)}) as site:
        with pytest.raises(FetchError, match="answered 304"):
            await fetcher.get(f"{site.url}/")


async def test_headers_that_are_no_text_can_be_stored_all_the_same(fetcher: Fetcher) -> None:
    head = b'HTTP/1.1 200 OK\r\nETag: "\xff"\r\nLast-Modified: \xfe\r\nX-Robots-Tag: \xff\r\nContent-Type: text/html; \xff\r\n'

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head + b"Content-Length: 5\r\n\r\nHello")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        page = await fetcher.get(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/")
    assert (page.etag, page.last_modified) == ("", "")
    assert f"{page.robots} {page.content_type}".encode()
