"""One section laid out: its text, where it may be cut, and how much stands between two places of it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from retrieval.split.blocks import FENCE, Block
from retrieval.split.sections import Section
from retrieval.text.measure import TOKENS, Measure
from retrieval.text.sentences import (
    Ends,
    clauses,
    is_inside_letter,
    items,
    lines,
    paragraphs,
    sentences,
    spaces,
)

CUTS: dict[str, Sequence[Ends]] = {
    "text": (sentences, lines, clauses, spaces),
    "list": (items, lines, sentences, clauses, spaces),
    "table": (lines, sentences, clauses, spaces),
    "code": (paragraphs, lines, spaces),
}
"""Where a block that is too long is cut, the best places first."""
MOST_MARKS = 16
FENCE_SIZE = 3
"""Units that a closing fence takes at most, the line's end included."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What is never cut unless it is too long alone."""

    start: int
    end: int


class Layout:
    """The text of one section with its blocks' places in it; sizes are in the measure's units."""

    def __init__(self, section: Section, measure: Measure) -> None:
        self.text = section.text
        self._blocks = section.blocks
        self._starts: list[int] = []
        at = 0
        for block in section.blocks:
            self._starts.append(at)
            at += len(block.text) + 2
        self._measure = measure
        known = section.tokens if measure is TOKENS else None
        self._units = measure.units(self.text) if known is None else known

    def __len__(self) -> int:
        return len(self._units)

    @cached_property
    def _ends(self) -> list[int]:
        return self._measure.ends(self.text, self._units)

    def size(self, start: int, end: int) -> int:
        """The units between two places, those that stand on them included."""
        if end <= start:
            return 0
        return bisect_left(self._ends, end) - bisect_right(self._ends, start) + 1

    def before(self, at: int, units: int) -> int:
        """The place so many units before a place."""
        index = bisect_left(self._ends, at) - units
        return self._ends[index] if index >= 0 else 0

    def block_at(self, at: int) -> int:
        """The number of the block that holds a place."""
        return max(0, bisect_right(self._starts, at) - 1)

    def offset(self, at: int) -> int:
        """Where in the document a place is."""
        number = self.block_at(at)
        return self._blocks[number].offset + at - self._starts[number]

    def repeated(self, at: int, limit: int) -> str:
        """What a part that begins at a place repeats of its block: a table's caption and head, code's fence.

        What is too long for it is left out, the caption first.
        """
        number = self.block_at(at)
        block, within = self._blocks[number], at - self._starts[number]
        head = _head(block) if block.kind in ("table", "code") else 0
        if not head or within < head:
            return ""
        for begin in (0, block.lead) if block.kind == "table" else (block.lead,):
            if self.measured(block.text[begin:head]) <= limit // 2:
                return block.text[begin:head]
        return ""

    def repeated_size(self, at: int, limit: int) -> int:
        """The units that a part repeats which begins at a place."""
        repeated = self.repeated(at, limit)
        return self.measured(repeated) if repeated else 0

    def measured(self, text: str) -> int:
        """The units of any text."""
        return len(self._measure.units(text))

    def closing(self, at: int) -> str:
        """What a part that ends at a place needs at its end: the fence of code that goes on behind it."""
        number = self.block_at(at - 1)
        block, within = self._blocks[number], at - self._starts[number]
        inside = block.kind == "code" and _head(block) < within < len(block.text)
        return f"\n{_fence(block)}" if inside else ""

    def part(self, start: int, end: int, limit: int) -> tuple[str, int]:
        """The text between two places, whole in itself, and its exact size."""
        around = self.repeated(start, limit), self.closing(end)
        text = around[0] + self.text[start:end] + around[1]
        return text, self.measured(text) if any(around) else self._exactly(start, end)

    def _exactly(self, start: int, end: int) -> int:
        """The size of the text between two places by itself.

        A space behind a letter begins a unit wherever it stands, so only the words at both ends are counted anew.
        """
        first = self.text.find(" ", start + 1, end)
        last = self.text.rfind(" ", start + 1, end)
        if first == last or self.text[first - 1].isspace() or self.text[last - 1].isspace():
            return self.measured(self.text[start:end])
        between = bisect_right(self._ends, last) - bisect_right(self._ends, first)
        return self.measured(self.text[start:first]) + between + self.measured(self.text[last:end])

    def pieces(self, start: int, end: int, limit: int) -> Iterator[Piece]:
        """What lies between two places as pieces of at most `limit` units."""
        for number in range(self.block_at(start), len(self._blocks)):
            first, block = self._starts[number], self._blocks[number]
            if first >= end:
                return
            piece = Piece(max(first, start), min(first + len(block.text), end))
            around = self.repeated_size(piece.start, limit) + FENCE_SIZE * bool(self.closing(piece.end))
            if self.size(piece.start, piece.end) + around <= limit:
                yield piece
            elif block.lead and block.kind == "list":
                yield from self._led(self._parts(number, piece, limit), limit)
            else:
                yield from self._parts(number, piece, limit)

    def _led(self, parts: Iterator[Piece], limit: int) -> Iterator[Piece]:
        """The parts of a list, the line that introduces it and its first item in one."""
        lead, item = next(parts, None), next(parts, None)
        if lead and item and self.size(lead.start, item.end) <= limit:
            lead, item = Piece(lead.start, item.end), None
        yield from filter(None, (lead, item))
        yield from parts

    def _parts(self, number: int, piece: Piece, limit: int) -> Iterator[Piece]:
        """The parts of a block that is too long; a table's head and code's fences stay with their neighbours."""
        block, first = self._blocks[number], self._starts[number]
        start, end = first + _head(block), first + _tail(block)
        repeated = self.repeated(start, limit) if start > first else ""
        room = limit - self.measured(repeated) - FENCE_SIZE * (block.kind == "code")
        body = Piece(max(piece.start, start), min(piece.end, end))
        if not repeated or self.size(first, start) > limit // 2 or body.start >= body.end:
            yield from self._cut(piece, room, CUTS[block.kind])
            return
        parts = list(self._cut(body, room - max(0, self.size(first, start) - (limit - room)), CUTS[block.kind]))
        parts = parts or [body]
        parts[0] = Piece(piece.start, parts[0].end)
        parts[-1] = Piece(parts[-1].start, piece.end)
        yield from parts

    def _cut(self, piece: Piece, limit: int, cuts: Sequence[Ends]) -> Iterator[Piece]:
        if self.size(piece.start, piece.end) <= limit:
            yield from self._trimmed(piece)
            return
        if not cuts:
            yield from self._letters(piece, limit)
            return
        start = piece.start
        for end in (*cuts[0](self.text, piece.start, piece.end), piece.end):
            yield from self._cut(Piece(start, end), limit, cuts[1:])
            start = end

    def _letters(self, piece: Piece, limit: int) -> Iterator[Piece]:
        """A run without any place to cut, between two letters."""
        start = piece.start
        while self.size(start, piece.end) > limit:
            index = bisect_right(self._ends, start) + max(1, limit - 2)
            end = min(self._between_letters(max(start + 1, self._ends[index - 1])), piece.end)
            yield Piece(start, end)
            start = end
        if start < piece.end:
            yield Piece(start, piece.end)

    def _between_letters(self, at: int) -> int:
        return next((end for end in range(at, at + MOST_MARKS) if not is_inside_letter(self.text, end)), at)

    def _trimmed(self, piece: Piece) -> Iterator[Piece]:
        """The piece without white space around it; a line's indentation stays."""
        text = self.text[piece.start : piece.end]
        if not text.strip():
            return
        blank = text[: len(text) - len(text.lstrip())]
        if "\n" in blank:
            start = blank.rindex("\n") + 1
        else:
            start = 0 if self.text[piece.start - 1 : piece.start] in ("", "\n") else len(blank)
        yield Piece(piece.start + start, piece.start + len(text.rstrip()))

    def halved(self, piece: Piece) -> tuple[Piece, Piece]:
        """A piece in two, at a space near its middle where there is one."""
        middle = min(self._between_letters((piece.start + piece.end) // 2), piece.end - 1)
        space = self.text.rfind(" ", piece.start + 1, middle)
        at = space + 1 if space > (piece.start + middle) // 2 else middle
        return Piece(piece.start, at), Piece(at, piece.end)

    def last_sentences(self, start: int, end: int, units: int) -> int | None:
        """Where what the next part repeats begins: the last whole sentences before `end`, else the last words."""
        number = self.block_at(end - 1)
        if self._blocks[number].kind != "text" or units <= 0:
            return None
        first = max(start, self._starts[number])
        least = max(self.before(end, units), first + (first == start))
        if first >= least:
            return first
        for cuts in (sentences, clauses, spaces):
            for at in cuts(self.text, max(first, least - MOST_MARKS), end):
                if at >= least:
                    return at + len(self.text[at:end]) - len(self.text[at:end].lstrip())
        return None


def _head(block: Block) -> int:
    """Where the rows of a table, the lines of code begin; nought for other blocks."""
    if block.kind not in ("table", "code"):
        return 0
    line = block.text.find("\n", block.lead)
    end = block.text.find("\n", line + 1) if block.kind == "table" and line >= 0 else line
    return end + 1 if end >= 0 else 0


def _tail(block: Block) -> int:
    """Where code's closing fence begins; the end of other blocks."""
    last = block.text.rfind("\n") if block.kind == "code" else -1
    closed = last > block.lead and block.text[last:].strip().startswith(_fence(block))
    return last if closed else len(block.text)


def _fence(block: Block) -> str:
    """The mark that opens and closes code."""
    line = block.text[block.lead : block.text.find("\n", block.lead)]
    found = FENCE.match(line)
    return found[1] if found else "```"
