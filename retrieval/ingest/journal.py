"""A crawl's record: what it decided on each address and where it stands, stored as it goes.

Decisions are gathered for a moment, so that an unchanged page costs no transaction of its own; what is lost when the process
is killed are addresses that are asked once more. A crawl that was broken off goes on under its own id.
"""

from __future__ import annotations

import json
import secrets
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from retrieval.crawl.frontier import Frontier, KnownAddress
from retrieval.db import Database, Row, now
from retrieval.decision import COST_NOTHING, Decision, Kind, State
from retrieval.document import Document
from retrieval.index import documents
from retrieval.ingest import sources

OLDEST_TO_GO_ON = timedelta(hours=24)
"""A crawl that was broken off longer ago is begun anew: what it decided is out of date."""
MOST_GATHERED = 100
"""Decisions in one transaction, if they come that fast. Chosen by hand."""
GATHERED_SECONDS = 1.0
"""A transaction for each unchanged page would be most of what a second crawl costs (benchmarks/recrawl.py)."""
KEPT_CRAWLS = 30
"""Of each source, whose reports the owner can still read."""
SITE_DOCUMENT = "#site"
"""How the address of a site's own document ends: no page is asked for there."""


class CrawlOutcome(StrEnum):
    """How a crawl ended."""

    RUNNING = "running"
    COMPLETE = "complete"
    BRAKED = "braked"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Report:
    """What a crawl did: a decision an address, the facts that changed, and a note when something needs a person."""

    source: str
    outcome: CrawlOutcome
    decisions: Mapping[str, Decision]
    note: str = ""
    changes: Mapping[str, str] = field(default_factory=dict)

    @property
    def counts(self) -> dict[State, int]:
        """How many addresses there are of each state."""
        return dict(Counter(decision.state for decision in self.decisions.values()))


@dataclass(frozen=True, slots=True)
class HeldPage:
    """A page on its way into the index, or one that waits for the end of the crawl.

    `canonical`: the address that the page names as its own, where that is another one.
    """

    url: str
    document: Document
    content_hash: str = ""
    etag: str = ""
    last_modified: str = ""
    canonical: str = ""


@dataclass(frozen=True, slots=True)
class Revision:
    """A page to take in, and the text that the index holds of it; None when it holds none."""

    page: HeldPage
    before: str | None


