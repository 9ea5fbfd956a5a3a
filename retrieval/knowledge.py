"""The knowledge as one thing: open it, crawl sources into it, search it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from retrieval import floor
from retrieval.analyse import Term, terms
from retrieval.db import Database, Row
from retrieval.document import Document, Found
from retrieval.embed import Embedder
from retrieval.files import AT_ONCE
from retrieval.index import Entry, Index
from retrieval.ingest import Crawl, Source
from retrieval.journal import Report
from retrieval.language import detect
from retrieval.search import Options, search
from retrieval.split import split

MIGRATIONS = Path(__file__).parent / "migrations"
IMPORTED = Source("import", kind="upload", every="3650d")


class Knowledge:
    """A knowledge database with its index in memory."""

    def __init__(self, db: Database, index: Index, options: Options, calibration: floor.Calibration) -> None:
        self.db = db
        self.index = index
        self.options = options
        self.calibration = calibration

    @classmethod
    @asynccontextmanager
    async def opened(cls, path: Path, embedder: Embedder | None, options: Options) -> AsyncIterator[Knowledge]:
        """The library in a file; it is made when it isn't there."""
        async with Database.opened(path, MIGRATIONS, "retrieval") as db:
            index = Index(db, None if options.mode == "keyword" else embedder)
            await index.load()
            yield cls(db, index, options, await floor.stored(index))

    async def search(self, question: str, language: str = "", **changes: object) -> Found:
        """The hits for a question that stands alone; `changes` replace options for this search."""
        options = replace(self.options, **changes) if changes else self.options  # type: ignore[arg-type]
        return await search(self.index, question, options, self.calibration, language)

    def weights(self, question: str, language: str) -> Mapping[Term, float]:
        """The question's terms, corrected, with their weights by rarity."""
        found = terms(question, language, self.index.languages)
        return {term: self.index.weight(term) for term in map(self.index.speller.corrected, found)}

    async def crawl(
        self, source: Source, progress: Callable[[int, int], None] = lambda done, known: None, *, accept: bool = False
    ) -> Report:
        """Crawl one source, then measure the floor anew when anything changed; `accept`: without the brake."""
        crawl = Crawl(self.index, source, accept=accept)
        report = await crawl.run(progress)
        if crawl.embedded or any(report.counts.get(decision) for decision in ("added", "changed", "gone")):
            self.calibration = await floor.calibrate(self.index)
        return report

    async def crawl_all(self, sources: Sequence[Source]) -> list[Report]:
        """Several small sources at once, in their order; the floor is measured anew at the end."""
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(source: Source) -> Report:
            async with gate:
                return await Crawl(self.index, source).run()

        reports = list(await asyncio.gather(*map(one, sources)))
        if any(report.counts.get(kind) for report in reports for kind in ("added", "changed", "gone")):
            self.calibration = await floor.calibrate(self.index)
        return reports

    async def put(self, documents: Sequence[Document]) -> None:
        """Documents that come as they are, not by a crawl; their addresses are their ids."""
        async with self.db.write() as tx:
            await tx.run(
                "INSERT INTO sources (id, kind, every, added_at) VALUES ($1, $2, $3, '') ON CONFLICT DO NOTHING",
                IMPORTED.place,
                IMPORTED.kind,
                IMPORTED.every,
            )
        for document in documents:
            told = document if document.language else replace(document, language=detect(document.markdown))
            await self.index.replace(Entry(IMPORTED.place, told, "", split(told)))
        await self.index.refresh()
        self.calibration = await floor.calibrate(self.index)

    async def drop_sources(self, ending: str, keep: str) -> None:
        """Take sources whose address ends in `ending` out with all their documents, except `keep`."""
        rows = await self.db.read("SELECT id FROM sources WHERE id LIKE $1 AND id <> $2", f"%{ending}", keep)
        for row in rows:
            for document in await self.db.read("SELECT id FROM documents WHERE source_id = $1", row["id"]):
                await self.index.remove(document["id"])
            async with self.db.write() as tx:
                await tx.run("DELETE FROM sources WHERE id = $1", row["id"])
        if rows:
            await self.index.refresh()

    async def page_named(self, endings: Sequence[str]) -> Row | None:
        """The first document whose address ends in one of the names, for instance the page with the contact."""
        for ending in endings:
            row = await self.db.one(
                "SELECT url, title FROM documents WHERE tombstoned_at IS NULL AND url LIKE $1 ORDER BY length(url) LIMIT 1",
                f"%{ending}%",
            )
            if row:
                return row
        return None
