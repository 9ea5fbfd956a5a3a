"""Walking a site: sitemaps and links together, polite and bounded, the best pages first, each handed on as it comes.

The walk knows nothing of databases: `fetched` gets every page and returns the links to follow; `same` hears of
pages that haven't changed; `note` hears why an address is in or out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit

from retrieval.address import is_successor, normalised, scope_of, why_outside
from retrieval.crawl.fetch import MOST_REDIRECTS, Fetcher, Moved, Same
from retrieval.crawl.frontier import FAR, Frontier, Spot
from retrieval.crawl.hosts import Hosts
from retrieval.crawl.robots import Robots
from retrieval.crawl.sitemap import read_sitemaps
from retrieval.crawl.trap import MOST_LENGTH, Traps
from retrieval.document import Page
from retrieval.errors import FetchError, NotAPageError
from retrieval.text.likeness import Bag

IDLE = 0.005
AT_ONCE = 200
SITEMAP_NAMES = (".xml", ".xml.gz")
NOT_REMEMBERED = ("another site", "looks endless")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a crawl may touch, and how fast. `max_depth` counts clicks from the start page; 0 is no limit."""

    max_pages: int = 500
    include: list[str] = field(default_factory=list)
    exclude: list[str] = field(default_factory=list)
    respect_robots: bool = True
    delay: float = 0.0
    concurrency: int = 4
    max_depth: int = 0


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a page: the links to follow, and its words; None when it was left out."""

    links: tuple[str, ...] = ()
    bag: Bag | None = None


class Hands(Protocol):
    """What the walk puts its finds into."""

    async def fetched(self, spot: Spot, page: Page) -> Taken:
        """A page that was fetched; `page.url` is where it was found in the end, `spot.url` what it is kept under."""

    async def same(self, spot: Spot, robots: str = "") -> None:
        """The server says that the page hasn't changed; `robots` is its X-Robots-Tag."""

    async def note(self, url: str, decision: str, reason: str) -> None:
        """Why an address is in or out."""


