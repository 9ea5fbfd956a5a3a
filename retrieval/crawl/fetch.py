"""Fetching one address: bounded in time, size and redirects, conditional, and only from where a source may reach.

`step` is one request; `get` follows redirects too. Every hop goes through the guard, and the body is told by its first
bytes before the rest of it is read.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urljoin

import aiohttp
from aiohttp.abc import AbstractResolver

from retrieval.address import same_host
from retrieval.crawl import sniff
from retrieval.crawl.guard import Resolver, bad_address, check, public_socket
from retrieval.crawl.unpack import ACCEPTED_ENCODINGS, Unpacker, too_large
from retrieval.decision import Kind
from retrieval.document import Page
from retrieval.errors import FetchError, NotAPageError

USER_AGENT = "FrontdeskBot/0.1 (+https://github.com/frontdesk/frontdesk; reads a site for its own help desk)"
MOST_REDIRECTS = 5
READ_SECONDS = 30.0
"""Between two pieces of a body."""
REQUEST_SECONDS = 60.0
"""For one request in all. Both chosen by hand: a slow shop answers within ten."""
MOVED_STATUSES = (301, 308)
REDIRECT_STATUSES = (*MOVED_STATUSES, 302, 303, 307)
GONE_STATUSES = (404, 410)
CONDITION_HEADERS = {"If-None-Match", "If-Modified-Since"}


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirect: where to, and whether for good."""

    url: str
    permanent: bool


@dataclass(frozen=True, slots=True)
class NotModified:
    """The page hasn't changed; its X-Robots-Tag may have."""

    robots: str = ""


@dataclass(frozen=True, slots=True)
class RelayedAnswer:
    """An answer as a browser gets it."""

    status: int
    content_type: str
    content: bytes


Answer = Page | Redirect | NotModified


