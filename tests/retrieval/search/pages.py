"""Pages on their way into an index, and a small business that several tests search."""

from __future__ import annotations

from collections.abc import Mapping

from retrieval.document import Document, Hit
from retrieval.index.index import Entry, Index
from retrieval.split.by_headings import split

BOAT_HIRE = {
    "bags": "# Dry bags\n\n## 20 litres\n\nThe bag TT-DB-20 costs £24.\n\n## 30 litres\n\nThe bag TT-DB-30 costs £29.",
    "dogs": "# Dogs\n\nDogs may ride in a canoe when they wear a life jacket.",
    "hours": "# Opening hours\n\nWe open at nine and close at six from April to October.",
}


def page(name: str, text: str, title: str | None = None) -> Entry:
    """A page at https://x.example/NAME; its title is that of its first line."""
    found = text.split("\n")[0].removeprefix("# ") if title is None else title
    document = Document(f"https://x.example/{name}", found, text, "en")
    return Entry("test", document, name, split(document))


async def put(index: Index, pages: Mapping[str, str], title: str | None = None) -> Index:
    """The index with these pages, counted."""
    for name, text in pages.items():
        await index.replace(page(name, text, title))
    await index.refresh()
    return index


def name_of(hit: Hit) -> str:
    """The name of the page that a hit is from."""
    return hit.url.rpartition("/")[2]
