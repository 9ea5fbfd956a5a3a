"""What belongs to a site, not to one of its pages: the lines that repeat, taken out of each page and kept in one document.

Learned at a crawl's end from all pages of the source; from then on every page that is read is without them. The site's own
document holds how to reach the business and when, and what else every page says.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import replace
from urllib.parse import urljoin, urlsplit

from retrieval.db import Database
from retrieval.document import Document
from retrieval.index.documents import FramedPage, framed_pages
from retrieval.ingest.journal import SITE_DOCUMENT, HeldPage, Revision
from retrieval.ingest.repeat import FEWEST_PAGES, key_of, learn, strip

FIRST_PAGES = 12
"""Pages after which a first look is taken, so that the rest of a first crawl isn't split and embedded twice."""
FIRST_PAGES_SHARE = 0.8
"""The share of those pages that must hold a line: the first pages of a site are often of one part of it."""
LEAST_SHARE_OF_FRAMES = 0.2
"""The share of pages whose frame must tell a fact for it to be the site's."""
CONTACT_HEADINGS = {
    "en": "Phone, e-mail and opening hours",
    "de": "Telefon, E-Mail und Öffnungszeiten",
    "es": "Teléfono, correo electrónico y horario",
    "fr": "Téléphone, e-mail et horaires d'ouverture",
}
"""The heading of those lines, by the pages' language. People ask for "your phone number", but the line is a number alone: the
heading gives the search the words to find it by."""
MOST_LINE_CHARACTERS = 400
"""A longer line of a frame is a text, not a fact. Chosen by hand."""
MOST_SITE_LINES = 60
"""Of the site's own document, so that it stays one or two chunks."""


class Site:
    """The frame of one source's pages."""

    def __init__(self, db: Database, source_id: str) -> None:
        self._db = db
        self._source_id = source_id
        self._lines: dict[str, str] = {}

    async def load(self) -> None:
        """What earlier crawls have learned."""
        rows = await self._db.read("SELECT key, line FROM frame_lines WHERE source_id = $1", self._source_id)
        self._lines = {row["key"]: row["line"] for row in rows}

    def without_frame(self, document: Document) -> Document:
        """A web page without the lines that are known to repeat; a page of nothing else stays as it is."""
        if document.frame_facts is None or not self._lines:
            return document
        stripped = strip(document.markdown, frozenset(self._lines)).markdown
        return replace(document, markdown=stripped) if stripped.strip() else document

    async def glimpse(self, added: int) -> None:
        """Look at the first pages of a site that is new; `added`: how many this crawl has taken in."""
        if added != FIRST_PAGES or self._lines:
            return
        pages = [framed.markdown for framed in await self._pages()]
        if len(pages) == FIRST_PAGES:
            self._keep(pages, learn(pages, FIRST_PAGES_SHARE))

    def _keep(self, pages: Iterable[str], keys: frozenset[str]) -> None:
        """Remember lines as the pages write them."""
        removed = (block for page in pages for block in strip(page, keys).removed)
        lines = (line for block in removed for line in block.split("\n"))
        self._lines |= {key: line for line in lines if (key := key_of(line)) in keys}

    async def _pages(self) -> list[FramedPage]:
        return await framed_pages(self._db, self._source_id)

    async def learned(self) -> list[Revision]:
        """Learn from all pages of the source; those that still hold what repeats, without it, and the site's document."""
        framed = await self._pages()
        if len(framed) < FEWEST_PAGES:
            return []
        pages = [page for page in framed if SITE_DOCUMENT not in page.page.url]
        rewritten = [one async for one in self._without_what_repeats(pages)]
        await self._store()
        before = next((page.markdown for page in framed if SITE_DOCUMENT in page.page.url), None)
        facts = self._facts(pages, Counter(page.page.language for page in framed).most_common(1)[0][0])
        return [*rewritten, Revision(facts, before)] if facts else rewritten

    async def _without_what_repeats(self, pages: Sequence[FramedPage]) -> AsyncIterator[Revision]:
        texts = [framed.markdown for framed in pages]
        self._keep(texts, await asyncio.to_thread(learn, texts) - self._lines.keys())
        known = frozenset(self._lines)
        for framed in pages:
            stripped = strip(framed.markdown, known)
            if not stripped.removed or not stripped.markdown.strip():
                continue
            page = framed.page
            document = Document(page.url, page.title, stripped.markdown, page.language, frame_facts=framed.frame_facts)
            held = HeldPage(page.url, document, page.content_hash, page.etag, page.last_modified)
            yield Revision(held, framed.markdown)

    async def _store(self) -> None:
        async with self._db.write() as tx:
            await tx.many(
                "INSERT INTO frame_lines (source_id, key, line) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                [(self._source_id, key, line) for key, line in self._lines.items()],
            )

    def _facts(self, pages: Sequence[FramedPage], language: str) -> HeldPage | None:
        """The site's own document, when its pages tell anything."""
        contact, sentences = _contact_lines([page.frame_facts for page in pages]), _sentences(self._lines.values())
        if not contact and not sentences:
            return None
        root = urljoin(self._source_id, "/")
        title = urlsplit(root).netloc
        heading = f"## {CONTACT_HEADINGS.get(language, CONTACT_HEADINGS['en'])}"
        section = [heading, "\n".join(f"- {line}" for line in contact)] if contact else []
        markdown = "\n\n".join([f"# {title}", *sentences, *section]) + "\n"
        url = f"{root}{SITE_DOCUMENT}"
        return HeldPage(url, Document(url, title, markdown, language, frame_facts=()))


def _contact_lines(facts: Sequence[Sequence[str]]) -> list[str]:
    """The facts that enough frames tell, the most frequent first."""
    counts = Counter(line for page in facts for line in dict.fromkeys(page))
    told = (line for line, count in counts.most_common() if count >= max(2, LEAST_SHARE_OF_FRAMES * len(facts)))
    return [line for line in told if len(line) <= MOST_LINE_CHARACTERS][:MOST_SITE_LINES]


def _sentences(repeated: Iterable[str]) -> list[str]:
    """The repeated lines that say something: more than a link, a picture or a heading."""
    lines = (
        line.strip().removeprefix("- ") for line in repeated if "](" not in line and not line.startswith(("#", "|"))
    )
    return [line for line in dict.fromkeys(lines) if len(line) <= MOST_LINE_CHARACTERS][:MOST_SITE_LINES]