class Fetcher:
    """A client for the pages of one source."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        *,
        allow_private: bool,
        seconds: float = REQUEST_SECONDS,
        headers: Mapping[str, str] | None = None,
        own: str = "",
    ) -> None:
        self._session = session
        self._headers = dict(headers or {})
        self._own = own
        self._allow_private = allow_private
        self._seconds = seconds

    @classmethod
    @asynccontextmanager
    async def opened(
        cls,
        *,
        allow_private: bool = False,
        headers: Mapping[str, str] | None = None,
        own: str = "",
        resolver: AbstractResolver | None = None,
        seconds: float = REQUEST_SECONDS,
    ) -> AsyncIterator[Fetcher]:
        """A fetcher with a connection pool of its own; `seconds` is the most that one request may take in all.

        `headers` may hold a key to the site of the address `own`: they are sent to that host alone (empty: to all).
        """
        connector = (
            aiohttp.TCPConnector(limit=16, resolver=resolver)
            if allow_private
            else aiohttp.TCPConnector(limit=16, resolver=Resolver(resolver), socket_factory=public_socket)
        )
        names = {
            "User-Agent": USER_AGENT,
            "Accept": "text/html,application/pdf;q=0.9,*/*;q=0.8",
            "Accept-Encoding": ACCEPTED_ENCODINGS,
        }
        async with aiohttp.ClientSession(
            connector=connector,
            timeout=aiohttp.ClientTimeout(total=None, connect=10, sock_read=READ_SECONDS),
            headers=names,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,  # unpacked here, where it is bounded
            trust_env=False,
        ) as session:
            yield cls(session, allow_private=allow_private, seconds=seconds, headers=headers, own=own)

    async def get(self, url: str, *, partial: bool = False, redirects: int = MOST_REDIRECTS) -> Page:
        """The page at the end of all redirects; raises FetchError.

        `partial`: of a body that is too large or breaks off, the start will do; `Page.cut` says why it ends there.
        """
        asked = url
        for _ in range(redirects + 1):
            answer = await self.step(url, partial=partial)
            if isinstance(answer, Page):
                return answer
            assert isinstance(answer, Redirect), "nothing was asked conditionally"
            url = answer.url
        raise _loop(asked, redirects)

    async def step(self, url: str, *, etag: str = "", last_modified: str = "", partial: bool = False) -> Answer:
        """One request: the page, where it moved, or that it hasn't changed since; raises FetchError."""
        check(url, allow_private=self._allow_private)
        conditions = {"If-None-Match": etag, "If-Modified-Since": last_modified}
        headers = {**self._keys(url), **{name: value for name, value in conditions.items() if value}}
        async with self._bounded(url):
            return await self._asked(url, headers, partial=partial)

    async def relay(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> RelayedAnswer:
        """Any request, for a browser that must not connect by itself; redirects are followed. Raises FetchError."""
        for _ in range(MOST_REDIRECTS + 1):
            check(url, allow_private=self._allow_private)
            async with self._bounded(url):
                names = {**headers, **self._keys(url)}
                async with self._session.request(
                    method, url, headers=names, data=body, allow_redirects=False
                ) as response:
                    if response.status in REDIRECT_STATUSES and "Location" in response.headers:
                        url, method, body = _joined(url, response.headers["Location"]), "GET", None
                        continue
                    encoding = response.headers.get("Content-Encoding", "")
                    unpacker = Unpacker(url, encoding, sniff.MOST_TEXT_BYTES)
                    content = b"".join([unpacker.feed(piece) async for piece in response.content.iter_any()])
                    return RelayedAnswer(response.status, response.headers.get("Content-Type", ""), content)
        raise _loop(url, MOST_REDIRECTS)

    @asynccontextmanager
    async def _bounded(self, url: str) -> AsyncIterator[None]:
        """A request's time, and what can go wrong with it as a FetchError."""
        try:
            async with asyncio.timeout(self._seconds):
                yield
        except TimeoutError as error:
            raise FetchError(
                f"gave no whole answer within {self._seconds:.0f} seconds", about=url, kind=Kind.TOO_SLOW
            ) from error
        except (
            aiohttp.InvalidURL,
            ValueError,
        ) as error:  # a host name that can't be encoded, a header that can't be read
            raise bad_address(url) from error
        except (aiohttp.ClientError, OSError) as error:
            if isinstance(error.__cause__, FetchError):
                raise error.__cause__ from None
            raise FetchError(f"can't be reached ({type(error).__name__})", about=url) from error

    def _keys(self, url: str) -> dict[str, str]:
        return self._headers if not self._own or same_host(url, self._own) else {}

    async def _asked(self, url: str, headers: dict[str, str], *, partial: bool) -> Answer:
        async with self._session.get(url, headers=headers, allow_redirects=False) as response:
            if response.status in REDIRECT_STATUSES and "Location" in response.headers:
                return Redirect(_joined(url, response.headers["Location"]), response.status in MOVED_STATUSES)
            if response.status == 304 and CONDITION_HEADERS & headers.keys():
                return NotModified(_robots(response))
            if response.status != 200:
                raise _refusal(url, response)
            return await _page(url, response, partial=partial)


def _robots(response: aiohttp.ClientResponse) -> str:
    return _plain(", ".join(response.headers.getall("X-Robots-Tag", ())))


def _plain(header: str) -> str:
    """A header as text that can be stored: bytes that are no UTF-8 come as halves of letters."""
    return header.encode("utf-8", "replace").decode()


def _mark(header: str) -> str:
    """A mark to ask conditionally with; one that can't be sent back as it came is none."""
    return header if header.isascii() else ""


def _joined(url: str, location: str) -> str:
    try:
        return urljoin(url, location.strip())
    except ValueError:
        raise bad_redirect(url) from None


def _refusal(url: str, response: aiohttp.ClientResponse) -> FetchError:
    status = response.status
    return FetchError(
        f"the server answered {status}",
        about=url,
        kind=Kind.NOT_FOUND if status in GONE_STATUSES else Kind.HTTP_ERROR,
        permanent=status in (400, 401, 403, 404, 405, 406, 410, 451),
        retry_after=seconds_until(response.headers.get("Retry-After", "")),
        status=status,
    )


def seconds_until(retry_after: str) -> float | None:
    """What a Retry-After header asks for, given in seconds or as a date; None when it says neither."""
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max((when - datetime.now(UTC)).total_seconds(), 0.0)


def bad_redirect(url: str) -> FetchError:
    """The error for a page that redirects to what is no address."""
    return FetchError("redirects to an address that can't be read", about=url, kind=Kind.BAD_ADDRESS, permanent=True)


def _loop(url: str, redirects: int) -> FetchError:
    return FetchError(f"redirects more than {redirects} times", about=url, kind=Kind.REDIRECT_LOOP, permanent=True)


async def _page(url: str, response: aiohttp.ClientResponse, *, partial: bool) -> Page:
    kind = _plain(response.headers.get("Content-Type", ""))
    body = bytearray()
    cut = ""
    try:
        await _read(url, response, kind, body)
    except FetchError as error:
        if not partial or isinstance(error, NotAPageError):
            raise
        cut = error.reason
    return Page(
        url=url,
        content=bytes(body),
        content_type=kind,
        etag=_mark(response.headers.get("ETag", "")),
        last_modified=_mark(response.headers.get("Last-Modified", "")),
        robots=_robots(response),
        cut=cut,
    )


async def _read(url: str, response: aiohttp.ClientResponse, kind: str, body: bytearray) -> None:
    unpacker = Unpacker(url, response.headers.get("Content-Encoding", ""), sniff.MOST_FILE_BYTES)
    judged = False
    async for piece in response.content.iter_any():
        body += unpacker.feed(piece)
        if not judged and len(body) >= sniff.HEAD_BYTES:
            unpacker.most = _judge(url, kind, body)
            judged = True
            if max(response.content_length or 0, len(body)) > unpacker.most:
                raise too_large(url, unpacker.most)
    if not judged:
        _judge(url, kind, body)


def _judge(url: str, kind: str, body: bytearray) -> int:
    """How large the body may be, told from its start; raises NotAPageError when it is nothing to read."""
    head = bytes(body[: sniff.HEAD_BYTES])
    if why := sniff.refusal(kind, head):
        raise NotAPageError(f"{why} ({kind})" if kind else why, about=url)
    return sniff.most_bytes(kind, head)
