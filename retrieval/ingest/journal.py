"""A crawl's record: what it decided on each address and where it stands, stored as it goes.

Notes are gathered for a moment, so that an unchanged page costs no transaction of its own; what is lost when the process
is killed are addresses that are asked once more. A crawl that was broken off goes on under its own id.
"""

from __future__ import annotations

import json
import secrets
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from retrieval.crawl.frontier import Frontier, Spot
from retrieval.db import Database, Row, now
from retrieval.document import Document

OLDEST_TO_GO_ON = timedelta(hours=24)
MOST_GATHERED = 100
SECONDS_GATHERED = 1.0
KEPT_CRAWLS = 30
FREE = ("redirects to ", "robots.txt ", "matches ", "outside ")
"""How reasons begin that cost nothing of `max_pages`."""
SITE = "#site"
"""How the address of a site's own document ends: no page is asked for there."""
ALIVE = ("added", "changed", "unchanged", "kept")


@dataclass(frozen=True, slots=True)
class Report:
    """What a crawl did: addresses by decision, the facts that changed, and a note when something needs a person."""

    source: str
    outcome: str
    counts: dict[str, int]
    reasons: list[tuple[str, str, str]]
    note: str = ""
    changes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Held:
    """A page that waits for the end of the crawl, and why."""

    url: str
    why: str
    document: Document
    content_hash: str
    etag: str
    last_modified: str


