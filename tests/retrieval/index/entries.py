"""Documents on their way into the index, by their chunks' texts."""

from __future__ import annotations

from retrieval.document import Chunk, Document
from retrieval.index.index import Entry


def entry(url: str, *texts: str, title: str = "", heading: str = "", language: str = "en") -> Entry:
    """A document with a chunk a text; it counts as changed when its texts have."""
    path = (heading,) if heading else ()
    document = Document(url, title, "\n\n".join(texts), language)
    return Entry("test", document, f"hash of {texts}", [Chunk(text, path, len(text.split())) for text in texts])