class Walk:
    """One crawl of one site."""

    def __init__(
        self,
        fetcher: Fetcher,
        start: str,
        limits: Limits,
        frontier: Frontier,
        hands: Hands,
        progress: Callable[[int, int], None] = lambda done, known: None,
    ) -> None:
        self._named = [start] if urlsplit(start).path.lower().endswith(SITEMAP_NAMES) else []
        self._start = normalised(start)
        self._scopes = [scope_of(self._start)]
        self._limits = limits
        self._alone = limits.max_pages == 1 and not self._named  # one page is wanted, not the best of a site
        self._frontier = frontier
        self._hands = hands
        self._progress = progress
        self.hosts = Hosts(
            fetcher, respect_robots=limits.respect_robots, delay=limits.delay, concurrency=limits.concurrency
        )
        self._traps = Traps()
        self._fetched = 0
        self._busy = 0
        self.warnings: list[str] = []

    async def run(self, fetched: int = 0) -> bool:
        """Walk until nothing is left or the page limit is reached; False when the limit cut it short.

        `fetched`: pages that the same crawl had asked for before it was broken off.
        """
        self._fetched = fetched
        await self._sift()
        if not self._named:
            await self._offer((self._start,), 0)
        rules = await self.hosts.rules(self._start)
        if not self._alone:
            await self._sitemaps(rules)
        workers = [asyncio.create_task(self._work()) for _ in range(self._limits.concurrency)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        self.warnings += self.hosts.stopped()
        left = self._frontier.waiting()
        for url in left:
            await self._hands.note(url, "skipped", f"more than max_pages = {self._limits.max_pages}")
        return not left and not self._frontier.dropped

    async def _sift(self) -> None:
        """Addresses that are known from before, but that the patterns or the depth now leave out."""
        for spot in list(self._frontier):
            if spot.asked_in:
                self._traps.known(spot.url, held=spot.held)
        for url in self._frontier.waiting():
            if why := self._why_out(url, self._frontier[url].depth % FAR, "", listed=False):
                self._frontier.drop(url)
                await self._hands.note(url, "skipped", why)

    async def _sitemaps(self, rules: Robots) -> None:
        found = await read_sitemaps(self.hosts.get, [*self._named, *rules.sitemaps], self._scopes[0])
        self.warnings += found.warnings
        for number, item in enumerate(found.listed.values()):
            if not number % AT_ONCE:
                await asyncio.sleep(0)  # others have work to do too
            await self._meet(
                item.url, 1, priority=0.5 if item.priority is None else item.priority, lastmod=item.lastmod
            )

    async def _work(self) -> None:
        while self._fetched < self._limits.max_pages:
            spot = self._frontier.next()
            if spot is None:
                if not self._busy:
                    return
                await asyncio.sleep(IDLE)
                continue
            self._busy += 1
            self._fetched += 1
            try:
                if not await self._visit(spot):
                    self._fetched -= 1  # it cost nothing, or what it costs is counted where it leads to
                self._frontier.finished(spot)
            finally:
                self._busy -= 1
            self._progress(self._fetched, self._fetched + len(self._frontier))

    async def _visit(self, spot: Spot) -> bool:
        """Ask one address; True when it counts as one of `max_pages`."""
        if why := await self.hosts.forbidden(spot.url):
            await self._hands.note(spot.url, *why)
            return False
        try:
            answer = await self._followed(spot)
        except NotAPageError as error:
            await self._hands.note(spot.url, "skipped", _tail(error))
        except FetchError as error:
            spot.etag = spot.last_modified = spot.content_hash = ""  # whatever comes back is read anew
            await self._hands.note(spot.url, "gone" if error.status in (404, 410) else "failed", _tail(error))
        else:
            if isinstance(answer, str):
                await self._hands.note(spot.url, "skipped", answer)
                return False
            await self._hand_on(spot, answer)
        return True

    async def _hand_on(self, spot: Spot, page: Page | Same) -> None:
        if isinstance(page, Same):
            await self._hands.same(spot, page.robots)
            return
        taken = await self._hands.fetched(spot, page)
        self._traps.told(spot.url, taken.bag)
        if not self._alone:
            await self._offer(taken.links, spot.depth + 1, spot.url)

    async def _followed(self, spot: Spot) -> Page | Same | str:
        """The page, or words where it leads. A move for good makes another address of it."""
        url = spot.url
        for _ in range(MOST_REDIRECTS + 1):
            answer = await self.hosts.ask(url, spot.etag, spot.last_modified)
            if not isinstance(answer, Moved):
                return answer
            try:
                target = normalised(answer.url)
            except ValueError:
                raise FetchError(f"{url}: redirects to an address that can't be read", permanent=True) from None
            if answer.url == url:
                raise FetchError(f"{url}: redirects to itself", permanent=True)
            if target != spot.url and (why := await self._leads(spot, target, for_good=answer.permanent)):
                return why
            url = answer.url
        raise FetchError(f"{spot.url}: redirects more than {MOST_REDIRECTS} times", permanent=True)

    async def _leads(self, spot: Spot, target: str, *, for_good: bool) -> str:
        """Why a redirect is not followed here, as words; empty when its target stands in for the address."""
        if urlsplit(target).scheme not in ("http", "https"):
            raise FetchError(f"{spot.url}: redirects to {target}: only http and https are fetched", permanent=True)
        if spot.url == self._start and is_successor(target, self._start):
            self._scopes.append(scope_of(target))
        if why := self._why_outside(target):
            return f"redirects to {target}: {why}"
        if forbidden := await self.hosts.forbidden(target):
            return f"redirects to {target}: {forbidden[1]}"
        if not for_good and target not in self._frontier:
            return ""
        if spot.hops >= MOST_REDIRECTS:
            return f"redirects more than {MOST_REDIRECTS} times"
        self._frontier.offer(target, spot.depth, hops=spot.hops + 1)
        return f"redirects to {target}"

    def _why_outside(self, url: str) -> str:
        found = [why_outside(url, scope, self._limits.include, self._limits.exclude) for scope in self._scopes]
        return "" if "" in found else found[-1]

    async def _offer(self, links: tuple[str, ...], depth: int, referrer: str = "") -> None:
        for link in links:
            await self._meet(link, depth, referrer)

    async def _meet(
        self, link: str, depth: int, referrer: str = "", *, priority: float | None = None, lastmod: str = ""
    ) -> None:
        if len(link) > 2 * MOST_LENGTH:
            return
        try:
            url, parts = normalised(link), urlsplit(link)
        except ValueError:
            return
        if parts.username or parts.password:
            shown = f"{parts.scheme}://…@{parts.netloc.rpartition('@')[2]}{parts.path}"
            await self._hands.note(shown, "skipped", "holds a user name or password")
        elif not (why := self._why_out(url, depth, referrer, listed=priority is not None)):
            self._frontier.offer(url, min(depth, FAR), priority=priority, lastmod=lastmod)
        elif self._frontier.refuse(url, remember=not why.startswith(NOT_REMEMBERED)) and why != "another site":
            await self._hands.note(url, "skipped", why)

    def _why_out(self, url: str, depth: int, referrer: str, *, listed: bool) -> str:
        if why := self._why_outside(url):
            return why
        if self._limits.max_depth and depth > self._limits.max_depth and not listed:
            return f"more than max_depth = {self._limits.max_depth} clicks away"
        if listed or url in self._frontier:
            return ""
        return self._traps.why(url, referrer)


def _tail(error: FetchError) -> str:
    return str(error).partition(": ")[2]
