"""Walking a site: sitemaps and links together, polite and bounded, each page handed on as it comes.

The walk knows nothing of databases: `take` gets every fetched page and returns the links to follow; `note` hears why an
address is in or out.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from retrieval.address import normalised, scope_of, why_outside
from retrieval.document import Page
from retrieval.errors import FetchError
from retrieval.fetch import Fetcher
from retrieval.robots import Robots, read_robots, read_sitemaps

Take = Callable[[Page], Awaitable[tuple[str, ...]]]
Note = Callable[[str, str, str], Awaitable[None]]
"""Called with address, decision and reason."""

TRIES = 3
LONGEST_PAUSE = 60.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What a crawl may touch, and how fast."""

    max_pages: int = 500
    include: list[str] = field(default_factory=list)
    exclude: list[str] = field(default_factory=list)
    respect_robots: bool = True
    delay: float = 0.0
    concurrency: int = 4


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a page from the last crawl, to ask only for news."""

    etag: str = ""
    last_modified: str = ""


class Walk:
    """One crawl of one site."""

    def __init__(
        self,
        fetcher: Fetcher,
        start: str,
        limits: Limits,
        known: Mapping[str, Known],
        take: Take,
        note: Note,
        progress: Callable[[int, int], None] = lambda done, known: None,
    ) -> None:
        self._fetcher = fetcher
        self._start = normalised(start)
        self._scope = scope_of(self._start)
        self._limits = limits
        self._known = known
        self._take = take
        self._note = note
        self._progress = progress
        self._queue: deque[str] = deque()
        self._seen: set[str] = set()
        self._robots: dict[str, Robots] = {}
        self._fetched = 0
        self._busy = 0
        self._turn = asyncio.Lock()

    async def run(self) -> bool:
        """Walk until nothing is left or the page limit is reached; False when the limit cut it short."""
        await self._offer((self._start,))
        robots = await self._rules(self._start)
        await self._offer(tuple(await read_sitemaps(self._fetcher, robots, self._scope)))
        await self._offer(tuple(self._known))
        workers = [asyncio.create_task(self._work()) for _ in range(self._limits.concurrency)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        for url in self._queue:
            await self._note(url, "skipped", f"more than max_pages = {self._limits.max_pages}")
        return not self._queue

    async def _work(self) -> None:
        while self._fetched < self._limits.max_pages:
            if not self._queue:
                if not self._busy:
                    return
                await asyncio.sleep(0.005)
                continue
            url = self._queue.popleft()
            self._busy += 1
            try:
                await self._visit(url)
            finally:
                self._busy -= 1

    async def _visit(self, url: str) -> None:
        robots = await self._rules(url)
        if self._limits.respect_robots and not robots.allows(url):
            unreadable = f"robots.txt can't be read ({robots.why})" if robots.why else "robots.txt can't be read"
            why = unreadable if robots.unreachable else "robots.txt disallows it"
            await self._note(url, "failed" if robots.unreachable else "skipped", why)
            return
        self._fetched += 1
        try:
            page = await self._patiently(url, max(self._limits.delay, robots.delay))
        except FetchError as error:
            gone = error.status in (404, 410)
            await self._note(url, "gone" if gone else "failed", str(error).partition(": ")[2])
            return
        if page is None:
            await self._note(url, "unchanged", "the server says so")
        elif why := await self._moved_outside(url, page):
            await self._note(url, "skipped", why)
        else:
            await self._offer(await self._take(page))
        self._progress(self._fetched, self._fetched + len(self._queue))

    async def _moved_outside(self, url: str, page: Page) -> str:
        target = normalised(page.url)
        if target == url:
            return ""
        if target in self._seen:
            return f"redirects to {target}"
        self._seen.add(target)
        why = why_outside(target, self._scope, self._limits.include, self._limits.exclude)
        if not why and self._limits.respect_robots and not (await self._rules(target)).allows(target):
            why = "robots.txt disallows it"
        return f"redirects to {target}: {why}" if why else ""

    async def _patiently(self, url: str, delay: float) -> Page | None:
        known = self._known.get(url, Known())
        for attempt in range(1, TRIES + 1):
            await self._wait(delay)
            try:
                return await self._fetcher.get(url, etag=known.etag, last_modified=known.last_modified)
            except FetchError as error:
                if error.permanent or attempt == TRIES:
                    raise
                pause = 0.5 * 3**attempt if error.retry_after is None else error.retry_after
                await asyncio.sleep(min(pause, LONGEST_PAUSE))
        raise AssertionError("unreachable")

    async def _wait(self, delay: float) -> None:
        if delay:
            async with self._turn:
                await asyncio.sleep(delay)

    async def _rules(self, url: str) -> Robots:
        host = urlsplit(url).netloc
        if host not in self._robots:
            self._robots[host] = await read_robots(self._fetcher, url)
        return self._robots[host]

    async def _offer(self, links: tuple[str, ...]) -> None:
        for link in links:
            try:
                url = normalised(link)
            except ValueError:
                continue
            if url in self._seen:
                continue
            self._seen.add(url)
            why = why_outside(url, self._scope, self._limits.include, self._limits.exclude)
            if not why:
                self._queue.append(url)
            elif why not in ("another site", "not a page"):
                await self._note(url, "skipped", why)
