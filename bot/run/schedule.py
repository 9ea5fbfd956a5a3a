"""What runs by the clock: each source is crawled again by its `every`, old conversations are erased by rule."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from time import perf_counter

from apscheduler.executors.asyncio import AsyncIOExecutor
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from bot.run.privacy import tidy_topics
from bot.run.sources import interval
from retrieval.db import Database, now
from retrieval.ingest.ingest import Source
from retrieval.ingest.journal import Report
from retrieval.knowledge import Knowledge

log = logging.getLogger(__name__)
PURGE_HOURS = 24


class Schedule:
    """The jobs of one bot; their last results are kept in the table `jobs`."""

    def __init__(self, db: Database, knowledge: Knowledge, sources: Sequence[Source], retention_days: int) -> None:
        self._db = db
        self._knowledge = knowledge
        self._sources = sources
        self._retention_days = retention_days
        self._one_at_a_time = asyncio.Lock()
        self._running: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the jobs until the block ends; a crawl that is under way is stopped, its pages are kept."""
        scheduler = AsyncIOScheduler(
            timezone=UTC,
            executors={"default": AsyncIOExecutor()},
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": 3600},
        )
        for source in self._sources:
            first = await self._next_crawl(source)
            scheduler.add_job(
                self._as_task, "interval", args=[f"crawl {source.place}", lambda s=source: self._crawl(s)],
                seconds=interval(source.every).total_seconds(), next_run_time=first, id=f"crawl {source.place}",
            )  # fmt: skip
        scheduler.add_job(
            self._as_task,
            "interval",
            args=["purge", self.purge],
            hours=PURGE_HOURS,
            next_run_time=datetime.now(UTC),
            id="purge",
        )
        scheduler.start()
        try:
            yield
        finally:
            scheduler.shutdown(wait=False)
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)

    async def _next_crawl(self, source: Source) -> datetime:
        """When a source is due: `every` after the last crawl that reached its end, at once when one was broken off."""
        broken_off = await self._knowledge.db.one(
            "SELECT 1 FROM crawls WHERE source_id = $1 AND outcome = 'running'", source.place
        )
        row = await self._knowledge.db.one("SELECT crawled_at FROM sources WHERE id = $1", source.place)
        if broken_off or row is None or row["crawled_at"] is None:
            return datetime.now(UTC)
        due = datetime.fromisoformat(row["crawled_at"]) + interval(source.every)
        return max(due, datetime.now(UTC) + timedelta(seconds=1))

    async def _as_task(self, name: str, work: Callable[[], Awaitable[str]]) -> None:
        task = asyncio.create_task(self._job(name, work))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        await asyncio.wait([task])

    async def _job(self, name: str, work: Callable[[], Awaitable[str]]) -> None:
        """Run a job and keep how it ended."""
        began = perf_counter()
        try:
            result, ok = await work(), True
        except Exception as error:
            log.exception("a job failed", extra={"job": name})
            result, ok = f"failed: {type(error).__name__}", False
        async with self._db.write() as tx:
            await tx.run(
                "INSERT INTO jobs VALUES ($1, $2, $3, $4, $5) ON CONFLICT (name) DO UPDATE SET ran_at = $2, took_ms = $3,"
                " ok = $4, result = $5",
                name,
                now(),
                (perf_counter() - began) * 1000,
                int(ok),
                result,
            )

    async def _crawl(self, source: Source) -> str:
        async with self._one_at_a_time:
            report = await self._knowledge.crawl(source)
            await self._knowledge.settle()
        level = logging.INFO if report.outcome == "complete" else logging.WARNING
        log.log(level, "a crawl ended: %s", summary(report), extra={"source": source.place, "outcome": report.outcome})
        return summary(report)

    async def purge(self) -> str:
        """Erase conversations whose last turn is older than the rule says."""
        if not self._retention_days:
            return "kept for ever (retention_days = 0)"
        border = (datetime.now(UTC) - timedelta(days=self._retention_days)).isoformat(timespec="milliseconds")
        async with self._db.write() as tx:
            rows = await tx.run(
                "DELETE FROM conversations WHERE id NOT IN (SELECT conversation_id FROM turns WHERE ended_at >= $1)"
                " AND created_at < $1 RETURNING id",
                border,
            )
            await tx.run("DELETE FROM inbox WHERE state <> 'waiting' AND received_at < $1", border)
            await tidy_topics(tx)
        return f"{len(rows)} conversations erased"


def summary(report: Report) -> str:
    """A crawl's report in one line."""
    counts = ", ".join(f"{count} {decision}" for decision, count in sorted(report.counts.items())) or "nothing found"
    note = f"; {report.note}" if report.note else ""
    return f"{report.outcome}: {counts}{note}"
