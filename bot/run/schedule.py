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

from bot.desk import jobs, personal
from bot.run.sources import interval, summary
from retrieval.db import Database
from retrieval.ingest.ingest import Source
from retrieval.ingest.journal import CrawlOutcome
from retrieval.knowledge import Knowledge

log = logging.getLogger(__name__)
PURGE_HOURS = 24
"""Between two looks for conversations that are too old."""


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
                self._as_task, "interval", args=[f"crawl {source.id}", lambda s=source: self._crawl(s)],
                seconds=interval(source.every).total_seconds(), next_run_time=first, id=f"crawl {source.id}",
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
        crawled_at = await self._knowledge.crawled_at(source.id)
        if crawled_at is None or await self._knowledge.was_broken_off(source.id):
            return datetime.now(UTC)
        due = datetime.fromisoformat(crawled_at) + interval(source.every)
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
        await jobs.record(self._db, name, (perf_counter() - began) * 1000, result, ok=ok)

    async def _crawl(self, source: Source) -> str:
        async with self._one_at_a_time:
            report = await self._knowledge.crawl(source)
            await self._knowledge.catch_up()
        level = logging.INFO if report.outcome is CrawlOutcome.COMPLETE else logging.WARNING
        log.log(level, "a crawl ended: %s", summary(report), extra={"source": source.id, "outcome": report.outcome})
        return summary(report)

    async def purge(self) -> str:
        """Erase conversations whose last turn is older than the rule says."""
        if not self._retention_days:
            return "kept for ever (retention_days = 0)"
        return f"{await personal.purge(self._db, self._retention_days)} conversations erased"
