"""Walking a site: sitemaps and links together, polite and bounded, the best pages first.

The walk says what to ask next, asks it, and takes the links of what came back; whoever drives it decides what becomes of
a page. It knows nothing of databases, and calls nobody: what it decides on addresses by itself it returns.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from retrieval.address import is_successor, normalised, scope_of, why_outside
from retrieval.crawl.fetch import MOST_REDIRECTS, Fetcher, NotModified, Redirect, bad_redirect
from retrieval.crawl.frontier import FARTHEST, Frontier, KnownAddress
from retrieval.crawl.hosts import Hosts
from retrieval.crawl.robots import Robots
from retrieval.crawl.sitemap import Listed, read_sitemaps
from retrieval.crawl.trap import MOST_ADDRESS_CHARACTERS, Traps
from retrieval.decision import Decision, Kind
from retrieval.document import Page
from retrieval.errors import FetchError
from retrieval.text.likeness import Bag

ADDRESSES_A_BREATH = 200
"""Addresses of a sitemap after which others get their turn; chosen by hand."""
SITEMAP_NAMES = (".xml", ".xml.gz")
NOT_REMEMBERED = (Kind.OTHER_SITE, Kind.ENDLESS)
"""What keeps an address out for this crawl only: there are too many of them to keep."""

Decided = tuple[str, Decision]
"""An address and what was decided on it."""


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


class Walk:
    """One crawl of one site.

    Whoever drives it, with as many workers as `Limits.concurrency`:

        decided = await walk.begin()
        while known := await walk.next():
            answer = await walk.ask(known)          # a page, "not modified", or a decision
            …                                       # judge the page
            decided += walk.finished(known, links=…, words=…)
        decided += walk.rest()
    """

    def __init__(self, fetcher: Fetcher, start: str, limits: Limits, frontier: Frontier) -> None:
        self._named_sitemaps = [start] if urlsplit(start).path.lower().endswith(SITEMAP_NAMES) else []
        self._start = normalised(start)
        self._scopes = [scope_of(self._start)]
        self._limits = limits
        self._one_page = limits.max_pages == 1 and not self._named_sitemaps
        self._frontier = frontier
        self._traps = Traps()
        self._busy = 0
        self._turned = asyncio.Event()
        self.hosts = Hosts(
            fetcher, respect_robots=limits.respect_robots, delay=limits.delay, concurrency=limits.concurrency
        )
        self.asked = 0
        """Pages that count as ones of `max_pages`."""
        self._warnings: list[str] = []

    @property
    def known(self) -> int:
        """Pages that were asked for and addresses that wait."""
        return self.asked + len(self._frontier)

    async def begin(self, asked: int = 0) -> list[Decided]:
        """Read robots.txt and the sitemaps; what is decided on their addresses and on those known from before.

        `asked`: pages that the same crawl had asked for before it was broken off.
        """
        self.asked = asked
        decided = list(self._sift())
        if not self._named_sitemaps:
            decided += self._offer((self._start,), 0)
        rules = await self.hosts.rules(self._start)
        if not self._one_page:
            decided += await self._read_sitemaps(rules)
        return decided

    def _sift(self) -> Iterator[Decided]:
        """Addresses that are known from before, but that the patterns or the depth now leave out."""
        for known in list(self._frontier):
            if known.asked_in:
                self._traps.known(known.url, has_document=known.has_document)
        for url in self._frontier.waiting():
            if why := self._why_out(url, self._frontier[url].depth % FARTHEST, "", listed=False):
                self._frontier.drop(url)
                yield url, why

    async def _read_sitemaps(self, rules: Robots) -> list[Decided]:
        sitemaps = await read_sitemaps(self.hosts.get, [*self._named_sitemaps, *rules.sitemaps], self._scopes[0])
        self._warnings += sitemaps.warnings
        decided: list[Decided] = []
        for number, listed in enumerate(sitemaps.listed.values()):
            if not number % ADDRESSES_A_BREATH:
                await asyncio.sleep(0)
            decided += self._meet(listed.url, 1, listed=listed)
        return decided

    async def next(self) -> KnownAddress | None:
        """The best address that waits; waits itself while other workers may bring more. None at the end or the limit."""
        while self.asked < self._limits.max_pages:
            known = self._frontier.next()
            if known is not None:
                self._busy += 1
                self.asked += 1
                return known
            if not self._busy:
                return None
            self._turned.clear()
            await self._turned.wait()
        return None

    async def ask(self, known: KnownAddress) -> Page | NotModified | Decision:
        """Ask one address that `next` gave; a decision where there is nothing to read."""
        if why := await self.hosts.forbidden(known.url):
            return self._costs_nothing(why)
        try:
            answer = await self._followed(known)
        except FetchError as error:
            if error.kind is not Kind.NOT_TEXT:
                known.forget_content()  # whatever comes back is read anew
            return Decision(error.kind, detail=error.reason)
        return self._costs_nothing(answer) if isinstance(answer, Decision) else answer

    def _costs_nothing(self, decision: Decision) -> Decision:
        """No page was asked for, or what it costs is counted where it leads to."""
        self.asked -= 1
        return decision

    def finished(
        self, known: KnownAddress, links: Iterable[str] = (), words: Bag | None = None, *, judged: bool = False
    ) -> list[Decided]:
        """The address was decided on: what is decided on its links. `judged`: it was a page, `words` if it was taken in."""
        decided: list[Decided] = []
        if judged:
            self._traps.judged(known.url, words)
            if not self._one_page:
                decided = self._offer(links, known.depth + 1, known.url)
        self._frontier.finished(known)
        return decided

    def turn_over(self) -> None:
        """A worker's address is done, however it ended: those that wait for more may look again."""
        self._busy -= 1
        self._turned.set()

    def rest(self) -> list[Decided]:
        """What is left waiting at the limit of pages."""
        beyond = Decision(Kind.BEYOND_LIMIT, detail=str(self._limits.max_pages))
        return [(url, beyond) for url in self._frontier.waiting()]

    @property
    def warnings(self) -> list[str]:
        """What was wrong with sitemaps, and which hosts were left alone, as sentences for the report."""
        return [*self._warnings, *self.hosts.stopped()]

    @property
    def complete(self) -> bool:
        """Whether nothing is left waiting and nothing was dropped."""
        return not len(self._frontier) and not self._frontier.dropped

    async def _followed(self, known: KnownAddress) -> Page | NotModified | Decision:
        """The page, or a decision where it leads. A move for good makes another address of it."""
        url = known.url
        for _ in range(MOST_REDIRECTS + 1):
            answer = await self.hosts.ask(url, known.etag, known.last_modified)
            if not isinstance(answer, Redirect):
                return answer
            try:
                target = normalised(answer.url)
            except ValueError:
                raise bad_redirect(url) from None
            if answer.url == url:
                raise _loop(url, "redirects to itself")
            if target != known.url and (led := await self._leads(known, target, for_good=answer.permanent)):
                return led
            url = answer.url
        raise _loop(known.url, f"redirects more than {MOST_REDIRECTS} times")

    async def _leads(self, known: KnownAddress, target: str, *, for_good: bool) -> Decision | None:
        """What a redirect means for its address; None when its target stands in for it."""
        if urlsplit(target).scheme not in ("http", "https"):
            raise FetchError(
                f"redirects to {target}: only http and https are fetched",
                about=known.url,
                kind=Kind.BAD_ADDRESS,
                permanent=True,
            )
        if known.url == self._start and is_successor(target, self._start):
            self._scopes.append(scope_of(target))
        if why := self._why_outside(target):
            return _moved(target, why)
        if forbidden := await self.hosts.forbidden(target):
            return _moved(target, forbidden)
        if not for_good and target not in self._frontier:
            return None
        if known.hops >= MOST_REDIRECTS:
            return Decision(Kind.MOVED_TOO_OFTEN, detail=str(MOST_REDIRECTS))
        self._frontier.offer(target, known.depth, hops=known.hops + 1)
        return Decision(Kind.MOVED, target)

    def _why_outside(self, url: str) -> Decision | None:
        why = None
        for scope in self._scopes:
            why = why_outside(url, scope, self._limits.include, self._limits.exclude)
            if why is None:
                return None
        return why

    def _offer(self, links: Iterable[str], depth: int, referrer: str = "") -> list[Decided]:
        return [decided for link in links for decided in self._meet(link, depth, referrer)]

    def _meet(self, link: str, depth: int, referrer: str = "", *, listed: Listed | None = None) -> Iterator[Decided]:
        """Put an address on the frontier; yields what keeps it out, where that is worth telling."""
        if len(link) > 2 * MOST_ADDRESS_CHARACTERS:
            return
        try:
            url, parts = normalised(link), urlsplit(link)
        except ValueError:
            return
        if parts.username or parts.password:
            shown = f"{parts.scheme}://…@{parts.netloc.rpartition('@')[2]}{parts.path}"
            yield shown, Decision(Kind.CREDENTIALS)
        elif (why := self._why_out(url, depth, referrer, listed=listed is not None)) is None:
            if listed is None:
                self._frontier.offer(url, min(depth, FARTHEST))
            else:
                priority = 0.5 if listed.priority is None else listed.priority  # the protocol's default
                self._frontier.offer(url, min(depth, FARTHEST), priority=priority, lastmod=listed.lastmod)
        elif self._frontier.refuse(url, remember=why.kind not in NOT_REMEMBERED) and why.kind is not Kind.OTHER_SITE:
            yield url, why

    def _why_out(self, url: str, depth: int, referrer: str, *, listed: bool) -> Decision | None:
        if why := self._why_outside(url):
            return why
        if self._limits.max_depth and depth > self._limits.max_depth and not listed:
            return Decision(Kind.TOO_DEEP, detail=str(self._limits.max_depth))
        if listed or url in self._frontier:
            return None
        return self._traps.why(url, referrer)


def _moved(target: str, why: Decision) -> Decision:
    """A redirect that isn't followed, and why."""
    return Decision(Kind.MOVED, target, why.in_words)


def _loop(url: str, reason: str) -> FetchError:
    return FetchError(reason, about=url, kind=Kind.REDIRECT_LOOP, permanent=True)
