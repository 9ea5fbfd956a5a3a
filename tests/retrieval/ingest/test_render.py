"""Pages that show their text by JavaScript only, in the system's Chromium; skipped where there is none."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Error

from retrieval.crawl.fetch import Fetcher, RelayedAnswer
from retrieval.decision import Decision, Kind, State
from retrieval.document import Page
from retrieval.index.index import Index
from retrieval.ingest.render import CHROMIUM_ARGUMENTS, Renderer, chromium, html_of, missing
from tests.retrieval.ingest.crawling import WORDS, crawled, held, page
from tests.standins.site import Answer, Site

REQUIRED = os.environ.get("BROWSER_TESTS") == "required"
needs_browser = pytest.mark.skipif(
    bool(missing()) and not REQUIRED, reason="no Chromium, or playwright is not installed"
)
SHELL = """<html lang=en><head><title>Prices</title></head><body><div id=root></div><script>
const add = text => { document.getElementById("root").innerHTML += "<main><h1>Prices</h1><p>" + text + "</p></main>" }
fetch("/api/prices.json").then(answer => answer.json()).then(data => add(data.text))
</script><img src="/big.png"></body></html>"""


def prices(name: str) -> Answer:
    return Answer(json.dumps({"text": WORDS[name]}), kind="application/json")


def app() -> dict[str, str | Answer]:
    """A page whose text comes from an endpoint."""
    return {
        "/": SHELL,
        "/api/prices.json": prices("boats"),
        "/big.png": Answer(b"\x89PNG", kind="image/png"),
    }


@pytest.mark.browser
@needs_browser
async def test_an_empty_shell_is_rendered_and_its_text_is_in_the_index(index: Index) -> None:
    """github.com/GoogleChrome/chromium-dashboard/pull/6581"""
    async with Site(app()) as site:
        assert (await crawled(index, site, render="auto"))["/"].state is State.ADDED
        assert WORDS["boats"] in (await held(index, site))["/"]
        assert site.count("/big.png") == 0, "pictures are never asked for"
        assert (await crawled(index, site, render="auto"))["/"] == Decision(Kind.SAME_TEXT)
        site.pages["/api/prices.json"] = prices("carts")
        await crawled(index, site, render="auto")
        assert WORDS["carts"] in (await held(index, site))["/"], "though the shell is the same"


@pytest.mark.browser
@needs_browser
async def test_what_robots_txt_disallows_is_not_asked_by_the_browser_either(index: Index) -> None:
    robots = Answer("User-agent: *\nDisallow: /api/", kind="text/plain")
    async with Site(app() | {"/robots.txt": robots}) as site:
        assert (await crawled(index, site, render="auto"))["/"].state is State.FAILED
        assert site.count("/api/prices.json") == 0


@pytest.mark.browser
@needs_browser
async def test_a_page_with_text_starts_no_browser(index: Index) -> None:
    text = page(WORDS["boats"] + " " + WORDS["carts"]) + "<script src=/app.js></script>"
    async with Site({"/": text, "/app.js": "document.body.innerHTML = 'gone'"}) as site:
        await crawled(index, site, render="auto")
        assert WORDS["boats"] in (await held(index, site))["/"]
        assert site.count("/app.js") == 0


async def test_without_rendering_the_page_is_failed_with_the_reason(index: Index) -> None:
    async with Site(app()) as site:
        assert (await crawled(index, site))["/"] == Decision(Kind.NEEDS_SCRIPT)


@pytest.fixture
async def guarded() -> AsyncIterator[Renderer]:
    """A browser whose requests go through the guard."""
    async with Fetcher.opened() as fetcher:
        renderer = Renderer(fetcher.relay)
        try:
            yield renderer
        finally:
            await renderer.close()


@pytest.mark.browser
@needs_browser
async def test_a_page_cannot_make_the_browser_reach_into_the_network(guarded: Renderer) -> None:
    async with Site({"/": "Secret"}) as canary:
        for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0x7f000001"):
            base = f"http://{host}:{canary.port}"
            body = (
                f"<p>Before</p><iframe src='{base}/frame'></iframe><img src='{base}/img'><link rel=prefetch href='{base}/pre'>"
                f"<script src='{base}/script'></script><object data='{base}/object'></object><script>"
                f"fetch('{base}/fetch').then(a => a.text()).then(t => document.body.innerHTML += t).catch(e => 0);"
                f"try {{ new WebSocket('ws://{host}:{canary.port}/socket') }} catch (e) {{}};"
                f"try {{ new EventSource('{base}/events') }} catch (e) {{}};"
                f"navigator.sendBeacon('{base}/beacon', 'x'); setTimeout(() => location = '{base}/gone', 50)</script>"
            )
            shown = await guarded.page(Page("http://shop.example/", f"<body>{body}</body>".encode(), "text/html"))
            assert b"Before" in shown.content
            assert b"Secret" not in shown.content
    assert canary.requests == []


@pytest.mark.browser
@needs_browser
async def test_what_slips_past_the_guard_ends_at_a_proxy_that_is_not_there() -> None:
    from playwright.async_api import Error, async_playwright

    async with Site({"/": "Secret"}) as canary, async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium(), args=[*CHROMIUM_ARGUMENTS, "--no-sandbox"]
        )
        for host in ("127.0.0.1", "localhost"):
            tab = await browser.new_page()
            with pytest.raises(Error, match="ERR_PROXY_CONNECTION_FAILED"):
                await tab.goto(f"http://{host}:{canary.port}/")
        await browser.close()
    assert canary.requests == []


@pytest.mark.browser
@needs_browser
async def test_requests_are_bounded() -> None:
    asked: list[str] = []

    async def relay(method: str, url: str, headers: dict[str, str], body: bytes | None) -> RelayedAnswer:
        asked.append(url)
        return RelayedAnswer(200, "text/plain", b"x")

    renderer = Renderer(relay)
    endless = b"<p>Text</p><script>let n = 0; const more = () => fetch('/' + n++).finally(more); more()</script>"
    try:
        shown = await renderer.page(Page("http://shop.example/", endless, "text/html"))
    finally:
        await renderer.close()
    assert b"Text" in shown.content
    assert len(asked) <= 120


def test_a_browser_that_is_not_there_is_named() -> None:
    assert chromium("/nowhere/chromium") == chromium()


class Moving:
    """A tab that is on its way to another address for the first so many times it is asked."""

    def __init__(self, times: int) -> None:
        self.times = times

    async def content(self) -> str:
        self.times -= 1
        if self.times >= 0:
            raise Error("Page.content: the page is navigating")
        return "<p>Here</p>"


async def test_a_page_that_moves_is_asked_again_but_not_for_ever() -> None:
    assert await html_of(Moving(3), between=0.0) == "<p>Here</p>"
    with pytest.raises(Error):
        await html_of(Moving(4), between=0.0)
