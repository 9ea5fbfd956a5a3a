"""From a source to the index: crawl, convert, split, embed, replace; each page is committed as it comes.

`Crawl` drives: the walk says what to ask and asks it, the preparer converts, the journal records, the judges of
`decoy`, `brake` and `finish` say what they think. None of them calls back.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from retrieval.address import normalised, same_host
from retrieval.crawl.fetch import Fetcher, NotModified
from retrieval.crawl.frontier import KnownAddress
from retrieval.crawl.guard import check
from retrieval.crawl.trap import notice
from retrieval.crawl.walk import Decided, Limits, Walk
from retrieval.decision import Decision, Kind, State
from retrieval.document import Document, Page
from retrieval.errors import ConvertError, FetchError, RetrievalError
from retrieval.index import documents
from retrieval.index.index import Entry, Index
from retrieval.ingest import finish
from retrieval.ingest.brake import is_doubtful
from retrieval.ingest.change import changed_facts
from retrieval.ingest.decoy import Decoys
from retrieval.ingest.files import FILES_AT_ONCE, file_pages, files_of
from retrieval.ingest.journal import CrawlOutcome, HeldPage, Journal, Report
from retrieval.ingest.prepare import Prepared, Preparer
from retrieval.ingest.site import Site
from retrieval.ingest.wishes import header_wishes
from retrieval.split.splitting import BY_HEADINGS, Splitter, Splitting
from retrieval.text.likeness import Bag, bag
from retrieval.writer import Writer

RECIPE = "4"
"""Raised when converting or splitting changes, so that every page is made anew."""

Progress = Callable[[int, int], None]
"""Called with the pages that are done and those that are known."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where content comes from, and how it is fetched and split. `id` is its address or path."""

    id: str
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


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a page: the links to follow, and its words; None when it was left out."""

    links: tuple[str, ...] = ()
    words: Bag | None = None


class Crawl:
    """One run over one source. `accept`: believe what the brake would stop. `writer`: a model, where the splitting asks one."""

    def __init__(self, index: Index, source: Source, *, accept: bool = False, writer: Writer | None = None) -> None:
        self._index = index
        self._db = index.db
        self._splitter = Splitter(source.splitting, writer)
        self._source = source
        self._accept = accept
        self._journal = Journal(index.db, source.id, source.recipe)
        self._preparer = Preparer(
            images=source.images, source_url=source.source_url, render=source.render, chromium=source.chromium
        )
        self._decoys = Decoys(self._probe)
        self._site = Site(index.db, source.id)
        self._walk: Walk | None = None
        self._twins: dict[str, str] = {}
        self._added = 0
        self._one_by_one = asyncio.Lock()
        self.embedded = 0
        """Chunks of unchanged pages that were embedded by a model that is new."""

    async def run(self, progress: Progress = lambda done, known: None) -> Report:
        """Crawl to the end, act on what is gone or in doubt, and store the report."""
        source, journal = self._source, self._journal
        await journal.begin(source.kind, source.knowledge, source.every)
        try:
            self.embedded = await self._index.semantic_leg.embed_missing()
            await self._site.load()
            complete = await (self._walked(progress) if source.kind == "site" else self._read_files(progress))
        except (RetrievalError, OSError) as error:
            return await journal.end(CrawlOutcome.FAILED, str(error), reached=False)
        if reason := journal.nothing_reached():
            return await journal.end(CrawlOutcome.FAILED, self._with_warnings(reason), reached=False)
        outcome, note = await self._finish(complete=complete)
        if any(decision.state not in (State.UNCHANGED, State.SKIPPED) for decision in journal.decisions.values()):
            if source.kind == "site" and outcome is CrawlOutcome.COMPLETE:
                await self._learn_frame()
            await self._index.refresh()
        limit = "" if complete else journal.limit_note(source.limits.max_pages)
        return await journal.end(outcome, self._with_warnings(note or limit or journal.empty_note()), reached=True)

    def _with_warnings(self, note: str) -> str:
        warnings = self._walk.warnings if self._walk else []
        endless = notice(self._journal.decisions.values())
        return "; ".join(part for part in (note, *warnings, endless) if part)

    async def _note_all(self, decided: Iterable[Decided]) -> None:
        for url, decision in decided:
            await self._journal.note(url, decision)

    # A site

    async def _walked(self, progress: Progress) -> bool:
        """Walk the site; whether nothing is left."""
        source, journal = self._source, self._journal
        check(source.id, allow_private=True)  # its form; where it leads is checked at each request
        async with Fetcher.opened(allow_private=source.allow_private, headers=source.headers, own=source.id) as fetcher:
            self._walk = walk = Walk(fetcher, source.id, source.limits, journal.frontier)
            async with self._preparer.browsing(walk.hosts.relay):
                await self._note_all(await walk.begin(journal.asked))
                workers = [self._work(walk, progress) for _ in range(source.limits.concurrency)]
                await _all_or_none(workers)
            await self._note_all(walk.rest())
            return walk.complete

    async def _work(self, walk: Walk, progress: Progress) -> None:
        while (known := await walk.next()) is not None:
            try:
                await self._visit(walk, known)
            finally:
                walk.turn_over()
            progress(walk.asked, walk.known)

    async def _visit(self, walk: Walk, known: KnownAddress) -> None:
        """Ask one address and act on what comes back."""
        answer = await walk.ask(known)
        if isinstance(answer, Page):
            judged = await self._judge(known, answer)
            decided = walk.finished(known, judged.links, judged.words, judged=True)
        else:
            if isinstance(answer, NotModified):
                await self._same(known, answer.robots, Kind.NOT_MODIFIED)
            else:
                await self._journal.note(known.url, answer)
            decided = walk.finished(known)
        await self._note_all(decided)

    # Files

    async def _read_files(self, progress: Progress) -> bool:
        """Read a folder or a file, some at once; always complete."""
        files, gate, done = files_of(Path(self._source.id)), asyncio.Semaphore(FILES_AT_ONCE), 0

        async def one(file: Path) -> None:
            nonlocal done
            async with gate:
                await self._read_file(file)
            done += 1
            progress(done, len(files))

        await _all_or_none([one(file) for file in files])
        return True

    async def _read_file(self, file: Path) -> None:
        """Each page of a file; of an archive that can't be read nothing is removed."""
        try:
            async for part in file_pages(file):
                if isinstance(part, Page):
                    stored = await documents.stored_page(self._db, part.url)
                    known = KnownAddress(part.url)
                    if stored:
                        known.has_document, known.content_hash = True, stored.content_hash
                    await self._judge(known, part)
                else:
                    await self._journal.note(*part)
        except ConvertError as error:
            archive = file.resolve().as_uri()
            for url in (archive, *await documents.urls_under(self._db, f"{archive}#")):
                if url not in self._journal.decisions:
                    await self._journal.note(url, Decision(Kind.NOT_CONVERTED, detail=error.reason))

    # A page

    async def _same(self, known: KnownAddress, robots: str, why: Kind) -> None:
        """An address that holds what it held: the same is decided on it again, unless its header wants it out now."""
        if known.has_document:
            out = self._source.respect_noindex and header_wishes(robots).noindex
            if out:  # the document goes, and with it what an unchanged answer would stand for
                known.forget_content()
            await self._journal.note(known.url, Decision(Kind.NOINDEX if out else why))
            return
        if known.decision is None:
            return
        if known.decision.kind is Kind.TWIN:
            self._twins[known.url] = known.decision.target
        await self._journal.note(known.url, known.decision)

    async def _judge(self, known: KnownAddress, page: Page) -> Judged:
        """One fetched page into the index, or not."""
        digest = self._source.recipe + hashlib.sha256(page.content + page.robots.encode()).hexdigest()[:32]
        if known.content_hash == digest:
            await self._same(known, page.robots, Kind.SAME_CONTENT)
            return Judged()
        ready = await self._preparer.ready(page)
        if ready.rendered:  # what a script shows may change though the page itself doesn't
            page, digest = replace(page, etag="", last_modified=""), f"{self._source.recipe}rendered"
        judged = await self._decide(known.url, page, ready, digest)
        known.etag, known.last_modified, known.content_hash = page.etag, page.last_modified, digest
        if ready.wishes.noindex and page.robots:
            known.etag = known.last_modified = ""  # the header may go without the page changing
        return judged

    async def _decide(self, url: str, page: Page, ready: Prepared, digest: str) -> Judged:
        document = ready.document
        if refresh := ready.wishes.refresh:
            await self._journal.note(url, Decision(Kind.MOVED, refresh))
            return Judged((refresh,))
        why = await self._why_not(url, ready)
        if document is None or why:
            await self._journal.note(url, why or ready.problem or Decision(Kind.NO_TEXT))
            return Judged(_links(ready, document))
        document = self._site.without_frame(document)
        held = HeldPage(url, _at(document, url), digest, page.etag, page.last_modified)
        if self._splitter.writes and not await documents.has_text(self._db, held.document.markdown):
            await self._splitter.ahead(held.document)
        async with self._one_by_one:  # so that two twins can't pass each other
            out = await self._take_or_leave(held)
        links = _links(ready, document)
        if out is None:
            return Judged(links, bag(document.markdown))
        if out.kind is Kind.CANONICAL:
            return Judged((*links, out.target), bag(document.markdown))
        return Judged(links)

    async def _why_not(self, url: str, ready: Prepared) -> Decision | None:
        """What keeps the page out, whatever its text is."""
        if ready.document is None or not url.startswith("http"):
            return None
        if ready.wishes.noindex and self._source.respect_noindex:
            return Decision(Kind.NOINDEX)
        return await self._decoys.why(url, ready.document, ready.wishes, normalised(self._source.id))

    async def _probe(self, url: str) -> Document | None:
        """What a host answers an address with, as a document; None when it says honestly that it has none."""
        assert self._walk is not None, "only a walk meets decoys"
        try:
            answer = await self._walk.hosts.ask(url)
        except FetchError:
            return None
        if not isinstance(answer, Page):
            return None
        return (await self._preparer.ready(answer)).document

    async def _take_or_leave(self, held: HeldPage) -> Decision | None:
        """Put a page in, or hold it back until the crawl's end: None. Else the decision that it stands elsewhere."""
        document = held.document
        if target := _canonical(document):
            out = Decision(Kind.CANONICAL, target)
            await self._journal.hold(replace(held, canonical=target))
            await self._journal.note(held.url, out)
            return out
        if twin := await documents.twin_of(self._db, document.markdown, document.url, self._source.id):
            out = Decision(Kind.TWIN, twin)
            self._twins[held.url] = twin
            await self._journal.note(held.url, out)
            return out
        stored = await documents.stored_page(self._db, held.url)
        before = await documents.markdown_of(self._db, stored.id) if stored else None
        same_recipe = stored is not None and stored.content_hash.startswith(self._source.recipe)
        if stored and same_recipe and (before, stored.title) == (document.markdown, document.title):
            await documents.renew(self._db, held.url, held.content_hash, held.etag, held.last_modified)
            await self._journal.note(held.url, Decision(Kind.SAME_TEXT))
        elif before is not None and same_recipe and is_doubtful(before, document.markdown):
            await self._journal.hold(held)
            await self._journal.note(held.url, Decision(Kind.WAITS_FOR_END))
        else:
            await self._put(held, before)
        return None

    async def _put(self, held: HeldPage, before: str | None) -> None:
        """Split a page and replace what the index holds of it; `before`: that text, None when it holds none."""
        document = held.document
        change = await asyncio.to_thread(changed_facts, before, document.markdown) if before is not None else ""
        chunks, failure = await self._splitter.chunks(document)
        notes = "; ".join(filter(None, (*document.notes, failure)))
        decision = Decision(Kind.ADDED if before is None else Kind.CHANGED, detail=notes)
        await self._journal.note(held.url, decision, change, at_once=True)
        await self._index.replace(
            Entry(self._source.id, document, held.content_hash, chunks, held.etag, held.last_modified)
        )
        self._added += before is None
        await self._site.glimpse(self._added)

    # The end

    async def _finish(self, *, complete: bool) -> tuple[CrawlOutcome, str]:
        """Act on what waited and on what is gone; or keep everything, when the brake pulls."""
        source, journal = self._source, self._journal
        ending = await finish.judge_end(
            self._db, source.id, await journal.held_pages(), journal.decisions, self._twins, complete=complete
        )
        if ending.trouble.pulls and not self._accept:
            await self._note_all(finish.kept_by_brake(ending, journal.decisions))
            self._read_anew(revision.page.url for revision in ending.doubtful)
            return CrawlOutcome.BRAKED, ending.trouble.sentence(source.id)
        for revision in ending.doubtful:
            await self._put(revision.page, revision.before)
        for page in finish.leaving(ending, journal.decisions, once=source.kind != "site" or self._accept):
            await self._index.remove(page.id)
        for page in ending.missing:
            if page.url not in journal.decisions:
                await journal.note(page.url, Decision(Kind.MISSING))
        if ending.missing:
            await self._index.refresh()
        met = finish.met_again(ending, journal.decisions)
        await documents.count_misses(self._db, met, [page.id for page in ending.missing])
        self._read_anew(finish.without_their_text(journal.decisions))
        return CrawlOutcome.COMPLETE, ""

    def _read_anew(self, urls: Iterable[str]) -> None:
        """The next crawl reads these addresses, whether they changed or not."""
        frontier = self._journal.frontier
        for url in urls:
            if url in frontier:
                frontier[url].forget_content()
                frontier.finished(frontier[url])

    async def _learn_frame(self) -> None:
        """Take what repeats on the site out of its pages, and keep what it tells in a document of its own."""
        journal = self._journal
        for revision in await self._site.learned():
            url, decided = revision.page.url, journal.decisions.get(revision.page.url)
            if revision.before == revision.page.document.markdown:
                await journal.note(url, Decision(Kind.SITE_FACTS))
                continue
            await self._put(revision.page, revision.before)
            if decided:  # what was decided on the page is what its reader must hear
                await journal.note(url, decided)


async def _all_or_none(coroutines: Iterable[Coroutine[None, None, None]]) -> None:
    """Run all at once; what stops one stops all, and is raised as itself (a task group would wrap it)."""
    tasks = [asyncio.create_task(one) for one in coroutines]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _links(ready: Prepared, document: Document | None) -> tuple[str, ...]:
    return document.links if document and not ready.wishes.nofollow else ()


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