class Journal:
    """One crawl of one source in the database."""

    def __init__(self, db: Database, source_id: str, recipe: str) -> None:
        self._db = db
        self._source_id = source_id
        self._recipe = recipe
        self.id = secrets.token_hex(8)
        self.decisions: dict[str, Decision] = {}
        self.changes: dict[str, str] = {}
        self.frontier = Frontier()
        self.asked = 0
        """Pages that this crawl had asked for before it was broken off."""
        self._gathered: dict[str, tuple[Decision, str]] = {}
        self._flushed_at = time.monotonic()

    async def begin(self, kind: str, knowledge: str, every: str) -> None:
        """Go on with the source's last crawl if it was broken off under the same settings, else start a new one."""
        async with self._db.write() as tx:
            await sources.register(tx, self._source_id, kind, knowledge, every)
        broken_off = await self._db.one(
            "SELECT id FROM crawls WHERE source_id = $1 AND outcome = 'running' AND recipe = $2 AND started_at > $3"
            " ORDER BY started_at DESC LIMIT 1",
            self._source_id,
            self._recipe,
            (datetime.now(UTC) - OLDEST_TO_GO_ON).isoformat(timespec="milliseconds"),
        )
        if broken_off and kind == "site":
            self.id = broken_off["id"]
            await self._recall()
        await self._start()
        self.frontier = Frontier(await self._known_addresses(), self.id)

    async def _recall(self) -> None:
        for row in await self._db.read("SELECT * FROM crawl_pages WHERE crawl_id = $1", self.id):
            self.decisions[row["url"]] = _decision(row)
            if row["change"]:
                self.changes[row["url"]] = row["change"]

    async def _start(self) -> None:
        async with self._db.write() as tx:
            await tx.run(
                "UPDATE crawls SET outcome = 'failed', ended_at = $2, note = 'was stopped before its end'"
                " WHERE source_id = $1 AND outcome = 'running' AND id <> $3",
                self._source_id, now(), self.id,
            )  # fmt: skip
            await tx.run(
                "INSERT INTO crawls (id, source_id, started_at, recipe) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
                self.id, self._source_id, now(), self._recipe,
            )  # fmt: skip
            await tx.run(
                "DELETE FROM crawls WHERE source_id = $1 AND id NOT IN"
                " (SELECT id FROM crawls WHERE source_id = $1 ORDER BY started_at DESC LIMIT $2)",
                self._source_id,
                KEPT_CRAWLS,
            )
            await tx.run(  # of the reports before the last one the longest part, which says least
                "DELETE FROM crawl_pages WHERE kind = $3 AND crawl_id IN"
                " (SELECT id FROM crawls WHERE source_id = $1 AND id <> $2)",
                self._source_id,
                self.id,
                Kind.BEYOND_LIMIT,
            )

    async def _known_addresses(self) -> list[KnownAddress]:
        """Every address that is known, with its marks where what they stood for was made by the same recipe."""
        rows = await self._db.read("SELECT * FROM addresses WHERE source_id = $1", self._source_id)
        addresses = {row["url"]: _known_address(row, self.id) for row in rows}
        for page in await documents.stored_pages(self._db, self._source_id):
            known = addresses.setdefault(page.url, KnownAddress(page.url))
            known.has_document, known.decision = True, None
            known.etag, known.last_modified, known.content_hash = page.etag, page.last_modified, page.content_hash
        for known in addresses.values():
            # its document was removed since
            lost = not known.has_document and known.decision is not None and known.decision.is_alive
            links_known = bool(known.asked_in)
            if lost or not links_known or not known.content_hash.startswith(self._recipe):
                known.forget_content()
                known.decision = None
            decided = self.decisions.get(known.url)
            self.asked += known.done and (decided is None or decided.kind not in COST_NOTHING)
        return [
            known
            for known in addresses.values()
            if known.url.startswith("http") and not known.url.endswith(SITE_DOCUMENT)
        ]

    async def note(self, url: str, decision: Decision, change: str = "", *, at_once: bool = False) -> None:
        """What is decided on an address, and what changed there.

        What a crawl added before it was broken off is unchanged when it goes on; for the report it is still new.
        """
        before = self.decisions.get(url)
        if decision.state is State.UNCHANGED and before and before.state in (State.ADDED, State.CHANGED):
            return
        self.decisions[url] = decision
        if change:
            self.changes[url] = change
        self._gathered[url] = (decision, change)
        late = time.monotonic() - self._flushed_at > GATHERED_SECONDS
        if at_once or late or len(self._gathered) >= MOST_GATHERED:
            await self.flush()

    async def flush(self) -> None:
        """Store what was gathered, in one transaction."""
        pages, self._gathered = self._gathered, {}
        addresses = self.frontier.changed()
        self._flushed_at = time.monotonic()
        if not pages and not addresses:
            return
        async with self._db.write() as tx:
            await tx.many(
                "INSERT INTO crawl_pages (crawl_id, url, kind, target, detail, change) VALUES ($1, $2, $3, $4, $5, $6)"
                " ON CONFLICT (crawl_id, url) DO UPDATE SET kind = $3, target = $4, detail = $5, change = $6",
                [
                    (self.id, url, decision.kind, decision.target, decision.detail, change)
                    for url, (decision, change) in pages.items()
                ],
            )
            await tx.many(
                "INSERT INTO addresses (source_id, url, depth, priority, lastmod, links_in, hops, crawl_id, etag, last_modified,"
                " content_hash, kind, target, detail) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)"
                " ON CONFLICT (source_id, url) DO UPDATE SET depth = $3, priority = $4, lastmod = $5, links_in = $6, hops = $7,"
                " crawl_id = $8, etag = $9, last_modified = $10, content_hash = $11, kind = $12, target = $13, detail = $14",
                [self._row(known) for known in addresses],
            )

    def _row(self, known: KnownAddress) -> tuple[Any, ...]:
        decision = known.decision
        if known.asked_in == self.id:
            decision = self.decisions.get(known.url, decision)
        return (
            self._source_id, known.url, known.depth, known.priority, known.lastmod, known.links_in, known.hops,
            known.asked_in, known.etag, known.last_modified, known.content_hash,
            decision.kind if decision else "", decision.target if decision else "", decision.detail if decision else "",
        )  # fmt: skip

    async def hold(self, held: HeldPage) -> None:
        """Keep a page until the crawl's end."""
        async with self._db.write() as tx:
            await tx.run(
                "INSERT INTO held_pages (crawl_id, url, canonical, document, content_hash, etag, last_modified)"
                " VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (crawl_id, url)"
                " DO UPDATE SET canonical = $3, document = $4, content_hash = $5, etag = $6, last_modified = $7",
                self.id, held.url, held.canonical, json.dumps(asdict(held.document)), held.content_hash, held.etag,
                held.last_modified,
            )  # fmt: skip

    async def held_pages(self) -> Sequence[HeldPage]:
        """The pages that wait."""
        rows = await self._db.read("SELECT * FROM held_pages WHERE crawl_id = $1 ORDER BY url", self.id)
        return [
            HeldPage(
                row["url"], _document(row["document"]), row["content_hash"], row["etag"], row["last_modified"],
                row["canonical"],
            )
            for row in rows
        ]  # fmt: skip

    def nothing_reached(self) -> str:
        """Why not one page could be read, when something was tried; empty when there was one."""
        failed = [decision for decision in self.decisions.values() if decision.state is State.FAILED]
        read = (State.ADDED, State.CHANGED, State.UNCHANGED)
        if not failed or any(decision.state in read for decision in self.decisions.values()):
            return ""
        return f"no page could be read: {failed[0].in_words}"

    def empty_note(self) -> str:
        """Why a crawl that met no trouble took nothing in; empty when it did."""
        if any(decision.is_alive for decision in self.decisions.values()):
            return ""
        first = next(iter(self.decisions.values()), None)
        why = f"{first.state}: {first.in_words}" if first else "the source holds nothing that can be read"
        return f"no page was taken in ({why})"

    def limit_note(self, most: int) -> str:
        """That the limit of pages cut the crawl short."""
        left = sum(decision.kind is Kind.BEYOND_LIMIT for decision in self.decisions.values())
        return f"{most} of at least {most + left} pages: raise max_pages for the rest"

    async def end(self, outcome: CrawlOutcome, note: str, *, reached: bool) -> Report:
        """Close the crawl; `reached`: it came to an end that counts for the next one's time."""
        await self.flush()
        async with self._db.write() as tx:
            await tx.run(
                "UPDATE crawls SET ended_at = $2, outcome = $3, note = $4 WHERE id = $1", self.id, now(), outcome, note
            )
            await tx.run("DELETE FROM held_pages WHERE crawl_id = $1", self.id)
            if reached:
                await sources.crawled(tx, self._source_id)
        return Report(self._source_id, outcome, self.decisions, note, self.changes)


