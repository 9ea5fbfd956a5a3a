"""What every stand-in is: an HTTP server on a free port of the loopback, open for as long as it is entered."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from aiohttp import web
from aiohttp.test_utils import TestServer


class StandIn:
    """A server of some routes."""

    def __init__(self, *routes: web.RouteDef) -> None:
        application = web.Application()
        application.add_routes(routes)
        self._server = TestServer(application)
        self._port = 0

    async def __aenter__(self) -> Self:
        await self._server.start_server()
        self._port = self._server.port or 0
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
        await self._server.close()

    def end(self) -> None:
        """Let go of whoever waits; a subclass that keeps somebody waiting says how."""

    @property
    def port(self) -> int:
        """Where it listens, also after it was left."""
        return self._port

    @property
    def url(self) -> str:
        """Its address, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"
