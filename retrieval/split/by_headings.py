"""A document as chunks: headings first, then paragraphs, then sentences; sizes in tokens.

A table is cut by rows with its caption and header repeated, lists and code are kept whole where they fit, small neighbouring
sections under one parent are joined, each question of an FAQ stands alone, and nothing under a heading is dropped.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from retrieval.document import Chunk, Document
from retrieval.split.layout import Layout, Piece
from retrieval.split.sections import SMALL, sections
from retrieval.text.measure import TOKENS


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a section's text, whole in itself; `begins` is where what is new in it begins, `size` is exact."""

    start: int
    end: int
    begins: int
    text: str
    size: int


def split(document: Document, *, chunk_tokens: int = 320, overlap: float = 0.12) -> list[Chunk]:
    """The document's chunks in order; `overlap` is the share repeated in the next chunk of one section."""
    chunks: list[Chunk] = []
    for section in sections(document, int(SMALL * chunk_tokens)):
        layout = Layout(section, TOKENS)
        if len(layout) <= chunk_tokens:
            chunks.append(Chunk(layout.text, section.path, len(layout), page_of(document, layout.offset(0))))
            continue
        for part in parts(layout, Piece(0, len(layout.text)), chunk_tokens, overlap):
            page = page_of(document, layout.offset(part.begins))
            chunks.append(Chunk(part.text, section.path, part.size, page))
    return chunks


def page_of(document: Document, offset: int) -> int | None:
    """The page of a paged document that holds a place."""
    return max(1, bisect_right(document.pages, offset)) if document.pages else None


def parts(layout: Layout, within: Piece, limit: int, overlap: float) -> Iterator[Part]:
    """A stretch of a section in parts of at most `limit` units, `overlap` of it repeated from one to the next."""
    pieces = deque(layout.pieces(within.start, within.end, limit))
    again: int | None = None
    while pieces:
        part = _filled(layout, pieces, again, limit)
        yield part
        again = layout.last_sentences(part.start, part.end, int(limit * overlap))


def _filled(layout: Layout, pieces: deque[Piece], again: int | None, limit: int) -> Part:
    """As many pieces as fit, the first of them cut if it doesn't fit alone; they are taken off."""
    begins = pieces[0].start
    for start in (begins,) if again is None else (again, begins):
        most = _most(layout, pieces, start, limit)
        for taken in range(most, 0, -1):
            end = pieces[taken - 1].end
            text, size = layout.part(start, end, limit)
            if size <= limit:
                for _ in range(taken):
                    pieces.popleft()
                return Part(start, end, begins, text, size)
    pieces.extendleft(reversed(layout.halved(pieces.popleft())))
    return _filled(layout, pieces, None, limit)


def _most(layout: Layout, pieces: deque[Piece], start: int, limit: int) -> int:
    """How many pieces from `start` on fit by the layout's measure, one at least."""
    room = limit - layout.repeated_size(start, limit)
    taken = 1
    for piece in pieces:
        if taken > 1 and layout.size(start, piece.end) > room:
            break
        taken += 1
    return max(1, taken - 1)