@dataclass(frozen=True, slots=True)
class PastCrawl:
    """A crawl as it is stored; `ended_at` is None while it runs."""

    id: str
    source_id: str
    started_at: str
    ended_at: str | None
    outcome: CrawlOutcome
    note: str
    counts: Mapping[State, int]


async def past_crawls(db: Database, most: int = 100) -> list[PastCrawl]:
    """The newest crawls of all sources, newest first."""
    rows = await db.read("SELECT * FROM crawls ORDER BY started_at DESC LIMIT $1", most)
    kinds = await db.read(
        "SELECT crawl_id, kind, count(*) AS n FROM crawl_pages WHERE crawl_id IN (SELECT value FROM json_each($1))"
        " GROUP BY crawl_id, kind",
        json.dumps([row["id"] for row in rows]),
    )
    counts: dict[str, Counter[State]] = {row["id"]: Counter() for row in rows}
    for row in kinds:
        counts[row["crawl_id"]][Decision(Kind(row["kind"])).state] += row["n"]
    return [_past_crawl(row, counts[row["id"]]) for row in rows]


async def past_report(db: Database, crawl_id: str) -> tuple[PastCrawl, Report] | None:
    """One crawl with all its decisions, in the order of addresses; None when it isn't kept any more."""
    crawl = await db.one("SELECT * FROM crawls WHERE id = $1", crawl_id)
    if crawl is None:
        return None
    rows = await db.read("SELECT * FROM crawl_pages WHERE crawl_id = $1 ORDER BY url", crawl_id)
    changes = {row["url"]: row["change"] for row in rows if row["change"]}
    decisions = {row["url"]: _decision(row) for row in rows}
    report = Report(crawl["source_id"], CrawlOutcome(crawl["outcome"]), decisions, crawl["note"], changes)
    return _past_crawl(crawl, report.counts), report


async def was_broken_off(db: Database, source_id: str) -> bool:
    """Whether a crawl of the source has begun and not ended."""
    return bool(await db.one("SELECT 1 FROM crawls WHERE source_id = $1 AND outcome = 'running'", source_id))


def _past_crawl(row: Row, counts: Mapping[State, int]) -> PastCrawl:
    outcome = CrawlOutcome(row["outcome"])
    return PastCrawl(row["id"], row["source_id"], row["started_at"], row["ended_at"], outcome, row["note"], counts)


def _decision(row: Row) -> Decision:
    return Decision(Kind(row["kind"]), row["target"], row["detail"])


def _known_address(row: Row, crawl_id: str) -> KnownAddress:
    return KnownAddress(
        url=row["url"], depth=row["depth"], priority=row["priority"], lastmod=row["lastmod"], links_in=row["links_in"],
        hops=row["hops"], asked_in=row["crawl_id"], done=row["crawl_id"] == crawl_id,
        etag=row["etag"], last_modified=row["last_modified"],
        content_hash=row["content_hash"], decision=_decision(row) if row["kind"] else None,
    )  # fmt: skip


def _document(text: str) -> Document:
    record = json.loads(text)
    return Document(**{name: _tuples(value) for name, value in record.items()})


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value
