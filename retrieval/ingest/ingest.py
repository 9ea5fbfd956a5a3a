"""From a source to the index: crawl, convert, split, embed, replace; each page is committed as it comes."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from retrieval.address import normalised, same_host
from retrieval.crawl.fetch import Fetcher
from retrieval.crawl.frontier import Spot
from retrieval.crawl.guard import check
from retrieval.crawl.trap import notice
from retrieval.crawl.walk import Limits, Taken, Walk
from retrieval.document import Document, Page
from retrieval.errors import FetchError, RetrievalError
from retrieval.index.index import Entry, Index
from retrieval.ingest.brake import is_doubtful
from retrieval.ingest.change import changed_facts
from retrieval.ingest.decoy import Decoys
from retrieval.ingest.files import Files, Progress
from retrieval.ingest.finish import CANONICAL, NOINDEX, REDIRECT, TWIN, Settling
from retrieval.ingest.journal import Held, Journal, Report
from retrieval.ingest.prepare import Prepared, Preparer
from retrieval.ingest.site import Site
from retrieval.ingest.wishes import header_signs
from retrieval.split.splitting import BY_HEADINGS, Splitter, Splitting
from retrieval.text.likeness import bag
from retrieval.writer import Writer

RECIPE = "4"
"""Raised when converting or splitting changes, so that every page is made anew."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where content comes from, and how it is fetched and split."""

    place: str
    kind: str = "site"
    knowledge: str = "default"
    every: str = "1d"
    limits: Limits = field(default_factory=Limits)
    headers: dict[str, str] = field(default_factory=dict)
    allow_private: bool = False
    respect_noindex: bool = True
    render: str = "never"
    chromium: str = ""
    images: bool = True
    source_url: bool = False
    splitting: Splitting = BY_HEADINGS

    @property
    def recipe(self) -> str:
        """What the chunks depend on besides the page itself."""
        parts = (
            RECIPE,
            self.images,
            self.source_url,
            self.splitting.recipe,
            self.respect_noindex,
            self.render,
        )
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:8]


