"""What the index holds of each page: the reading side of the table `documents`, and the marks of its page.

Text and chunks are written by `write` alone; here is what a crawl asks before it decides, and what it notes of a page whose
text stays.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from retrieval.db import Database, Row


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A document as it was last taken in. `missed`: crawls in a row that didn't find its page."""

    id: str
    url: str
    title: str
    language: str
    content_hash: str
    markdown_hash: str
    etag: str
    last_modified: str
    missed: int

    @classmethod
    def of(cls, row: Row) -> StoredPage:
        """From a row with these columns."""
        return cls(*(row[name] for name in cls.__slots__))


_COLUMNS = ", ".join(StoredPage.__slots__)


def text_hash(markdown: str) -> str:
    """What equal texts are told by."""
    return hashlib.sha256(markdown.encode()).hexdigest()


async def stored_page(db: Database, url: str) -> StoredPage | None:
    """The live document of an address, or None."""
    row = await db.one(f"SELECT {_COLUMNS} FROM documents WHERE url = $1 AND tombstoned_at IS NULL", url)  # noqa: S608 — own names
    return StoredPage.of(row) if row else None


async def stored_pages(db: Database, source_id: str) -> list[StoredPage]:
    """A source's live documents."""
    rows = await db.read(
        f"SELECT {_COLUMNS} FROM documents WHERE source_id = $1 AND tombstoned_at IS NULL",  # noqa: S608 — own names
        source_id,
    )
    return [StoredPage.of(row) for row in rows]


async def markdown_of(db: Database, document_id: str) -> str | None:
    """A document's text, or None when it isn't there."""
    row = await db.one("SELECT markdown FROM documents WHERE id = $1", document_id)
    return str(row["markdown"]) if row else None


async def has_text(db: Database, markdown: str) -> bool:
    """Whether a live document has exactly this text."""
    return bool(
        await db.one(
            "SELECT 1 FROM documents WHERE markdown_hash = $1 AND tombstoned_at IS NULL LIMIT 1", text_hash(markdown)
        )
    )


async def twin_of(db: Database, markdown: str, url: str, source_id: str) -> str:
    """Another address of the source whose page holds exactly this text; empty when there is none."""
    row = await db.one(
        "SELECT url FROM documents WHERE markdown_hash = $1 AND url <> $2 AND source_id = $3 AND tombstoned_at IS NULL"
        " AND missed = 0",
        text_hash(markdown),
        url,
        source_id,
    )
    return str(row["url"]) if row else ""


async def urls_under(db: Database, prefix: str) -> list[str]:
    """The addresses of documents that begin so, for instance those of an archive's files; also of removed ones."""
    rows = await db.read("SELECT url FROM documents WHERE substr(url, 1, length($1)) = $1", prefix)
    return [str(row["url"]) for row in rows]


@dataclass(frozen=True, slots=True)
class FramedPage:
    """A web page with its text, and the lines of its frame that tell how to reach the business."""

    page: StoredPage
    markdown: str
    frame_facts: tuple[str, ...]


async def framed_pages(db: Database, source_id: str) -> list[FramedPage]:
    """A source's web pages, in the order of their addresses."""
    rows = await db.read(
        f"SELECT {_COLUMNS}, markdown, frame_facts FROM documents"  # noqa: S608 — own names
        " WHERE source_id = $1 AND tombstoned_at IS NULL AND frame_facts <> '' ORDER BY url",
        source_id,
    )
    return [FramedPage(StoredPage.of(row), row["markdown"], tuple(json.loads(row["frame_facts"]))) for row in rows]


async def renew(db: Database, url: str, content_hash: str, etag: str, last_modified: str) -> None:
    """Note that a page was read anew, and says the same."""
    async with db.write() as tx:
        await tx.run(
            "UPDATE documents SET content_hash = $2, etag = $3, last_modified = $4 WHERE url = $1",
            url, content_hash, etag, last_modified,
        )  # fmt: skip


async def count_misses(db: Database, met: Iterable[str], missing: Iterable[str]) -> None:
    """Note which documents' pages a crawl met, and which it didn't, by document id."""
    async with db.write() as tx:
        await tx.many("UPDATE documents SET missed = 0 WHERE id = $1", [(document_id,) for document_id in met])
        await tx.many("UPDATE documents SET missed = missed + 1 WHERE id = $1", [(one,) for one in missing])


async def page_named(db: Database, names: Sequence[str]) -> tuple[str, str] | None:
    """Title and address of the document whose address holds one of the names, the first name and shortest address first."""
    for name in names:
        row = await db.one(
            "SELECT url, title FROM documents WHERE tombstoned_at IS NULL AND url LIKE $1 ORDER BY length(url) LIMIT 1",
            f"%{name}%",
        )
        if row:
            return row["title"], row["url"]
    return None


async def sizes(db: Database) -> dict[str, tuple[int, int]]:
    """For each source the number of its live documents and of their chunks."""
    rows = await db.read(
        "SELECT d.source_id, count(DISTINCT d.id) AS documents, count(c.id) AS chunks"
        " FROM documents d LEFT JOIN chunks c ON c.document_id = d.id WHERE d.tombstoned_at IS NULL GROUP BY d.source_id"
    )
    return {row["source_id"]: (row["documents"], row["chunks"]) for row in rows}


async def document_ids(db: Database, source_id: str) -> list[str]:
    """The ids of all documents of a source, removed ones too."""
    rows = await db.read("SELECT id FROM documents WHERE source_id = $1", source_id)
    return [str(row["id"]) for row in rows]


async def chunk_ids(
    db: Database,
    sources: Sequence[str] | None,
    languages: Sequence[str] | None,
    *,
    since: str | None,
    until: str | None,
) -> list[int]:
    """The chunks of documents of these sources and languages that were read anew from `since` on and before `until`, in order.

    None leaves all in; moments are ISO 8601.
    """
    rows = await db.read(
        "SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document_id"
        " WHERE ($1 IS NULL OR d.source_id IN (SELECT value FROM json_each($1)))"
        " AND ($2 IS NULL OR d.language IN (SELECT value FROM json_each($2)))"
        " AND ($3 IS NULL OR d.fetched_at >= $3) AND ($4 IS NULL OR d.fetched_at < $4) ORDER BY c.id",
        *(None if part is None else json.dumps(list(part)) for part in (sources, languages)),
        since,
        until,
    )
    return [int(row["id"]) for row in rows]
