"""From a source to the index: crawl, convert, split, embed, replace; and afterwards what is gone, and whether to believe it."""

from __future__ import annotations

import asyncio
import hashlib
import mimetypes
import re
import secrets
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from retrieval.address import normalised
from retrieval.convert import ENDINGS, convert, kind_of, parts
from retrieval.crawl import Known, Limits, Walk
from retrieval.db import now
from retrieval.document import Document, Page
from retrieval.errors import ConvertError, RetrievalError
from retrieval.fetch import Fetcher
from retrieval.index import Entry, Index
from retrieval.split import split

RECIPE = "2"
"""Raised when converting or splitting changes, so that every page is made anew."""
BRAKE = 0.3
"""The share of documents that may vanish in one crawl before it is believed to be a fault of the site."""
MISSES = 2
AT_ONCE = 4
"""Files that are read and converted at the same time."""

Progress = Callable[[int, int], None]


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
    images: bool = True
    source_url: bool = False
    chunk_tokens: int = 320
    overlap: float = 0.12

    @property
    def recipe(self) -> str:
        """What the chunks depend on besides the page itself."""
        parts = (RECIPE, self.images, self.source_url, self.chunk_tokens, self.overlap)
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:8]


@dataclass(frozen=True, slots=True)
class Report:
    """What a crawl did: addresses by decision, and a note when something needs a person."""

    source: str
    outcome: str
    counts: dict[str, int]
    reasons: list[tuple[str, str, str]]
    note: str = ""