class Crawl:
    """One run over one source. `accept`: believe what the brake would stop. `writer`: a model, where the splitting asks one."""

    def __init__(self, index: Index, source: Source, *, accept: bool = False, writer: Writer | None = None) -> None:
        self._index = index
        self._splitter = Splitter(source.splitting, writer)
        self._source = source
        self._accept = accept
        self._journal = Journal(index.db, source.place, source.recipe)
        self._preparer = Preparer(
            images=source.images, source_url=source.source_url, render=source.render, chromium=source.chromium
        )
        self._decoys = Decoys(self._probed)
        self._site = Site(index.db, self._journal, source.place, self._put)
        self._walking: Walk | None = None
        self._twins: dict[str, str] = {}
        self._added = 0
        self._one_by_one = asyncio.Lock()
        self.embedded = 0
        """Chunks of unchanged pages that were embedded by a model that is new."""

    async def run(self, progress: Progress = lambda done, known: None) -> Report:
        """Crawl to the end, settle what is gone or in doubt, and store the report."""
        source, journal = self._source, self._journal
        await journal.begin(source.kind, source.knowledge, source.every)
        try:
            self.embedded = await self._index.semantic_leg.embed_missing()
            await self._site.load()
            complete = await (
                self._walk(progress)
                if source.kind == "site"
                else Files(self._index.db, journal, self.take).run(Path(source.place), progress)
            )
        except (RetrievalError, OSError) as error:
            return await journal.end("failed", str(error), reached=False)
        if reason := journal.nothing_reached():
            return await journal.end("failed", self._with_warnings(reason), reached=False)
        settling = Settling(self._index, journal, source.place, self._put, self._twins)
        outcome, note = await settling.settle(complete=complete, once=source.kind != "site", accept=self._accept)
        if any(decision not in ("unchanged", "skipped") for decision, _ in journal.reasons.values()):
            if source.kind == "site" and outcome == "complete":
                await self._site.settle()
            await self._index.refresh()
        limit = "" if complete else journal.limit_note(source.limits.max_pages)
        return await journal.end(outcome, self._with_warnings(note or limit or journal.empty_note()), reached=True)

    def _with_warnings(self, note: str) -> str:
        warnings = self._walking.warnings if self._walking else []
        endless = notice(reason for _, reason in self._journal.reasons.values())
        return "; ".join(part for part in (note, *warnings, endless) if part)

    async def _walk(self, progress: Progress) -> bool:
        source, journal = self._source, self._journal
        check(source.place, allow_private=True)  # its form; where it leads is checked at each request
        async with Fetcher.opened(
            allow_private=source.allow_private, headers=source.headers, own=source.place
        ) as fetcher:
            self._walking = Walk(fetcher, source.place, source.limits, journal.frontier, self, progress)
            async with self._preparer.browsing(self._walking.hosts.relay):
                return await self._walking.run(journal.asked)

    async def take(self, page: Page) -> tuple[str, ...]:
        """One page that no walk has found; returns its links."""
        row = await self._index.db.one(
            "SELECT content_hash FROM documents WHERE url = $1 AND tombstoned_at IS NULL", page.url
        )
        known = Spot(page.url, held=True, content_hash=row["content_hash"]) if row else Spot(page.url)
        return (await self.fetched(known, page)).links

    async def note(self, url: str, decision: str, reason: str) -> None:
        """Why an address is in or out."""
        await self._journal.note(url, decision, reason)

    async def same(self, spot: Spot, robots: str = "", why: str = "the server says so") -> None:
        """An address that holds what it held: the same is decided on it again, unless its header wants it out now."""
        if spot.held:
            out = self._source.respect_noindex and header_signs(robots).noindex
            if out:  # the document goes, and with it what an unchanged answer would stand for
                spot.etag = spot.last_modified = spot.content_hash = ""
            await self._journal.note(spot.url, "skipped" if out else "unchanged", NOINDEX if out else why)
            return
        if spot.reason.startswith(TWIN):
            self._twins[spot.url] = spot.reason.removeprefix(TWIN)
        await self._journal.note(spot.url, spot.decision, spot.reason)

    async def fetched(self, spot: Spot, page: Page) -> Taken:
        """One fetched page into the index, or not; returns the links to follow."""
        digest = self._source.recipe + hashlib.sha256(page.content + page.robots.encode()).hexdigest()[:32]
        if spot.content_hash == digest:
            await self.same(spot, page.robots, "the same content")
            return Taken()
        ready = await self._preparer.ready(page)
        if ready.rendered:  # what a script shows may change though the page itself doesn't
            page, digest = replace(page, etag="", last_modified=""), f"{self._source.recipe}rendered"
        taken = await self._decided(spot.url, page, ready, digest)
        spot.etag, spot.last_modified, spot.content_hash = page.etag, page.last_modified, digest
        if ready.signs.noindex and page.robots:
            spot.etag = spot.last_modified = ""  # the header may go without the page changing
        return taken

    async def _decided(self, url: str, page: Page, ready: Prepared, digest: str) -> Taken:
        document = ready.document
        if refresh := ready.signs.refresh:
            await self._journal.note(url, "skipped", f"{REDIRECT}{refresh}")
            return Taken((refresh,))
        why = await self._why_not(url, ready)
        if document is None or why:
            await self._journal.note(url, "skipped" if why else "failed", why or ready.problem)
            return Taken(self._links(ready, document))
        document = self._site.without_frame(document)
        entry = Held(url, "", _at(document, url), digest, page.etag, page.last_modified)
        if self._splitter.writes and await self._is_new(entry.document):
            await self._splitter.ahead(entry.document)
        async with self._one_by_one:  # so that two twins can't pass each other
            taken = await self._judged(entry)
        canonical = (taken,) if taken.startswith("http") else ()
        return Taken((*self._links(ready, document), *canonical), bag(document.markdown) if taken else None)

    async def _is_new(self, document: Document) -> bool:
        """Whether no page holds the same text."""
        digest = hashlib.sha256(document.markdown.encode()).hexdigest()
        return not await self._index.db.one(
            "SELECT 1 FROM documents WHERE markdown_hash = $1 AND tombstoned_at IS NULL", digest
        )

    def _links(self, ready: Prepared, document: Document | None) -> tuple[str, ...]:
        return document.links if document and not ready.signs.nofollow else ()

    async def _why_not(self, url: str, ready: Prepared) -> str:
        """Why the page is not to be taken in, whatever its text is."""
        if ready.document is None or not url.startswith("http"):
            return ""
        if ready.signs.noindex and self._source.respect_noindex:
            return NOINDEX
        return await self._decoys.why(url, ready.document, ready.signs, normalised(self._source.place))

    async def _probed(self, url: str) -> Document | None:
        assert self._walking is not None, "only a walk meets decoys"
        try:
            answer = await self._walking.hosts.ask(url)
        except FetchError:
            return None
        if not isinstance(answer, Page):
            return None
        return (await self._preparer.ready(answer)).document

    async def _judged(self, entry: Held) -> str:
        """Put a page in, hold it back until the crawl's end, or leave it out.

        Returns the canonical address if it has another one, "in" when it is one of its own, empty when it is left out.
        """
        document = entry.document
        before = await self._index.db.one(
            "SELECT markdown, title, content_hash, markdown_hash FROM documents WHERE url = $1 AND tombstoned_at IS NULL",
            entry.url,
        )
        if target := _canonical(document):
            await self._journal.hold(replace(entry, why=target))
            await self._journal.note(entry.url, "skipped", f"{CANONICAL}{target}")
            return target
        if twin := await self._twin(document):
            self._twins[entry.url] = twin
            await self._journal.note(entry.url, "skipped", f"{TWIN}{twin}")
            return ""
        same_recipe = before is not None and before["content_hash"].startswith(self._source.recipe)
        if before and same_recipe and (before["markdown"], before["title"]) == (document.markdown, document.title):
            await self._renew(entry)
        elif before and same_recipe and is_doubtful(before["markdown"], document.markdown):
            await self._journal.hold(entry)
            await self._journal.note(entry.url, "kept", "waits for the end of the crawl: little of its text is left")
        else:
            await self._put(entry, before["markdown"] if before else None)
        return "in"

    async def _renew(self, entry: Held) -> None:
        async with self._index.db.write() as tx:
            await tx.run(
                "UPDATE documents SET content_hash = $2, etag = $3, last_modified = $4 WHERE url = $1",
                entry.url, entry.content_hash, entry.etag, entry.last_modified,
            )  # fmt: skip
        await self._journal.note(entry.url, "unchanged", "the same text")

    async def _put(self, entry: Held, before: str | None) -> None:
        document = entry.document
        change = await asyncio.to_thread(changed_facts, before, document.markdown) if before is not None else ""
        chunks, failure = await self._splitter.chunks(document)
        notes = "; ".join(filter(None, (*document.notes, failure)))
        await self._journal.note(entry.url, "added" if before is None else "changed", notes, change, at_once=True)
        await self._index.replace(
            Entry(self._source.place, document, entry.content_hash, chunks, entry.etag, entry.last_modified)
        )
        self._added += before is None
        await self._site.glimpse(self._added)

    async def _twin(self, document: Document) -> str:
        digest = hashlib.sha256(document.markdown.encode()).hexdigest()
        row = await self._index.db.one(
            "SELECT url FROM documents WHERE markdown_hash = $1 AND url <> $2 AND source_id = $3 AND tombstoned_at IS NULL"
            " AND missed = 0",
            digest,
            document.url,
            self._source.place,
        )
        return str(row["url"]) if row else ""


def _canonical(document: Document) -> str:
    """The address that the page names as its own, if it is another one of the same site."""
    if not document.canonical or not document.url.startswith("http"):
        return ""
    try:
        target = normalised(document.canonical)
    except ValueError:
        return ""
    return target if target != document.url and same_host(target, document.url) else ""


def _at(document: Document, url: str) -> Document:
    """The document under the address that it is kept by; a file without a title is called by its name."""
    named = url.startswith("file:") and not document.title
    title = unquote(urlsplit(url).path.rsplit("/", 1)[-1]) if named else document.title
    return replace(document, url=url, title=title)
