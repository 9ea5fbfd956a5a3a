"""robots.txt by RFC 9309: what a host lets be fetched, how slowly, and the sitemaps that it names."""

from __future__ import annotations

import asyncio
from urllib.parse import urljoin, urlsplit

from protego import Protego

from retrieval.crawl.fetch import Fetcher
from retrieval.errors import FetchError

AGENT = "FrontdeskBot"
MOST_ROBOTS_BYTES = 512 * 1024
"""The rest of a longer file isn't read: the RFC asks for 500 KiB, and a parser takes seconds for more."""
LONGEST_CRAWL_DELAY_SECONDS = 30.0
"""That is honoured of a Crawl-delay; some files ask for an hour. Chosen by hand."""
ROBOTS_TRIES = 2
"""Of one robots.txt: a host in trouble is asked twice before it counts as forbidding everything."""


class Robots:
    """One host's rules. Unreachable robots.txt (5xx, no answer) forbids everything, a missing one (4xx) nothing."""

    def __init__(self, text: str | None, why: str = "", base: str = "") -> None:
        self._rules = Protego.parse("User-agent: *\nDisallow: /" if text is None else text.lstrip("\ufeff"))
        self._base = base
        self.unreachable = text is None
        self.why = why

    def allows(self, url: str) -> bool:
        """Whether the address may be fetched."""
        return bool(self._rules.can_fetch(url, AGENT))

    @property
    def delay(self) -> float:
        """Seconds that the host wants between two requests; at most 30 are honoured."""
        return min(float(self._rules.crawl_delay(AGENT) or 0), LONGEST_CRAWL_DELAY_SECONDS)

    @property
    def sitemaps(self) -> list[str]:
        """The sitemaps that the file names, also where it names them by path alone."""
        return [joined for url in self._rules.sitemaps if (joined := _joined(self._base, str(url)))]


def _joined(base: str, location: str) -> str:
    try:
        return urljoin(base, location)
    except ValueError:
        return ""


async def read_robots(fetcher: Fetcher, url: str) -> Robots:
    """The rules of the host of an address; a host in trouble is asked twice."""
    parts = urlsplit(url)
    address = f"{parts.scheme}://{parts.netloc}/robots.txt"
    for attempt in range(1, ROBOTS_TRIES + 1):
        try:
            page = await fetcher.get(address, partial=True)
            text = page.content[:MOST_ROBOTS_BYTES].decode("utf-8-sig", errors="replace")
            return await asyncio.to_thread(Robots, text, "", address)
        except FetchError as error:
            if 400 <= error.status < 500 and error.status != 429:
                return Robots("", error.reason, address)
            if attempt == ROBOTS_TRIES or error.permanent:
                return Robots(None, error.reason, address)
            await asyncio.sleep(min(error.retry_after or 0.3, 10.0))
    raise AssertionError("unreachable")