class Crawl:
    """One run over one source; every page is committed as it comes."""

    def __init__(self, index: Index, source: Source) -> None:
        self._index = index
        self._source = source
        self._id = secrets.token_hex(8)
        self._reasons: dict[str, tuple[str, str]] = {}
        self._one_by_one = asyncio.Lock()

    async def run(self, progress: Progress = lambda done, known: None) -> Report:
        """Crawl to the end, tombstone what is gone, and store the report."""
        await self._begin()
        try:
            complete = await (self._walk(progress) if self._source.kind == "site" else self._files(progress))
        except (RetrievalError, OSError) as error:
            return await self._end("failed", str(error))
        if reason := self._nothing_reached():
            return await self._end("failed", reason)
        outcome, note = await self._settle() if complete else ("complete", self._limit_note())
        if not complete:
            await self._crawled()
        if any(decision not in ("unchanged", "skipped") for decision, _ in self._reasons.values()):
            await self._index.refresh()
        return await self._end(outcome, note)

    def _nothing_reached(self) -> str:
        """Why not one page could be read, when something was tried; empty when there was one."""
        failed = [reason for decision, reason in self._reasons.values() if decision == "failed"]
        fine = any(decision in ("added", "changed", "unchanged") for decision, _ in self._reasons.values())
        return f"no page could be read: {failed[0]}" if failed and not fine else ""

    async def _crawled(self) -> None:
        async with self._index.db.write() as tx:
            await tx.run("UPDATE sources SET crawled_at = $2 WHERE id = $1", self._source.place, now())

    def _limit_note(self) -> str:
        left = sum(reason.startswith("more than max_pages") for _, reason in self._reasons.values())
        most = self._source.limits.max_pages
        return f"{most} of at least {most + left} pages: raise max_pages for the rest"

    async def _begin(self) -> None:
        source = self._source
        async with self._index.db.write() as tx:
            await tx.run(
                "INSERT INTO sources (id, kind, knowledge, every, added_at) VALUES ($1, $2, $3, $4, $5)"
                " ON CONFLICT (id) DO UPDATE SET kind = $2, knowledge = $3, every = $4",
                source.place,
                source.kind,
                source.knowledge,
                source.every,
                now(),
            )
            await tx.run(
                "UPDATE crawls SET outcome = 'failed', ended_at = $2, note = 'was stopped before its end'"
                " WHERE source_id = $1 AND outcome = 'running'",
                source.place,
                now(),
            )
            await tx.run(
                "INSERT INTO crawls (id, source_id, started_at) VALUES ($1, $2, $3)",
                self._id,
                source.place,
                now(),
            )

    async def _walk(self, progress: Progress) -> bool:
        source = self._source
        rows = await self._index.db.read(
            "SELECT url, etag, last_modified, content_hash FROM documents WHERE source_id = $1 AND tombstoned_at IS NULL",
            source.place,
        )
        known = {
            row["url"]: Known(row["etag"], row["last_modified"])
            if row["content_hash"].startswith(source.recipe)
            else Known()
            for row in rows
        }
        known |= {url: Known() for url in await self._left_over() if url not in known}
        async with Fetcher.opened(allow_private=source.allow_private, headers=source.headers) as fetcher:
            walk = Walk(fetcher, source.place, source.limits, known, self.take, self._note, progress)
            return await walk.run()

    async def _left_over(self) -> list[str]:
        """Addresses that the last whole crawl met but didn't take in: the pages that link to them may be unchanged."""
        rows = await self._index.db.read(
            "SELECT url FROM crawl_pages WHERE decision IN ('failed', 'gone', 'skipped') AND crawl_id ="
            " (SELECT id FROM crawls WHERE source_id = $1 AND outcome IN ('complete', 'braked')"
            " ORDER BY started_at DESC LIMIT 1)",
            self._source.place,
        )
        return [row["url"] for row in rows]

    async def _files(self, progress: Progress) -> bool:
        root = Path(self._source.place)
        files = sorted(file for file in root.rglob("*") if file.is_file()) if root.is_dir() else [root]
        files = [file for file in files if file.suffix.lstrip(".").lower() in ENDINGS or file == root]
        gate, done = asyncio.Semaphore(AT_ONCE), 0

        async def one(file: Path) -> None:
            nonlocal done
            async with gate:
                await self._file(file)
            done += 1
            progress(done, len(files))

        async with asyncio.TaskGroup() as group:
            for file in files:
                group.create_task(one(file))
        return True

    async def _file(self, file: Path) -> None:
        url = file.resolve().as_uri()
        try:
            content = await asyncio.to_thread(file.read_bytes)
        except OSError as error:
            await self._note(url, "failed", f"can't be read ({error.strerror})")
            return
        await self.take(Page(url, content, mimetypes.guess_type(file.name)[0] or ""))

    async def take(self, page: Page) -> tuple[str, ...]:
        """One fetched page into the index; returns the links to follow. An archive is taken file by file."""
        url = normalised(page.url) if page.url.startswith("http") else page.url
        if kind_of(page) == "zip":
            await self._archive(replace(page, url=url))
            return ()
        return await self._taken(page, url)

    async def _archive(self, archive: Page) -> None:
        """Each file under an address of its own; of an archive that can't be read nothing is removed."""
        try:
            found = parts(archive)
            while (part := await asyncio.to_thread(next, found, None)) is not None:
                if isinstance(part, Page) and not kind_of(part):
                    await self._note(part.url, "skipped", "is not a kind of file that can be read")
                elif isinstance(part, Page):
                    await self._taken(part, part.url)
                else:
                    url, _, reason = str(part).partition(": ")
                    await self._note(url, "failed", reason)
        except ConvertError as error:
            inside = await self._index.db.read("SELECT url FROM documents WHERE url LIKE $1", f"{archive.url}#%")
            for url in [archive.url, *(row["url"] for row in inside)]:
                if url not in self._reasons:
                    await self._note(url, "failed", str(error).partition(": ")[2])

    async def _taken(self, page: Page, url: str) -> tuple[str, ...]:
        digest = self._source.recipe + hashlib.sha256(page.content).hexdigest()[:32]
        old = await self._index.db.one(
            "SELECT content_hash, markdown, tombstoned_at FROM documents WHERE url = $1", url
        )
        if old and old["content_hash"] == digest and not old["tombstoned_at"]:
            await self._note(url, "unchanged", "the same content")
            return ()
        try:
            document = await asyncio.to_thread(
                convert, page, images=self._source.images, source_url=self._source.source_url
            )
        except ConvertError as error:
            await self._note(url, "failed", str(error).partition(": ")[2])
            return ()
        except (ValueError, RecursionError, LookupError) as error:  # a page so broken that a parser gives up
            await self._note(url, "failed", f"can't be converted ({type(error).__name__})")
            return ()
        async with self._one_by_one:  # so that two twins can't pass each other
            await self._put(url, page, document, digest, old["markdown"] if old else None)
        return () if document.nofollow else document.links

    async def _put(self, url: str, page: Page, document: Document, digest: str, before: str | None) -> None:
        if document.noindex:
            await self._note(url, "skipped", "the page asks not to be indexed")
        elif twin := await self._twin(url, document):
            await self._note(url, "skipped", f"the same text as {twin}")
        elif not document.markdown.strip():
            await self._note(url, "failed", "holds no text (it may need JavaScript)")
        else:
            chunks = split(document, chunk_tokens=self._source.chunk_tokens, overlap=self._source.overlap)
            entry = Entry(self._source.place, _at(document, url), digest, chunks, page.etag, page.last_modified)
            await self._index.replace(entry)
            await self._note(
                url,
                "changed" if before is not None else "added",
                "; ".join(document.notes),
                _facts(before, document.markdown),
            )

    async def _twin(self, url: str, document: Document) -> str:
        digest = hashlib.sha256(document.markdown.encode()).hexdigest()
        row = await self._index.db.one(
            "SELECT url FROM documents WHERE markdown_hash = $1 AND url <> $2 AND source_id = $3 AND tombstoned_at IS NULL"
            " AND missed = 0",
            digest,
            url,
            self._source.place,
        )
        return str(row["url"]) if row else ""

    async def _note(self, url: str, decision: str, reason: str, change: str = "") -> None:
        self._reasons[url] = (decision, reason)
        async with self._index.db.write() as tx:
            await tx.run(
                "INSERT INTO crawl_pages VALUES ($1, $2, $3, $4, $5) ON CONFLICT (crawl_id, url)"
                " DO UPDATE SET decision = $3, reason = $4, change = $5",
                self._id,
                url,
                decision,
                reason,
                change,
            )

    async def _settle(self) -> tuple[str, str]:
        """Count misses, tombstone what is gone twice; the brake keeps everything when too much would vanish."""
        rows = await self._index.db.read(
            "SELECT id, url, missed FROM documents WHERE source_id = $1 AND tombstoned_at IS NULL",
            self._source.place,
        )
        alive = {url for url, (decision, _) in self._reasons.items() if decision in ("added", "changed", "unchanged")}
        unsure = {url for url, (decision, _) in self._reasons.items() if decision == "failed"}
        missing = [row for row in rows if row["url"] not in alive | unsure]
        if len(rows) >= 5 and len(missing) > BRAKE * len(rows):
            return "braked", f"{len(missing)} of {len(rows)} pages would vanish at once; nothing was removed"
        for row in missing:
            if row["missed"] + 1 >= MISSES or self._source.kind != "site":
                await self._index.remove(row["id"])
            if row["url"] not in self._reasons:
                await self._note(row["url"], "gone", "isn't there any more")
        if missing:
            await self._index.refresh()
        async with self._index.db.write() as tx:
            found = [(row["id"],) for row in rows if row["missed"] and row["url"] in alive]
            await tx.many("UPDATE documents SET missed = 0 WHERE id = $1", found)
            await tx.many("UPDATE documents SET missed = missed + 1 WHERE id = $1", [(row["id"],) for row in missing])
        await self._crawled()
        return "complete", ""

    async def _end(self, outcome: str, note: str) -> Report:
        async with self._index.db.write() as tx:
            await tx.run(
                "UPDATE crawls SET ended_at = $2, outcome = $3, note = $4 WHERE id = $1",
                self._id,
                now(),
                outcome,
                note,
            )
        reasons = [(url, decision, reason) for url, (decision, reason) in self._reasons.items()]
        counts = Counter(decision for _, decision, _ in reasons)
        return Report(self._source.place, outcome, dict(counts), reasons, note)


def _at(document: Document, url: str) -> Document:
    title = (
        unquote(urlsplit(url).path.rsplit("/", 1)[-1])
        if url.startswith("file:") and not document.title
        else document.title
    )
    return Document(
        url, title, document.markdown, document.language, document.links, document.canonical, document.pages
    )


def _facts(before: str | None, after: str) -> str:
    """The numbers, prices and dates that a change took away and brought, as `old → new`."""
    if before is None:
        return ""
    pattern = re.compile(r"[€£$]?\d[\d.,:/-]*\s?(?:[%€£$]|\w{1,3}\b)?")
    old, new = Counter(pattern.findall(before)), Counter(pattern.findall(after))
    gone, come = sorted((old - new).elements()), sorted((new - old).elements())
    return f"{', '.join(gone[:10])} → {', '.join(come[:10])}" if gone or come else ""
