"""A document as chunks, cut at headings first, then between paragraphs, then between sentences; sizes in tokens.

A table is cut between rows, its caption and header repeated. Lists and code are kept whole where they fit. Small neighbouring
sections under one parent are joined, but each question of an FAQ stands alone. No text is dropped. Why so: README.md.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from retrieval.document import Chunk, Document
from retrieval.split.layout import Piece, SectionLayout
from retrieval.split.sections import JOINED_SHARE, sections
from retrieval.text.measure import IN_TOKENS


@dataclass(frozen=True, slots=True)
class SectionPart:
    """A part of a section that can be read by itself: `text` with what it repeats (a table's header, the last sentences).

    `start` and `end` are its places in the section, `begins` the place where what the part before didn't have begins;
    `size` is the exact size of `text` in the layout's unit.
    """

    start: int
    end: int
    begins: int
    text: str
    size: int


def split(document: Document, *, chunk_tokens: int = 320, overlap: float = 0.12) -> list[Chunk]:
    """The document's chunks in order, of at most `chunk_tokens` tokens.

    `overlap`: the share of a chunk (0 to 1) whose last sentences are repeated in the next chunk of the same section.
    """
    chunks: list[Chunk] = []
    for section in sections(document, int(JOINED_SHARE * chunk_tokens)):
        layout = SectionLayout(section, IN_TOKENS)
        if len(layout) <= chunk_tokens:  # most sections of most sites: nothing to cut, nothing to repeat
            chunks.append(Chunk(layout.text, section.path, len(layout), page_of(document, layout.offset(0))))
            continue
        for part in parts_within(layout, Piece(0, len(layout.text)), chunk_tokens, overlap):
            page = page_of(document, layout.offset(part.begins))
            chunks.append(Chunk(part.text, section.path, part.size, page))
    return chunks


def page_of(document: Document, offset: int) -> int | None:
    """The number (from 1) of the page that an offset into the document's Markdown lies on; None for a document without pages."""
    return max(1, bisect_right(document.pages, offset)) if document.pages else None


def parts_within(layout: SectionLayout, within: Piece, limit: int, overlap: float) -> Iterator[SectionPart]:
    """The stretch `within` a section as parts of at most `limit` units; `overlap`: the share that is repeated in the next one."""
    pieces = deque(layout.pieces(within.start, within.end, limit))
    again: int | None = None
    while pieces:
        part = _next_part(layout, pieces, again, limit)
        yield part
        again = layout.last_sentences(part.start, part.end, int(limit * overlap))


def _next_part(layout: SectionLayout, pieces: deque[Piece], again: int | None, limit: int) -> SectionPart:
    """The next part: as many pieces as fit, which are taken off the queue; a piece that doesn't fit alone is halved.

    `again`: where the part should begin to repeat the end of the one before; given up when it leaves no room for anything.
    """
    begins = pieces[0].start
    # with what is repeated; without it, if that leaves no room for a single piece
    for start in (begins,) if again is None else (again, begins):
        most = _most_pieces(layout, pieces, start, limit)
        for taken in range(most, 0, -1):
            end = pieces[taken - 1].end
            text, size = layout.part(start, end, limit)  # exact, where `_most_pieces` only estimates
            if size <= limit:
                for _ in range(taken):
                    pieces.popleft()
                return SectionPart(start, end, begins, text, size)
    pieces.extendleft(reversed(layout.halved(pieces.popleft())))
    return _next_part(layout, pieces, None, limit)


def _most_pieces(layout: SectionLayout, pieces: deque[Piece], start: int, limit: int) -> int:
    """How many pieces from `start` on fit by the layout's look-up, one at least."""
    room = limit - layout.repeated_size(start, limit)
    taken = 1
    for piece in pieces:
        if taken > 1 and layout.size(start, piece.end) > room:
            break
        taken += 1
    return max(1, taken - 1)
