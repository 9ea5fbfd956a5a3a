"""A server on loopback that goes on sending the same piece until the client has had enough; it counts what it sent."""

from __future__ import annotations

import asyncio
import contextlib

from aiohttp import web

from tests.standins.server import StandIn


class Endless(StandIn):
    """Answers every path with `start` and then with more of it; `pause` seconds between two pieces."""

    def __init__(self, start: bytes, *, kind: str, pause: float = 0.0) -> None:
        self.sent = 0
        self._start = start
        self._kind = kind
        self._pause = pause
        super().__init__(web.get("/{path:.*}", self._answer))

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"{super().url}/"

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": self._kind})
        await response.prepare(request)
        piece = self._start
        with contextlib.suppress(ConnectionError):
            while self.sent < 10**9:
                await response.write(piece)
                self.sent += len(piece)
                piece = self._start * (1 if self._pause else 65536 // len(self._start) + 1)
                await asyncio.sleep(self._pause)
        return response
