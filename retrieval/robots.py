"""robots.txt by RFC 9309, and the sitemaps that a site announces."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from html import unescape
from urllib.parse import urljoin, urlsplit

from protego import Protego

from retrieval.errors import FetchError
from retrieval.fetch import MOST_BYTES, Fetcher

AGENT = "FrontdeskBot"
MOST_ROBOTS = 512 * 1024
MOST_SITEMAPS = 50
LOCATION = re.compile(r"<(?:\w+:)?loc>\s*(?:<!\[CDATA\[)?\s*(.*?)\s*(?:\]\]>)?\s*</(?:\w+:)?loc>", re.S | re.I)


class Robots:
    """One host's rules. Unreachable robots.txt (5xx) forbids everything, a missing one (4xx) nothing."""

    def __init__(self, text: str | None, why: str = "") -> None:
        self._rules = Protego.parse("User-agent: *\nDisallow: /" if text is None else text)
        self.unreachable = text is None
        self.why = why

    def allows(self, url: str) -> bool:
        """Whether the address may be fetched."""
        return bool(self._rules.can_fetch(url, AGENT))

    @property
    def delay(self) -> float:
        """Seconds that the host wants between two requests; at most 30 are honoured."""
        return min(float(self._rules.crawl_delay(AGENT) or 0), 30.0)

    @property
    def sitemaps(self) -> list[str]:
        """The sitemaps that the file names."""
        return [str(url) for url in self._rules.sitemaps]


async def read_robots(fetcher: Fetcher, url: str) -> Robots:
    """The rules of the host of an address."""
    parts = urlsplit(url)
    try:
        page = await fetcher.get(f"{parts.scheme}://{parts.netloc}/robots.txt")
    except FetchError as error:
        return Robots("" if 400 <= error.status < 500 else None, str(error))
    body = page.content[:MOST_ROBOTS] if page else b""
    return Robots(body.decode("utf-8-sig", errors="replace"))


async def read_sitemaps(fetcher: Fetcher, robots: Robots, scope: str) -> list[str]:
    """The addresses that a site's sitemaps list: those that robots.txt names, and the usual places."""
    waiting = list(dict.fromkeys([*robots.sitemaps, urljoin(scope, "sitemap.xml"), urljoin(scope, "/sitemap.xml")]))
    seen: set[str] = set()
    found: dict[str, None] = {}
    while waiting and len(seen) < MOST_SITEMAPS:
        address = waiting.pop(0)
        if address in seen:
            continue
        seen.add(address)
        text = await _sitemap(fetcher, address)
        locations = [joined for item in LOCATION.findall(text) if (joined := _joined(address, unescape(item)))]
        if "<sitemapindex" in text[:2000].lower():
            waiting += locations
        else:
            found.update(dict.fromkeys(locations))
    return list(found)


def _joined(base: str, location: str) -> str:
    try:
        return urljoin(base, location)
    except ValueError:
        return ""


async def _sitemap(fetcher: Fetcher, address: str) -> str:
    try:
        page = await fetcher.get(address)
    except FetchError:
        return ""
    if page is None:
        return ""
    return _unpacked(page.content).decode("utf-8", errors="replace")


def _unpacked(body: bytes) -> bytes:
    if not body.startswith(b"\x1f\x8b"):
        return body
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(body)) as packed:
            return packed.read(MOST_BYTES)
    except (OSError, EOFError, zlib.error):
        return b""
