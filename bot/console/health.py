"""What a machine asks: alive, ready, and in numbers."""

from __future__ import annotations

import resource
from collections.abc import Sequence

from aiohttp import web

from bot.desk import transcripts
from bot.desk.metrics import Metrics
from retrieval.db import Database
from retrieval.errors import DatabaseError
from retrieval.knowledge import Knowledge


class Health:
    """/healthz, /readyz and /metrics of one bot."""

    def __init__(self, db: Database, knowledge: Knowledge, metrics: Metrics, channels: Sequence[str]) -> None:
        self._db = db
        self._knowledge = knowledge
        self._metrics = metrics
        self._channels = channels

    def routes(self) -> list[web.RouteDef]:
        """The three addresses, and no picture for the browser's tab."""
        return [
            web.get("/healthz", self._healthz),
            web.get("/readyz", self._readyz),
            web.get("/metrics", self._numbers),
            web.get("/favicon.ico", _nothing),
        ]

    async def _healthz(self, _: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})

    async def _readyz(self, _: web.Request) -> web.Response:
        problems = {}
        for name, database in (("conversations", self._db), ("knowledge", self._knowledge.db)):
            try:
                await database.read("SELECT 1")
            except DatabaseError as error:
                problems[name] = type(error).__name__
        if not len(self._knowledge.index):
            problems["index"] = "no document has been indexed yet"
        if not self._channels:
            problems["channels"] = "no channel is enabled"
        body = {"ready": not problems, "problems": problems, "channels": list(self._channels)}
        return web.json_response(body, status=503 if problems else 200)

    async def _numbers(self, _: web.Request) -> web.Response:
        gauges = {
            "chunks": float(len(self._knowledge.index)),
            "max_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0,
        }
        gauges |= {name: float(value) for name, value in (await transcripts.waiting(self._db)).items()}
        return web.Response(text=self._metrics.text(gauges), content_type="text/plain", charset="utf-8")


async def _nothing(_: web.Request) -> web.Response:
    return web.Response(status=204)
