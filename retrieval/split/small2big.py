"""Small chunks that are searched, each inside a larger parent that is shown: narrow questions meet narrow texts."""

from __future__ import annotations

from collections.abc import Iterator

from retrieval.document import Chunk, Document, Parent
from retrieval.split.by_headings import SectionPart, page_of, parts_within
from retrieval.split.layout import Piece, SectionLayout
from retrieval.split.sections import JOINED_SHARE, Section, sections
from retrieval.text.measure import IN_WORDS
from retrieval.text.tokens import count


def small2big(
    document: Document, *, child_words: int = 200, parent_words: int = 400, overlap: float = 0.12
) -> list[Chunk]:
    """The document's chunks of at most `child_words` words, each with a parent of at most `parent_words`.

    `overlap`: the share of a chunk that the next one under the same parent repeats; parents repeat nothing. A chunk that
    would be all of its parent has none.
    """
    return [
        chunk
        for section in sections(document, int(JOINED_SHARE * child_words))
        for chunk in _chunks(document, section, child_words, max(parent_words, child_words), overlap)
    ]


def _chunks(
    document: Document, section: Section, child_words: int, parent_words: int, overlap: float
) -> Iterator[Chunk]:
    layout = SectionLayout(section, IN_WORDS)
    for large in parts_within(layout, Piece(0, len(layout.text)), parent_words, 0):
        small = list(parts_within(layout, Piece(large.start, large.end), child_words, overlap))
        parent = Parent(large.text, count(large.text), page_of(document, layout.offset(large.begins)))
        for part in [large] if len(small) < 2 else small:  # a parent of one child would only say the same again
            yield _chunk_of_part(document, section, layout, part, parent if len(small) > 1 else None)


def _chunk_of_part(
    document: Document, section: Section, layout: SectionLayout, part: SectionPart, parent: Parent | None
) -> Chunk:
    page = page_of(document, layout.offset(part.begins))
    return Chunk(part.text, section.path, count(part.text), page, parent)
