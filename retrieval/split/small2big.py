"""Small chunks to be found by, in larger parents to be read: a narrow question meets a narrow text, its answer comes whole."""

from __future__ import annotations

from collections.abc import Iterator

from retrieval.document import Chunk, Document, Parent
from retrieval.split.by_headings import Part, page_of, parts
from retrieval.split.layout import Layout, Piece
from retrieval.split.sections import SMALL, Section, sections
from retrieval.text.measure import WORDS
from retrieval.text.tokens import count


def small2big(
    document: Document, *, child_words: int = 200, parent_words: int = 400, overlap: float = 0.12
) -> list[Chunk]:
    """The document's chunks of at most `child_words`, each with its parent; nothing is repeated between two parents.

    Where a parent is no larger than one chunk, the chunk has none.
    """
    return [
        chunk
        for section in sections(document, int(SMALL * child_words))
        for chunk in _chunks(document, section, child_words, max(parent_words, child_words), overlap)
    ]


def _chunks(
    document: Document, section: Section, child_words: int, parent_words: int, overlap: float
) -> Iterator[Chunk]:
    layout = Layout(section, WORDS)
    for large in parts(layout, Piece(0, len(layout.text)), parent_words, 0):
        small = list(parts(layout, Piece(large.start, large.end), child_words, overlap))
        parent = Parent(large.text, count(large.text), page_of(document, layout.offset(large.begins)))
        for part in [large] if len(small) < 2 else small:
            yield _chunk(document, section, layout, part, parent if len(small) > 1 else None)


def _chunk(document: Document, section: Section, layout: Layout, part: Part, parent: Parent | None) -> Chunk:
    page = page_of(document, layout.offset(part.begins))
    return Chunk(part.text, section.path, count(part.text), page, parent)
