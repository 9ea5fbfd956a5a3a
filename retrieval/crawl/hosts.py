"""The hosts of a crawl: each with its robots.txt and its pace; every request of the crawl goes through here."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from retrieval.crawl.fetch import Answer, Fetcher, RelayedAnswer
from retrieval.crawl.pace import BUSY_STATUSES, Pace
from retrieval.crawl.robots import Robots, read_robots
from retrieval.decision import Decision, Kind
from retrieval.document import Page
from retrieval.errors import FetchError

MOST_TRIES = 3
"""Of one address, the first included. Chosen by hand."""
FIRST_PAUSE_SECONDS = 0.5
"""Before the second try; three times as long before each further one. Chosen by hand."""


class Hosts:
    """Asks politely. `delay`: seconds between two requests to a host at least; its Crawl-delay may ask for more."""

    def __init__(self, fetcher: Fetcher, *, respect_robots: bool, delay: float, concurrency: int) -> None:
        self._fetcher = fetcher
        self._respect_robots = respect_robots
        self._delay = delay
        self._concurrency = concurrency
        self._robots: dict[str, Robots] = {}
        self._paces: dict[str, Pace] = {}
        self._one_rule = asyncio.Lock()

    async def rules(self, url: str) -> Robots:
        """The robots.txt of the address's host, read once."""
        host = urlsplit(url).netloc
        async with self._one_rule:
            if host not in self._robots:
                self._robots[host] = await read_robots(self._fetcher, url)
        return self._robots[host]

    async def forbidden(self, url: str) -> Decision | None:
        """The decision if the address must not be asked: its robots.txt, or its host is left alone."""
        robots = await self.rules(url)
        if stopped := self._pace(url).stopped:
            return Decision(Kind.HOST_STOPPED, detail=stopped)
        if not self._respect_robots or robots.allows(url):
            return None
        if robots.unreachable:
            return Decision(Kind.ROBOTS_UNREADABLE, detail=robots.why)
        return Decision(Kind.ROBOTS)

    async def ask(self, url: str, etag: str = "", last_modified: str = "") -> Answer:
        """One request in the host's turn, tried again when that may help; raises FetchError."""
        pace = self._pace(url)
        for attempt in range(1, MOST_TRIES + 1):
            try:
                async with pace.turn():
                    answer = await self._fetcher.step(url, etag=etag, last_modified=last_modified)
            except FetchError as error:
                if not _is_worth_a_try(error, pace, last=attempt == MOST_TRIES):
                    raise
                await asyncio.sleep(
                    0.0 if error.status in BUSY_STATUSES else FIRST_PAUSE_SECONDS * 3.0 ** (attempt - 1)
                )
            else:
                pace.answered()
                return answer
        raise AssertionError("unreachable")

    async def get(self, url: str) -> Page:
        """A sitemap, in the host's turn; of one that is too large the start."""
        await self.rules(url)  # a sitemap that is named may be fetched; the rules are for the host's pace
        async with self._pace(url).turn():
            return await self._fetcher.get(url, partial=True)

    async def relay(self, method: str, url: str, headers: dict[str, str], body: bytes | None) -> RelayedAnswer:
        """A request of a page that is rendered, in the host's turn; raises FetchError, also where it isn't allowed."""
        if why := await self.forbidden(url):
            raise FetchError(why.in_words, about=url, kind=why.kind, permanent=True)
        async with self._pace(url).turn():
            return await self._fetcher.relay(method, url, headers, body)

    def stopped(self) -> list[str]:
        """The hosts that are left alone, as words for the report."""
        return [f"{host} {pace.stopped}" for host, pace in self._paces.items() if pace.stopped]

    def _pace(self, url: str) -> Pace:
        host = urlsplit(url).netloc
        if host not in self._paces:
            robots = self._robots.get(host)
            delay = max(self._delay, robots.delay if robots and self._respect_robots else 0.0)
            self._paces[host] = Pace(delay, self._concurrency)
        return self._paces[host]


def _is_worth_a_try(error: FetchError, pace: Pace, *, last: bool) -> bool:
    """Tell the host's pace of an error; whether asking again may help."""
    if error.permanent:
        if error.status:
            pace.answered()
        return False
    if error.status in BUSY_STATUSES:
        pace.busy(error.status, error.retry_after)
    if last or pace.stopped:
        pace.failed()
        return False
    return True
