"""Pages that only show their text by JavaScript, rendered by the system's Chromium through Playwright (extra `render`).

The browser never connects by itself: every request of a page is answered by `relay`, which goes through the guard and
the limits of the crawl, and whatever would slip past that ends at a proxy that isn't there.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from retrieval.crawl.fetch import RelayedAnswer
from retrieval.crawl.sniff import MOST_TEXT_BYTES
from retrieval.document import Page
from retrieval.errors import FetchError, RenderError

if TYPE_CHECKING:
    from playwright.async_api import Browser, Request, Route

Relay = Callable[[str, str, dict[str, str], bytes | None], Awaitable[RelayedAnswer]]
"""method, address, headers, body → the answer; raises FetchError."""

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
RENDER_SECONDS = 20.0
"""For one page in all."""
PATIENCE_SECONDS = 5.0
"""How long is waited for a page to stop asking for things."""
QUIET_SECONDS = 0.4
"""Without a request after which a page is done. All three chosen by hand."""
MOST_REQUESTS = 120
"""Of one page; what it asks for beyond is refused. Chosen by hand."""
WANTED_REQUESTS = {"document", "script", "xhr", "fetch"}
"""Kinds of requests that text can depend on; images, fonts, films, style sheets and beacons are never asked for."""
PASSED_ON_HEADERS = ("accept", "content-type", "x-requested-with")
"""What a page's own requests may say to its server; cookies are never among it."""
CHROMIUM_ARGUMENTS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)


def missing(path: str = "") -> str:
    """What has to be installed before pages can be rendered, as words; empty when nothing is missing."""
    if importlib.util.find_spec("playwright") is None:
        return "install frontdesk[render]"
    return "" if chromium(path) else "install Chromium (Debian: apt install chromium)"


def chromium(path: str = "") -> str:
    """The browser's program: the one that is named, else the system's; empty when there is none."""
    return next((found for name in (path, *PROGRAMS) if name and (found := shutil.which(name))), "")


MOST_TRIES = 4
"""How often a page's HTML is asked for while it moves on to another address."""
BETWEEN_SECONDS = 0.25


class Tab(Protocol):
    """What is asked of a browser's tab."""

    async def content(self) -> str:
        """The page's HTML; raises Playwright's Error while the page moves."""


class Renderer:
    """One browser for a crawl, started at the first page that needs it; one page at a time."""

    def __init__(self, relay: Relay, path: str = "") -> None:
        self._relay = relay
        self._path = path
        self._stack = AsyncExitStack()
        self._browser: Browser | None = None
        self._one = asyncio.Lock()

    async def close(self) -> None:
        """End the browser."""
        await self._stack.aclose()

    async def page(self, page: Page) -> Page:
        """The page as it is after its scripts ran; raises RenderError."""
        from playwright.async_api import Error  # lazily: an extra

        async with self._one:
            try:
                async with asyncio.timeout(RENDER_SECONDS):
                    return await self._rendered(page)
            except TimeoutError as error:
                raise RenderError(f"was not rendered within {RENDER_SECONDS:.0f} seconds", about=page.url) from error
            except Error as error:
                raise RenderError(
                    f"Chromium could not render it ({error.message.splitlines()[0]})", about=page.url
                ) from error

    async def _started(self) -> Browser:
        from playwright.async_api import async_playwright

        if self._browser is None:
            playwright = await self._stack.enter_async_context(async_playwright())
            self._browser = await playwright.chromium.launch(
                executable_path=chromium(self._path),
                args=[
                    *CHROMIUM_ARGUMENTS,
                    *(["--no-sandbox"] if os.geteuid() == 0 else []),
                ],  # Chromium's own rule for root
            )
            self._stack.push_async_callback(self._browser.close)
        return self._browser

    async def _rendered(self, page: Page) -> Page:
        browser = await self._started()
        context = await browser.new_context(service_workers="block", accept_downloads=False)
        answers = _Answers(self._relay, page)
        try:
            await context.route("**/*", answers.give)
            tab = await context.new_page()
            await tab.goto(page.url, wait_until="domcontentloaded")
            await answers.quiet()
            html = (await html_of(tab)).encode()
        finally:
            await context.close()
        if len(html) > MOST_TEXT_BYTES:
            raise RenderError(f"is larger than {MOST_TEXT_BYTES // 1024 // 1024} MiB after rendering", about=page.url)
        return replace(page, content=html, content_type="text/html; charset=utf-8", etag="", last_modified="")


async def html_of(tab: Tab, between: float = BETWEEN_SECONDS) -> str:
    """A tab's HTML, asked for again while the page is on its way to another address."""
    from playwright.async_api import Error

    for _ in range(MOST_TRIES - 1):
        try:
            return await tab.content()
        except Error:
            await asyncio.sleep(between)
    return await tab.content()


class _Answers:
    """The answers to one page's requests."""

    def __init__(self, relay: Relay, page: Page) -> None:
        self._relay = relay
        self._page = page
        self._count = 0
        self._open = 0
        self._last = 0.0

    async def give(self, route: Route, request: Request) -> None:
        """Answer one request, or refuse it."""
        self._count += 1
        self._open += 1
        try:
            answer = await self._answer(request)
            if answer is None:
                await route.abort()
            else:
                kind = {"content-type": answer.content_type, "access-control-allow-origin": "*"}
                await route.fulfill(status=answer.status, headers=kind, body=answer.content)
        finally:
            self._open -= 1
            self._last = asyncio.get_running_loop().time()

    async def _answer(self, request: Request) -> RelayedAnswer | None:
        if request.is_navigation_request():
            own = request.url.partition("#")[0] == self._page.url.partition("#")[0]  # and no other page instead of it
            return RelayedAnswer(200, self._page.content_type or "text/html", self._page.content) if own else None
        foreign = urlsplit(request.url).netloc != urlsplit(self._page.url).netloc
        reads = request.method == "GET" or (request.method == "POST" and not foreign)
        if request.resource_type not in WANTED_REQUESTS or not reads or self._count > MOST_REQUESTS:
            return None
        headers = {name: value for name, value in request.headers.items() if name in PASSED_ON_HEADERS}
        try:
            return await self._relay(request.method, request.url, headers, request.post_data_buffer)
        except FetchError:
            return None

    async def quiet(self) -> None:
        """Wait until nothing is asked for any more, for some seconds at most."""
        loop = asyncio.get_running_loop()
        until = loop.time() + PATIENCE_SECONDS
        while True:
            if loop.time() > until or (not self._open and loop.time() - self._last > QUIET_SECONDS):
                return
            await asyncio.sleep(0.05)
