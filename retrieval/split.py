"""A document as chunks: headings first, then paragraphs, then sentences; sizes in tokens.

A table is cut by rows with its header repeated, a code block is kept whole where it fits, small neighbouring sections
under one parent are joined, and nothing under a heading is dropped however short.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from retrieval.document import Chunk, Document
from retrieval.tokens import count

HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$")
FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
SENTENCE = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+|(?<=[。！？।])")
SMALL = 0.25
"""Sections below this share of the limit are joined with their neighbours."""


@dataclass(slots=True)
class Section:
    """The blocks between two headings."""

    path: tuple[str, ...]
    level: int
    offset: int
    blocks: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    """Where in the document each block begins."""
    joined: bool = False

    def add(self, place: int, *blocks: str) -> None:
        """Blocks behind the others, and where they come from."""
        self.blocks += blocks
        self.places += [place] * len(blocks)

    @property
    def parent(self) -> tuple[str, ...]:
        """The path that the section hangs under; of joined ones, the path that they share."""
        return self.path if self.joined else self.path[:-1]


def split(document: Document, *, chunk_tokens: int = 320, overlap: float = 0.12) -> list[Chunk]:
    """The document's chunks in order; `overlap` is the share repeated in the next chunk of one section."""
    chunks: list[Chunk] = []
    for section in _joined(list(_sections(document)), chunk_tokens):
        for text, offset in _packed(_pieces(section, chunk_tokens), chunk_tokens, overlap):
            page = max(1, bisect_right(document.pages, offset)) if document.pages else None
            chunks.append(Chunk(text, section.path, count(text), page))
    return chunks


def _sections(document: Document) -> Iterator[Section]:
    path: list[tuple[int, str]] = []
    section = Section((), 0, 0)
    for offset, block in _blocks(document.markdown):
        heading = HEADING.match(block)
        if heading is None:
            section.add(offset, block)
            continue
        level = len(heading[1])
        if section.blocks or (section.path and level <= section.level):
            yield section
        path = [*(step for step in path if step[0] < level), (level, _plain_heading(heading[2]))]
        names = tuple(name for depth, name in path if not (depth == 1 and name == document.title))
        section = Section(names, level, offset)
    if section.blocks or section.path:
        yield section


def _plain_heading(text: str) -> str:
    return re.sub(r"[*`]|!?\[([^\]]*)\]\([^)]*\)", r"\1", text).strip()


def _blocks(markdown: str) -> Iterator[tuple[int, str]]:
    """Paragraphs, tables, lists and code blocks, with the offset at which each begins; a heading is one of its own."""
    offset, start, lines, fence = 0, 0, list[str](), ""
    for line in markdown.split("\n"):
        mark = FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and line.strip().startswith(fence) and lines:
            fence = ""
        closes = not fence and (not line.strip() or (HEADING.match(line) and mark is None))
        if closes and lines:
            yield start, "\n".join(lines)
            lines = []
        if line.strip() or fence:
            if not lines:
                start = offset
            lines.append(line)
        if lines and not fence and HEADING.match(line) and len(lines) == 1:
            yield start, lines.pop()
        offset += len(line) + 1
    if lines:
        yield start, "\n".join(lines)


def _joined(sections: list[Section], limit: int) -> list[Section]:
    """Small sections joined with small neighbours under the same parent; headings stay in the text."""
    joined: list[Section] = []
    for section in sections:
        text = "\n\n".join(section.blocks)
        last = joined[-1] if joined else None
        if last and _belong(last, section) and count("\n\n".join([*last.blocks, text])) < SMALL * limit:
            if not last.joined:
                last.blocks.insert(0, f"**{last.path[-1]}**")
                last.places.insert(0, last.offset)
            last.add(section.offset, f"**{section.path[-1]}**")
            last.blocks += section.blocks
            last.places += section.places
            last.path, last.joined = section.parent, True
        else:
            joined.append(
                Section(section.path, section.level, section.offset, list(section.blocks), list(section.places))
            )
    return [section if section.blocks else _bare(section) for section in joined]


def _bare(section: Section) -> Section:
    """A heading with nothing under it still says something."""
    section.add(section.offset, f"**{section.path[-1]}**")
    return section


def _belong(last: Section, section: Section) -> bool:
    if not (last.path or last.joined) or not section.path:
        return False
    question = any(path and path[-1].rstrip().endswith("?") for path in (last.path, section.path))
    return not question and section.level == last.level and last.parent == section.parent


def _pieces(section: Section, limit: int) -> Iterator[tuple[str, int]]:
    """Blocks, and of those that are too long their rows, lines or sentences; and where in the document each begins."""
    for block, place in zip(section.blocks, section.places, strict=True):
        if count(block) <= limit:
            yield block, place
            continue
        within = 0
        for piece in _table_parts(block, limit) if block.startswith("|") else _long(block, limit):
            own = piece.split("\n")[2:3] if block.startswith("|") else [piece]
            within = max(within, block.find(own[0][:80], within) if own else 0)
            yield piece, place + within


def _table_parts(block: str, limit: int) -> Iterator[str]:
    """Rows under the repeated header; what is too long for that is cut like any text."""
    head, rows = block.split("\n")[:2], block.split("\n")[2:]
    part: list[str] = []
    if count("\n".join(head)) > limit // 2:
        yield from _long(block, limit)
        return
    for row in rows:
        if count("\n".join([*head, row])) > limit:
            yield "\n".join([*head, *part])
            yield from _long(row, limit)
            part = []
            continue
        if part and count("\n".join([*head, *part, row])) > limit:
            yield "\n".join([*head, *part])
            part = []
        part.append(row)
    if part:
        yield "\n".join([*head, *part])


def _long(block: str, limit: int) -> Iterator[str]:
    lines = block.split("\n") if "\n" in block else SENTENCE.split(block)
    for line in lines:
        if count(line) <= limit:
            yield from [line] if line.strip() else []
        elif len(lines) > 1:
            yield from _long(line, limit)
        else:
            yield from _words(line, limit)


def _words(line: str, limit: int) -> Iterator[str]:
    step = max(20, len(line) * limit // (count(line) + 1))
    at = 0
    while at < len(line):
        end = line.rfind(" ", at + step // 2, at + step) if at + step < len(line) else len(line)
        end = end if end > at else min(at + step, len(line))
        yield line[at:end].strip()
        at = end


def _packed(pieces: Iterator[tuple[str, int]], limit: int, overlap: float) -> Iterator[tuple[str, int]]:
    """Texts of pieces, and where in the document what is new in each begins."""
    part: list[str] = []
    begins: int | None = None
    for piece, place in pieces:
        if part and count("\n\n".join([*part, piece])) > limit:
            yield "\n\n".join(part), begins or 0
            part = _tail(part[-1], int(limit * overlap), limit - count(piece))
            begins = None
        part.append(piece)
        begins = place if begins is None else begins
    if part:
        yield "\n\n".join(part), begins or 0


def _tail(text: str, tokens: int, room: int) -> list[str]:
    """The last sentences of a text, at most `tokens` of them in tokens, to begin the next chunk with."""
    if text.startswith(("|", "```", "- ")) or tokens <= 0:
        return []
    tail = ""
    for sentence in reversed(SENTENCE.split(text)):
        longer = f"{sentence} {tail}".strip()
        if count(longer) > min(tokens, room - 4):
            break
        tail = longer
    return [tail] if tail else []
