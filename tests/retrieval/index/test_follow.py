"""When what another process wrote is read: with a clock of the tests' own."""

from __future__ import annotations

import asyncio

from retrieval.db import Database
from retrieval.embed.embedder import Embedder
from retrieval.index.follow import FollowTimes, GenerationWatch
from retrieval.index.index import Index
from tests.retrieval.hashing import HashingEmbedder
from tests.retrieval.index.entries import entry

AT_ONCE = FollowTimes(between_looks=0.0, quiet=0.0)


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


async def two_processes(db: Database, times: FollowTimes = AT_ONCE, clock: Clock | None = None) -> tuple[Index, Index]:
    """One that runs and one that adds pages, over the same database."""
    running = Index(db, HashingEmbedder(), follow_times=times, clock=clock or Clock())
    adding = Index(db, HashingEmbedder())
    await running.load()
    await adding.load()
    return running, adding


async def test_what_another_process_wrote_is_found(db: Database) -> None:
    running, adding = await two_processes(db)
    await adding.replace(entry("u", "Kayaks."))
    assert await running.follow()
    assert len(running) == len(running.semantic_leg) == 1
    assert not await running.follow()


async def test_its_own_changes_are_nothing_to_read_again(db: Database) -> None:
    index, _ = await two_processes(db)
    document_id = await index.replace(entry("u", "Kayaks."))
    assert not await index.follow()
    await index.remove(document_id)
    assert not await index.follow()


async def test_its_own_change_does_not_hide_another_ones(db: Database) -> None:
    running, adding = await two_processes(db)
    await adding.replace(entry("u", "Kayaks."))
    await running.replace(entry("v", "Tides."))
    assert await running.follow()
    assert len(running.semantic_leg) == 2


async def test_the_database_is_looked_at_once_a_second_at_most(db: Database) -> None:
    clock = Clock()
    running, adding = await two_processes(db, FollowTimes(quiet=0.0), clock)
    assert not await running.follow()
    await adding.replace(entry("u", "Kayaks."))
    clock.seconds += 0.9
    assert not await running.follow()
    clock.seconds += 0.1
    assert await running.follow()


async def test_a_change_is_read_only_once_the_other_process_is_done(db: Database) -> None:
    clock = Clock()
    running, adding = await two_processes(db, clock=clock, times=FollowTimes())
    await adding.replace(entry("u", "Kayaks."))
    assert not await running.follow()
    clock.seconds += 2.0
    await adding.replace(entry("v", "Tides."))
    assert not await running.follow()
    clock.seconds += 2.9
    assert not await running.follow()
    clock.seconds += 1.0
    assert await running.follow()
    assert len(running) == 2


async def test_patience_begins_when_a_change_is_noticed_not_when_the_index_was_read(db: Database) -> None:
    clock = Clock()
    running, adding = await two_processes(db, FollowTimes(between_looks=0.0), clock)
    clock.seconds += 3600.0
    read = []
    for at in range(70):  # another process writes a page a second
        await adding.replace(entry(f"u{at}", "Kayaks."))
        clock.seconds += 1.0
        read.append(await running.follow())
    assert read.index(True) == 60
    assert sum(read) == 1
    clock.seconds += 1.0
    assert not await running.follow()
    clock.seconds += 3.0
    assert await running.follow(), "the other process is done"
    assert len(running) == 70


async def test_a_reading_that_was_broken_off_is_done_again(db: Database) -> None:
    begun = asyncio.Event()

    async def never_there(_: str) -> Embedder | None:
        if begun.is_set():
            return None
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    adding = Index(db, HashingEmbedder("old"))
    await adding.load()
    running = Index(db, HashingEmbedder("new"), never_there, follow_times=AT_ONCE)
    await running.load()
    await adding.replace(entry("u", "Kayaks."))
    reading = asyncio.create_task(running.follow())
    await begun.wait()
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    assert await running.follow()
    assert len(running) == 1


def test_changes_of_others_are_told_from_ones_own() -> None:
    watch = GenerationWatch(AT_ONCE, Clock())
    watch.was_read(7)
    assert watch.changes_of_others(raised_to=8) == 0
    watch.count_own_change(0)
    assert not watch.is_due(8)
    assert watch.changes_of_others(raised_to=11) == 2
    watch.count_own_change(2)
    assert watch.is_due(11), "theirs aren't in memory yet"
