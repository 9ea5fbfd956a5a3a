"""The knowledge as one thing: open it, crawl sources into it, search it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from retrieval.db import Database
from retrieval.decision import State
from retrieval.document import Document, Found
from retrieval.embed.embedder import Embedder
from retrieval.index import documents as stored
from retrieval.index import integrity
from retrieval.index.index import Entry, Index
from retrieval.index.semantic import EarlierEmbedder, no_earlier_embedder
from retrieval.ingest import sources
from retrieval.ingest.files import FILES_AT_ONCE
from retrieval.ingest.ingest import Crawl, Source
from retrieval.ingest.journal import PastCrawl, Report, past_crawls, past_report, was_broken_off
from retrieval.ingest.situate import Announce, Prompts, Situator
from retrieval.ingest.sources import UPLOAD, StoredSource
from retrieval.search import floor
from retrieval.search.rerank.rerank import GuardedReranker, Reranker
from retrieval.search.search import Options, search
from retrieval.split.splitting import BY_HEADINGS, Splitter, Splitting
from retrieval.text.analyse import Term, terms
from retrieval.text.language import detect
from retrieval.writer import Writer

MIGRATIONS = Path(__file__).parent / "migrations"
IMPORTED = Source("import", kind=UPLOAD, every="3650d")


class Knowledge:
    """A knowledge database with its index in memory."""

    def __init__(
        self,
        db: Database,
        index: Index,
        options: Options,
        levels: floor.OffTopicLevels,
        *,
        splitting: Splitting = BY_HEADINGS,
        writer: Writer | None = None,
        prompts: Prompts | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self.db = db
        self.index = index
        self.options = options
        self.levels = levels
        self.splitting = splitting
        self.writer = writer
        self.prompts = prompts
        self._reranker = GuardedReranker(reranker) if reranker else None
        self._situating = asyncio.Lock()

    @classmethod
    @asynccontextmanager
    async def opened(
        cls,
        path: Path,
        embedder: Embedder | None,
        options: Options,
        *,
        splitting: Splitting = BY_HEADINGS,
        writer: Writer | None = None,
        prompts: Prompts | None = None,
        earlier: EarlierEmbedder = no_earlier_embedder,
        reranker: Reranker | None = None,
    ) -> AsyncIterator[Knowledge]:
        """The library in a file; it is made when it isn't there.

        `splitting` is for documents that come as they are. `writer`: a model, for `subjects`, for `hyde` and `queries`,
        and, where there are `prompts`, for contexts. `earlier`: embedders of models that were used before, while a new one
        takes over. `reranker`: a cross-encoder, which orders the first hits.
        """
        async with Database.opened(path, MIGRATIONS, "retrieval") as db:
            index = Index(db, None if options.mode == "keyword" else embedder, earlier)
            await index.load()
            yield cls(
                db,
                index,
                options,
                await floor.stored_levels(index),
                splitting=splitting,
                writer=writer,
                prompts=prompts,
                reranker=reranker,
            )

    async def search(self, question: str, language: str = "", **changes: object) -> Found:
        """The hits for a question that stands alone; `changes` replace options for this search."""
        if await self.index.follow():
            self.levels = await floor.stored_levels(self.index)
        options = replace(self.options, **changes) if changes else self.options  # type: ignore[arg-type]
        if options.filter.knowledge:
            of_knowledge = await sources.of_knowledge(self.db, options.filter.knowledge)
            options = replace(options, filter=options.filter.within(of_knowledge))
        return await search(
            self.index, question, options, self.levels, language=language, reranker=self._reranker, writer=self.writer
        )

    def weights(self, question: str, language: str) -> Mapping[Term, float]:
        """The question's terms, corrected, with their weights by rarity."""
        found = terms(question, language, self.index.languages)
        return {term: self.index.weight(term) for term in map(self.index.spelling.corrected, found)}

    async def crawl(
        self,
        source: Source,
        progress: Callable[[int, int], None] = lambda done, known: None,
        *,
        accept: bool = False,
        announce: Announce = lambda _: None,
    ) -> Report:
        """Crawl one source, then measure the floor anew when anything changed; `accept`: without the brake.

        `announce` hears what contexts will cost before the first one is asked for.
        """
        crawl = Crawl(self.index, source, accept=accept, writer=self.writer)
        report = await crawl.run(progress)
        note, written = await self._situate(announce)
        if written:
            await self.index.refresh()
        report = replace(report, note="; ".join(filter(None, (report.note, note))))
        await self._measure(changed=bool(crawl.embedded or written or _changed(report)))
        return report

    async def _measure(self, *, changed: bool) -> None:
        """Measure the floor anew when the index has changed, or another model's vectors are searched now."""
        serving = self.index.semantic_leg.serving
        if changed or (serving and len(self.index.semantic_leg) and self.levels.model != serving.name):
            self.levels = await floor.calibrate(self.index)

    async def _situate(self, announce: Announce = lambda _: None) -> tuple[str, int]:
        """Write the contexts that chunks lack, where they are wanted; a sentence if some can't be, and how many were."""
        if self.writer is None or self.prompts is None:
            return "", 0
        async with self._situating:  # of two crawls at once the second finds nothing left to ask
            situator = Situator(self.index, self.writer, self.prompts)
            return await situator.run(announce), situator.written

    async def catch_up(self) -> None:
        """What may take a while beside the searches: vectors by a model that is new, then the common words read ahead."""
        await self._measure(changed=bool(await self.index.semantic_leg.embed_missing()))
        await self.index.keyword_leg.read_ahead()

    async def crawl_all(self, sources: Sequence[Source]) -> list[Report]:
        """Several small sources at once, in their order; the floor is measured anew at the end."""
        gate = asyncio.Semaphore(FILES_AT_ONCE)

        async def one(source: Source) -> Report:
            async with gate:
                return await Crawl(self.index, source, writer=self.writer).run()

        reports = list(await asyncio.gather(*map(one, sources)))
        note, written = await self._situate()
        reports[-1:] = [replace(report, note="; ".join(filter(None, (report.note, note)))) for report in reports[-1:]]
        await self._measure(changed=bool(written or any(map(_changed, reports))))
        return reports

    async def put(self, documents: Sequence[Document]) -> None:
        """Documents that come as they are, not by a crawl; their addresses are their ids."""
        async with self.db.write() as tx:
            await sources.register(tx, IMPORTED.id, IMPORTED.kind, IMPORTED.knowledge, IMPORTED.every)
        splitter = Splitter(self.splitting, self.writer)
        for document in documents:
            known = document if document.language else replace(document, language=detect(document.markdown))
            chunks, _ = await splitter.chunks(known)
            await self.index.replace(Entry(IMPORTED.id, known, "", chunks))
        await self._situate()
        await self.index.refresh()
        self.levels = await floor.calibrate(self.index)

    async def drop_sources(self, ending: str, keep: str) -> None:
        """Take sources whose address ends in `ending` out with all their documents, except `keep`."""
        dropped = [
            source.id for source in await self.sources() if source.id.endswith(ending) and source.id not in ("", keep)
        ]
        for source_id in dropped:
            for document_id in await stored.document_ids(self.db, source_id):
                await self.index.remove(document_id)
            await sources.remove(self.db, source_id)
        if dropped:
            await self.index.refresh()

    # What the owner sees

    async def sources(self) -> list[StoredSource]:
        """Every source that documents came from."""
        return await sources.stored_sources(self.db)

    async def sizes(self) -> dict[str, tuple[int, int]]:
        """For each source the number of its documents and chunks."""
        return await stored.sizes(self.db)

    async def past_crawls(self) -> list[PastCrawl]:
        """The newest crawls of all sources, newest first."""
        return await past_crawls(self.db)

    async def past_report(self, crawl_id: str) -> tuple[PastCrawl, Report] | None:
        """One crawl with all its decisions; None when it isn't kept any more."""
        return await past_report(self.db, crawl_id)

    async def crawled_at(self, source_id: str) -> str | None:
        """When a source's last crawl reached its end; None when none has."""
        source = await sources.stored_source(self.db, source_id)
        return source.crawled_at if source else None

    async def was_broken_off(self, source_id: str) -> bool:
        """Whether a crawl of the source has begun and not ended."""
        return await was_broken_off(self.db, source_id)

    async def page_named(self, names: Sequence[str]) -> tuple[str, str] | None:
        """Title and address of the page that goes by one of the names, for instance the one with the contact."""
        return await stored.page_named(self.db, names)

    async def index_problems(self) -> list[str]:
        """Where chunks, words and vectors don't agree: a sentence each."""
        return await integrity.problems(self.db, self.index.embedder.name if self.index.embedder else "")


def _changed(report: Report) -> bool:
    return any(report.counts.get(state) for state in (State.ADDED, State.CHANGED, State.GONE))