class Journal:
    """One crawl of one source in the database."""

    def __init__(self, db: Database, place: str, recipe: str) -> None:
        self._db = db
        self._place = place
        self._recipe = recipe
        self.id = secrets.token_hex(8)
        self.reasons: dict[str, tuple[str, str]] = {}
        self.changes: dict[str, str] = {}
        self.frontier = Frontier()
        self.asked = 0
        """Pages that this crawl had asked for before it was broken off."""
        self._gathered: dict[str, tuple[str, str, str]] = {}
        self._flushed = time.monotonic()

    async def begin(self, kind: str, knowledge: str, every: str) -> None:
        """Go on with the source's last crawl if it was broken off under the same settings, else start a new one."""
        async with self._db.write() as tx:
            await tx.run(
                "INSERT INTO sources (id, kind, knowledge, every, added_at) VALUES ($1, $2, $3, $4, $5)"
                " ON CONFLICT (id) DO UPDATE SET kind = $2, knowledge = $3, every = $4",
                self._place, kind, knowledge, every, now(),
            )  # fmt: skip
        broken_off = await self._db.one(
            "SELECT id FROM crawls WHERE source_id = $1 AND outcome = 'running' AND recipe = $2 AND started_at > $3"
            " ORDER BY started_at DESC LIMIT 1",
            self._place,
            self._recipe,
            (datetime.now(UTC) - OLDEST_TO_GO_ON).isoformat(timespec="milliseconds"),
        )
        if broken_off and kind == "site":
            self.id = broken_off["id"]
            await self._recall()
        await self._start()
        self.frontier = Frontier(await self._spots(), self.id)

    async def _recall(self) -> None:
        for row in await self._db.read("SELECT * FROM crawl_pages WHERE crawl_id = $1", self.id):
            self.reasons[row["url"]] = (row["decision"], row["reason"])
            if row["change"]:
                self.changes[row["url"]] = row["change"]

    async def _start(self) -> None:
        async with self._db.write() as tx:
            await tx.run(
                "UPDATE crawls SET outcome = 'failed', ended_at = $2, note = 'was stopped before its end'"
                " WHERE source_id = $1 AND outcome = 'running' AND id <> $3",
                self._place, now(), self.id,
            )  # fmt: skip
            await tx.run(
                "INSERT INTO crawls (id, source_id, started_at, recipe) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
                self.id, self._place, now(), self._recipe,
            )  # fmt: skip
            await tx.run(
                "DELETE FROM crawls WHERE source_id = $1 AND id NOT IN"
                " (SELECT id FROM crawls WHERE source_id = $1 ORDER BY started_at DESC LIMIT $2)",
                self._place,
                KEPT_CRAWLS,
            )
            await tx.run(  # of the reports before the last one the longest part, which says least
                "DELETE FROM crawl_pages WHERE reason LIKE 'more than max_pages%' AND crawl_id IN"
                " (SELECT id FROM crawls WHERE source_id = $1 AND id <> $2)",
                self._place,
                self.id,
            )

    async def _spots(self) -> list[Spot]:
        """Every address that is known, with its marks where what they stood for was made by the same recipe."""
        rows = await self._db.read("SELECT * FROM addresses WHERE source_id = $1", self._place)
        spots = {row["url"]: _spot(row, self.id) for row in rows}
        documents = await self._db.read(
            "SELECT url, etag, last_modified, content_hash FROM documents WHERE source_id = $1 AND tombstoned_at IS NULL",
            self._place,
        )
        for row in documents:
            spot = spots.setdefault(row["url"], Spot(row["url"]))
            spot.held, spot.decision = True, ""
            spot.etag, spot.last_modified, spot.content_hash = row["etag"], row["last_modified"], row["content_hash"]
        for spot in spots.values():
            lost = not spot.held and spot.decision in ALIVE  # its document was removed since
            links_known = bool(spot.asked_in)
            if lost or not links_known or not spot.content_hash.startswith(self._recipe):
                spot.etag = spot.last_modified = spot.content_hash = spot.decision = ""
            self.asked += spot.done and not self.reasons.get(spot.url, ("", ""))[1].startswith(FREE)
        return [spot for spot in spots.values() if spot.url.startswith("http") and not spot.url.endswith(SITE)]

    async def note(self, url: str, decision: str, reason: str, change: str = "", *, at_once: bool = False) -> None:
        """Why an address is in or out, and what changed there.

        What a crawl added before it was broken off is unchanged when it goes on; for the report it is still new.
        """
        if decision == "unchanged" and self.reasons.get(url, ("", ""))[0] in ("added", "changed"):
            return
        self.reasons[url] = (decision, reason)
        if change:
            self.changes[url] = change
        self._gathered[url] = (decision, reason, change)
        late = time.monotonic() - self._flushed > SECONDS_GATHERED
        if at_once or late or len(self._gathered) >= MOST_GATHERED:
            await self.flush()

    async def flush(self) -> None:
        """Store what was gathered, in one transaction."""
        pages, self._gathered = self._gathered, {}
        spots = self.frontier.changed()
        self._flushed = time.monotonic()
        if not pages and not spots:
            return
        async with self._db.write() as tx:
            await tx.many(
                "INSERT INTO crawl_pages VALUES ($1, $2, $3, $4, $5) ON CONFLICT (crawl_id, url)"
                " DO UPDATE SET decision = $3, reason = $4, change = $5",
                [(self.id, url, *told) for url, told in pages.items()],
            )
            await tx.many(
                "INSERT INTO addresses VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
                " ON CONFLICT (source_id, url) DO UPDATE SET depth = $3, priority = $4, lastmod = $5, links_in = $6, hops = $7,"
                " crawl_id = $8, etag = $9, last_modified = $10, content_hash = $11, decision = $12, reason = $13",
                [self._row(spot) for spot in spots],
            )

    def _row(self, spot: Spot) -> tuple[Any, ...]:
        here = (spot.decision, spot.reason)
        decision, reason = self.reasons.get(spot.url, here) if spot.asked_in == self.id else here
        return (
            self._place, spot.url, spot.depth, spot.priority, spot.lastmod, spot.links_in, spot.hops, spot.asked_in,
            spot.etag, spot.last_modified, spot.content_hash, decision, reason,
        )  # fmt: skip

    async def hold(self, held: Held) -> None:
        """Keep a page until the crawl's end."""
        async with self._db.write() as tx:
            await tx.run(
                "INSERT INTO held_pages VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (crawl_id, url)"
                " DO UPDATE SET why = $3, document = $4, content_hash = $5, etag = $6, last_modified = $7",
                self.id, held.url, held.why, json.dumps(asdict(held.document)), held.content_hash, held.etag,
                held.last_modified,
            )  # fmt: skip

    async def held(self) -> Sequence[Held]:
        """The pages that wait."""
        rows = await self._db.read("SELECT * FROM held_pages WHERE crawl_id = $1 ORDER BY url", self.id)
        return [
            Held(
                row["url"], row["why"], _document(row["document"]), row["content_hash"], row["etag"], row["last_modified"]
            )
            for row in rows
        ]  # fmt: skip

    def nothing_reached(self) -> str:
        """Why not one page could be read, when something was tried; empty when there was one."""
        failed = [reason for decision, reason in self.reasons.values() if decision == "failed"]
        fine = any(decision in ("added", "changed", "unchanged") for decision, _ in self.reasons.values())
        return f"no page could be read: {failed[0]}" if failed and not fine else ""

    def empty_note(self) -> str:
        """Why a crawl that met no trouble took nothing in; empty when it did."""
        told = [f"{decision}: {reason}" for decision, reason in self.reasons.values()]
        first = told[0] if told else "the source holds nothing that can be read"
        alive = any(decision in ALIVE for decision, _ in self.reasons.values())
        return "" if alive else f"no page was taken in ({first})"

    def limit_note(self, most: int) -> str:
        """That the limit of pages cut the crawl short."""
        left = sum(reason.startswith("more than max_pages") for _, reason in self.reasons.values())
        return f"{most} of at least {most + left} pages: raise max_pages for the rest"

    async def end(self, outcome: str, note: str, *, reached: bool) -> Report:
        """Close the crawl; `reached`: it came to an end that counts for the next one's time."""
        await self.flush()
        async with self._db.write() as tx:
            await tx.run(
                "UPDATE crawls SET ended_at = $2, outcome = $3, note = $4 WHERE id = $1", self.id, now(), outcome, note
            )
            await tx.run("DELETE FROM held_pages WHERE crawl_id = $1", self.id)
            if reached:
                await tx.run("UPDATE sources SET crawled_at = $2 WHERE id = $1", self._place, now())
        reasons = [(url, decision, reason) for url, (decision, reason) in self.reasons.items()]
        counts = Counter(decision for _, decision, _ in reasons)
        return Report(self._place, outcome, dict(counts), reasons, note, self.changes)


def _spot(row: Row, crawl_id: str) -> Spot:
    return Spot(
        url=row["url"], depth=row["depth"], priority=row["priority"], lastmod=row["lastmod"], links_in=row["links_in"],
        hops=row["hops"], asked_in=row["crawl_id"], done=row["crawl_id"] == crawl_id,
        etag=row["etag"], last_modified=row["last_modified"],
        content_hash=row["content_hash"], decision=row["decision"], reason=row["reason"],
    )  # fmt: skip


def _document(text: str) -> Document:
    record = json.loads(text)
    return Document(**{name: _tuples(value) for name, value in record.items()})


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value
