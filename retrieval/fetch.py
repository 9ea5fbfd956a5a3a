"""Fetching one address: bounded, conditional, and only from addresses that a source may reach.

The address is checked where it is really connected to (after name resolution, at every redirect), so that a name that
changes its mind between check and use gains nothing.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urljoin, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from retrieval.address import is_public
from retrieval.document import Page
from retrieval.errors import FetchError

USER_AGENT = "FrontdeskBot/0.1 (+https://github.com/frontdesk/frontdesk; reads a site for its own help desk)"
MOST_BYTES = 20 * 1024 * 1024
MOST_REDIRECTS = 5
SECONDS = 30.0
REDIRECTS = (301, 302, 303, 307, 308)


class _Guarded(AbstractResolver):
    """Resolves names and refuses those that lead into a private network."""

    def __init__(self) -> None:
        self._inner = ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._inner.resolve(host, port, family)
        allowed = [item for item in found if is_public(item["host"])]
        if not allowed:
            raise FetchError(
                f"{host}: leads into a private network; set allow_private = true for a site of your own",
                permanent=True,
            )
        return allowed

    async def close(self) -> None:
        await self._inner.close()


class Fetcher:
    """A client for the pages of one source."""

    def __init__(self, session: aiohttp.ClientSession, *, allow_private: bool) -> None:
        self._session = session
        self._allow_private = allow_private

    @classmethod
    @asynccontextmanager
    async def opened(
        cls, *, allow_private: bool = False, headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[Fetcher]:
        """A fetcher with a connection pool of its own."""
        connector = aiohttp.TCPConnector(resolver=None if allow_private else _Guarded(), limit=16)
        timeout = aiohttp.ClientTimeout(total=SECONDS, connect=10)
        names = {
            "User-Agent": USER_AGENT,
            "Accept": "text/html,application/pdf;q=0.9,*/*;q=0.8",
            **(headers or {}),
        }
        async with aiohttp.ClientSession(
            connector=connector,
            timeout=timeout,
            headers=names,
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,
        ) as session:
            yield cls(session, allow_private=allow_private)

    async def get(self, url: str, *, etag: str = "", last_modified: str = "") -> Page | None:
        """The page, or None when it hasn't changed since `etag` or `last_modified`; raises FetchError."""
        conditions = {"If-None-Match": etag, "If-Modified-Since": last_modified if not etag else ""}
        headers = {name: value for name, value in conditions.items() if value}
        for _ in range(MOST_REDIRECTS + 1):
            answer = await self._once(url, headers)
            if isinstance(answer, str):
                url = answer
                continue
            return answer
        raise FetchError(f"{url}: redirects more than {MOST_REDIRECTS} times", permanent=True)

    async def _once(self, url: str, headers: dict[str, str]) -> Page | str | None:
        try:
            self._check(url)
            async with self._session.get(url, headers=headers, allow_redirects=False) as response:
                if response.status in REDIRECTS and "Location" in response.headers:
                    return _joined(url, response.headers["Location"])
                if response.status == 304:
                    return None
                if response.status != 200:
                    raise _refusal(url, response)
                return await _page(url, response)
        except TimeoutError as error:
            raise FetchError(f"{url}: gave no answer within {SECONDS:.0f} seconds") from error
        except ValueError as error:  # a host name that can't be encoded, a header that can't be read
            raise FetchError(f"{url}: can't be read as an address", permanent=True) from error
        except aiohttp.ClientError as error:
            if isinstance(error.__cause__, FetchError):
                raise error.__cause__ from None
            raise FetchError(f"{url}: can't be reached ({type(error).__name__})") from error

    def _check(self, url: str) -> None:
        try:
            parts = urlsplit(url)
        except ValueError:
            raise FetchError(f"{url}: can't be read as an address", permanent=True) from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise FetchError(f"{url}: only http and https addresses are fetched", permanent=True)
        literal = parts.hostname.replace(".", "").isdigit() or ":" in parts.hostname
        if literal and not self._allow_private and not is_public(parts.hostname):
            raise FetchError(
                f"{url}: is a private address; set allow_private = true for a site of your own",
                permanent=True,
            )


def _joined(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        raise FetchError(f"{url}: redirects to an address that can't be read", permanent=True) from None


def _refusal(url: str, response: aiohttp.ClientResponse) -> FetchError:
    seconds = response.headers.get("Retry-After", "")
    return FetchError(
        f"{url}: the server answered {response.status}",
        permanent=response.status in (401, 403, 404, 410, 451),
        retry_after=float(seconds) if seconds.isdigit() else None,
        status=response.status,
    )


async def _page(url: str, response: aiohttp.ClientResponse) -> Page:
    body = bytearray()
    async for piece in response.content.iter_chunked(65536):
        body += piece
        if len(body) > MOST_BYTES:
            raise FetchError(f"{url}: is larger than {MOST_BYTES // 1024 // 1024} MiB", permanent=True)
        await asyncio.sleep(0)
    return Page(
        url=url,
        content=bytes(body),
        content_type=response.headers.get("Content-Type", ""),
        etag=response.headers.get("ETag", ""),
        last_modified=response.headers.get("Last-Modified", ""),
    )
