"""What belongs to a site, not to one of its pages: the lines that repeat, taken out of each page and kept in one document.

Learned at a crawl's end from all pages of the source; from then on every page that is read is without them. The site's own
document holds how to reach the business and when, and what else every page says.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from urllib.parse import urljoin, urlsplit

from retrieval.db import Database, Row
from retrieval.document import Document
from retrieval.ingest.journal import SITE, Held, Journal
from retrieval.ingest.repeat import FEWEST, key_of, learn, strip

EARLY = 12
"""Pages after which a first look is taken, so that the rest of a first crawl isn't split and embedded twice."""
ALL_BUT_FEW = 0.8
"""The share of those pages that must hold a line: the first pages of a site are often of one part of it."""
TOLD = 0.2
"""The share of pages whose frame must tell a fact for it to be the site's."""
CONTACT = {
    "en": "Phone, e-mail and opening hours",
    "de": "Telefon, E-Mail und Öffnungszeiten",
    "es": "Teléfono, correo electrónico y horario",
    "fr": "Téléphone, e-mail et horaires d'ouverture",
}
"""What the frame's facts are asked for by: a number alone holds none of a question's words."""
LONGEST_LINE = 400
MOST_LINES = 60

Put = Callable[[Held, str | None], Awaitable[None]]


class Site:
    """The frame of one source's pages; `put` takes a document into the index."""

    def __init__(self, db: Database, journal: Journal, place: str, put: Put) -> None:
        self._db = db
        self._journal = journal
        self._place = place
        self._put = put
        self._lines: dict[str, str] = {}

    async def load(self) -> None:
        """What earlier crawls have learned."""
        rows = await self._db.read("SELECT key, line FROM frame_lines WHERE source_id = $1", self._place)
        self._lines = {row["key"]: row["line"] for row in rows}

    def without_frame(self, document: Document) -> Document:
        """A web page without the lines that are known to repeat; a page of nothing else stays as it is."""
        if document.frame_facts is None or not self._lines:
            return document
        stripped = strip(document.markdown, frozenset(self._lines)).markdown
        return replace(document, markdown=stripped) if stripped.strip() else document

    async def glimpse(self, added: int) -> None:
        """Look at the first pages of a site that is new; `added`: how many this crawl has taken in."""
        if added != EARLY or self._lines:
            return
        pages = [row["markdown"] for row in await self._pages()]
        if len(pages) == EARLY:
            self._keep(pages, learn(pages, ALL_BUT_FEW))

    def _keep(self, pages: Iterable[str], keys: frozenset[str]) -> None:
        """Remember lines as the pages write them."""
        removed = (block for page in pages for block in strip(page, keys).removed)
        lines = (line for block in removed for line in block.split("\n"))
        self._lines |= {key: line for line in lines if (key := key_of(line)) in keys}

    async def _pages(self) -> Sequence[Row]:
        return await self._db.read(
            "SELECT url, title, language, markdown, content_hash, etag, last_modified, frame_facts FROM documents"
            " WHERE source_id = $1 AND tombstoned_at IS NULL AND frame_facts <> '' ORDER BY url",
            self._place,
        )

    async def settle(self) -> None:
        """Learn from all pages, take what repeats out of those that still hold it, and write the site's document."""
        rows = await self._pages()
        if len(rows) >= FEWEST:
            await self._learn([row for row in rows if SITE not in row["url"]])
            await self._tell(rows)

    async def _learn(self, rows: Sequence[Row]) -> None:
        pages = [row["markdown"] for row in rows]
        new = await asyncio.to_thread(learn, pages) - self._lines.keys()
        self._keep(pages, new)
        known = frozenset(self._lines)
        for row in rows:
            stripped = strip(row["markdown"], known)
            if not stripped.removed or not stripped.markdown.strip():
                continue
            document = Document(
                row["url"],
                row["title"],
                stripped.markdown,
                row["language"],
                frame_facts=tuple(json.loads(row["frame_facts"])),
            )
            before = self._journal.reasons.get(row["url"])
            await self._put(
                Held(row["url"], "", document, row["content_hash"], row["etag"], row["last_modified"]), row["markdown"]
            )
            if before:  # what was decided on the page is what its reader must hear
                await self._journal.note(row["url"], *before)
        async with self._db.write() as tx:
            await tx.many(
                "INSERT INTO frame_lines VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                [(self._place, key, line) for key, line in self._lines.items()],
            )

    async def _tell(self, rows: Sequence[Row]) -> None:
        """The site's own document, when its pages tell anything; left as it is when they tell the same as before."""
        root = urljoin(self._place, "/")
        url, before = f"{root}{SITE}", next((str(row["markdown"]) for row in rows if SITE in row["url"]), None)
        facts = [json.loads(row["frame_facts"]) for row in rows if SITE not in row["url"]]
        language = Counter(str(row["language"]) for row in rows).most_common(1)[0][0]
        told, said = _told(facts), _said(self._lines.values())
        if not told and not said:
            return
        title = urlsplit(root).netloc
        contact = [f"## {CONTACT.get(language, CONTACT['en'])}", "\n".join(f"- {line}" for line in told)] * bool(told)
        markdown = "\n\n".join([f"# {title}", *said, *contact]) + "\n"
        if markdown == before:
            await self._journal.note(url, "unchanged", "what every page tells")
            return
        document = Document(url, title, markdown, language, frame_facts=())
        await self._put(Held(url, "", document, "", "", ""), before)


def _told(facts: Sequence[Sequence[str]]) -> list[str]:
    """The facts that enough frames tell, the most frequent first."""
    counts = Counter(line for page in facts for line in dict.fromkeys(page))
    told = (line for line, count in counts.most_common() if count >= max(2, TOLD * len(facts)))
    return [line for line in told if len(line) <= LONGEST_LINE][:MOST_LINES]


def _said(repeated: Iterable[str]) -> list[str]:
    """The repeated lines that say something: more than a link, a picture or a heading."""
    lines = (
        line.strip().removeprefix("- ") for line in repeated if "](" not in line and not line.startswith(("#", "|"))
    )
    return [line for line in dict.fromkeys(lines) if len(line) <= LONGEST_LINE][:MOST_LINES]
