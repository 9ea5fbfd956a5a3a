"""Sitemaps: which pages a site names itself, with their priority and the day of their last change.

A sitemap is a hint and comes from a stranger: read as a stream without entities, bounded in size, number and nesting;
what was read before a limit or a fault counts, and the fault is a warning.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import urljoin
from xml.parsers import expat

from retrieval.crawl.sniff import MOST_FILE_BYTES
from retrieval.crawl.unpack import GZIP_MAGIC, gunzipped
from retrieval.document import Page
from retrieval.errors import FetchError

USUAL_PATHS = ("/sitemap.xml", "/sitemap_index.xml", "/sitemap-index.xml")
MOST_ADDRESSES = 50_000
"""Of one file, by the protocol."""
MOST_FIELD_CHARACTERS = 4096
"""Of one field; more is no address. MOST_SITEMAPS, MOST_NESTED_INDEXES and this one were chosen by hand."""
MOST_SITEMAPS = 100
MOST_NESTED_INDEXES = 5
"""Indexes inside indexes; the protocol knows one."""
ROOT_ELEMENTS = ("urlset", "sitemapindex")

Get = Callable[[str], Awaitable[Page]]
"""Fetches an address; of what is too large the start will do."""


@dataclass(frozen=True, slots=True)
class Listed:
    """An address with what the sitemap says of it; `priority` is None where it says nothing."""

    url: str
    priority: float | None = None
    lastmod: str = ""


@dataclass(slots=True)
class Sitemaps:
    """Everything that a site's sitemaps list, and what was wrong with them."""

    listed: dict[str, Listed] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Parsed:
    """One file: what it is, what it names, and why it was not read to its end."""

    root: str = ""
    listed: list[Listed] = field(default_factory=list)
    fault: str = ""


async def read_sitemaps(get: Get, named: list[str], scope: str) -> Sitemaps:
    """What the sitemaps of a site list: `named` by robots.txt or the owner, and those at the usual places."""
    usual = [urljoin(scope, "sitemap.xml"), *(urljoin(scope, path) for path in USUAL_PATHS)]
    waiting = deque((url, 0) for url in dict.fromkeys([*named, *usual]))
    found, seen = Sitemaps(), set[str]()
    while waiting:
        address, depth = waiting.popleft()
        if address in seen:
            continue
        if len(seen) == MOST_SITEMAPS:
            found.warnings.append(f"more than {MOST_SITEMAPS} sitemaps; the rest was not read")
            break
        seen.add(address)
        parsed = await _read(get, address, expected=address in named or depth > 0)
        if parsed.fault:
            found.warnings.append(f"{address}: {parsed.fault}")
        if parsed.root != "sitemapindex":
            found.listed |= {item.url: item for item in parsed.listed}
        elif depth == MOST_NESTED_INDEXES:
            found.warnings.append(f"{address}: sitemaps nested more than {MOST_NESTED_INDEXES} deep were not read")
        else:
            waiting += [(item.url, depth + 1) for item in parsed.listed]
    return found


async def _read(get: Get, address: str, *, expected: bool) -> Parsed:
    """One sitemap. What isn't one is a fault only where one was announced: the usual places are guesses."""
    try:
        page = await get(address)
    except FetchError as error:
        return Parsed(fault=error.reason if expected else "")
    parsed = await asyncio.to_thread(parse, page.url, page.content)
    if page.cut and not parsed.fault:
        parsed.fault = page.cut
    if not parsed.root and not expected:
        return Parsed()
    return parsed


def parse(base: str, body: bytes, most: int = MOST_ADDRESSES) -> Parsed:
    """A sitemap's addresses, `most` of them, from XML or from text with one address a line, packed or not."""
    fault = ""
    if body.startswith(GZIP_MAGIC):  # whatever its name says
        body, fault = gunzipped(base, body, MOST_FILE_BYTES)
    if not body.lstrip(b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n").startswith(b"<"):
        return _lines(body, fault, most)
    reader = _SitemapReader(base, most)
    reader.read(body)
    if fault:  # it is why the XML breaks off too
        reader.parsed.fault = fault
    elif not reader.parsed.root:
        reader.parsed.fault = reader.parsed.fault or "is no sitemap"
    return reader.parsed


def _lines(body: bytes, fault: str, most: int) -> Parsed:
    lines = body.decode("utf-8-sig", errors="replace").split()
    urls = [line for line in lines[: most + 1] if line.startswith(("http://", "https://"))]
    if not urls:
        return Parsed(fault=fault or "is no sitemap")
    if len(urls) > most:
        fault = fault or f"lists more than {most} addresses; the rest was not read"
    return Parsed("urlset", [Listed(url) for url in urls[:most]], fault)


class _Enough(Exception):
    """Stops the parser."""


class _SitemapReader:
    """expat's handlers: a stack is not needed, the last opened element of interest is."""

    def __init__(self, base: str, most: int) -> None:
        self.parsed = Parsed()
        self._most = most
        self._base = base
        self._field = ""
        self._texts: dict[str, str] = {}

    def read(self, body: bytes) -> None:
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.EntityDeclHandler = self._entity
        parser.ExternalEntityRefHandler = lambda *names: 0
        try:
            parser.Parse(body, True)
        except expat.ExpatError as error:
            if self.parsed.root:
                self.parsed.fault = f"breaks off in line {error.lineno}; what stands before it counts"
        except _Enough as error:
            self.parsed.fault = str(error)

    def _start(self, name: str, _: dict[str, str]) -> None:
        name = name.rpartition(" ")[2].lower()
        if not self.parsed.root:
            if name not in ROOT_ELEMENTS:
                raise _Enough("is no sitemap")
            self.parsed.root = name
        elif name in ("url", "sitemap"):
            self._texts = {}
        self._field = name if name in ("loc", "priority", "lastmod") and not self._texts.get(name) else ""

    def _text(self, text: str) -> None:
        if self._field and len(self._texts.get(self._field, "")) < MOST_FIELD_CHARACTERS:
            self._texts[self._field] = self._texts.get(self._field, "") + text

    def _end(self, name: str) -> None:
        self._field = ""
        if name.rpartition(" ")[2].lower() not in ("url", "sitemap"):
            return
        texts = {key: text.strip() for key, text in self._texts.items()}
        self._texts = {}
        if not (url := _joined(self._base, texts.get("loc", ""))):
            return
        if len(self.parsed.listed) == self._most:
            raise _Enough(f"lists more than {self._most} addresses; the rest was not read")
        self.parsed.listed.append(Listed(url, _priority(texts.get("priority", "")), texts.get("lastmod", "")[:32]))

    def _entity(self, *_: object) -> None:
        raise _Enough("declares entities, which a sitemap doesn't need; not read")


def _priority(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return min(max(value, 0.0), 1.0) if value == value else None


def _joined(base: str, location: str) -> str:
    try:
        return urljoin(base, location) if location else ""
    except ValueError:
        return ""
