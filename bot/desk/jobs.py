"""The table `jobs`: what ran by the clock, and how it ended last."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.db import Database, now


@dataclass(frozen=True, slots=True)
class JobRun:
    """A job's last run: when it began, how long it took, and its result as a sentence."""

    name: str
    ran_at: str
    took_ms: float
    ok: bool
    result: str


async def record(db: Database, name: str, took_ms: float, result: str, *, ok: bool) -> None:
    """Keep how a job ended, in place of its run before."""
    async with db.write() as tx:
        await tx.run(
            "INSERT INTO jobs (name, ran_at, took_ms, ok, result) VALUES ($1, $2, $3, $4, $5)"
            " ON CONFLICT (name) DO UPDATE SET ran_at = $2, took_ms = $3, ok = $4, result = $5",
            name, now(), took_ms, int(ok), result,
        )  # fmt: skip


async def last_runs(db: Database) -> list[JobRun]:
    """Every job's last run, in the order of their names."""
    rows = await db.read("SELECT name, ran_at, took_ms, ok, result FROM jobs ORDER BY name")
    return [JobRun(row["name"], row["ran_at"], row["took_ms"], bool(row["ok"]), row["result"]) for row in rows]
