"""One section laid out for cutting: where it may be cut, and how many tokens stand between two places of it.

The section is tokenised once and the places of its tokens are kept, so every size is a look-up; `benchmarks/split.py` prints
what splitting costs beside counting the tokens once.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from retrieval.split.blocks import CODE_FENCE, Block
from retrieval.split.sections import Section
from retrieval.text.measure import IN_TOKENS, Measure
from retrieval.text.sentences import (
    CutPlaces,
    clause_ends,
    is_inside_letter,
    item_ends,
    line_ends,
    paragraph_ends,
    sentence_ends,
    space_ends,
)

CUTS_BY_KIND: dict[str, Sequence[CutPlaces]] = {
    "text": (sentence_ends, line_ends, clause_ends, space_ends),
    "list": (item_ends, line_ends, sentence_ends, clause_ends, space_ends),
    "table": (line_ends, sentence_ends, clause_ends, space_ends),
    "code": (paragraph_ends, line_ends, space_ends),
}
"""Where a block that is too long is cut, by its kind: the best places first, the next ones only if pieces are still too long."""
MOST_MARKS_ON_LETTER = 16
"""Accents and joiners that a cut steps over to stay behind a whole letter; chosen by hand, real letters carry three or four."""
CLOSING_FENCE_UNITS = 3
"""Tokens or words that a closing fence takes at most, its line break included."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a section that is only cut further when it is too long by itself; places in the section's text."""

    start: int
    end: int


class SectionLayout:
    """The text of one section and the places of its blocks and units in it; sizes are in the measure's unit."""

    def __init__(self, section: Section, measure: Measure) -> None:
        self.text = section.text
        self._blocks = section.blocks
        self._starts: list[int] = []
        at = 0
        for block in section.blocks:
            self._starts.append(at)
            at += len(block.text) + 2  # the empty line between two blocks
        self._measure = measure
        counted = section.tokens if measure is IN_TOKENS else None
        self._units = measure.units(self.text) if counted is None else counted

    def __len__(self) -> int:
        return len(self._units)

    @cached_property
    def _ends(self) -> list[int]:
        return self._measure.ends(self.text, self._units)

    def size(self, start: int, end: int) -> int:
        """How many units lie between two places; one that a place cuts through counts as whole."""
        if end <= start:
            return 0
        return bisect_left(self._ends, end) - bisect_right(self._ends, start) + 1

    def before(self, at: int, units: int) -> int:
        """The place that lies `units` units before `at`; 0 at the section's beginning."""
        index = bisect_left(self._ends, at) - units
        return self._ends[index] if index >= 0 else 0

    def block_at(self, at: int) -> int:
        """The index of the block that a place lies in."""
        return max(0, bisect_right(self._starts, at) - 1)

    def offset(self, at: int) -> int:
        """The offset into the document's Markdown of a place in this section."""
        number = self.block_at(at)
        return self._blocks[number].offset + at - self._starts[number]

    def repeated(self, at: int, limit: int) -> str:
        """What a part that begins inside a block has to repeat of it: a table's caption and header, or code's opening fence.

        What would take more than half of `limit` is left out, the caption first; empty where nothing is repeated.
        """
        number = self.block_at(at)
        block, within = self._blocks[number], at - self._starts[number]
        head = _head(block) if block.kind in ("table", "code") else 0
        if not head or within < head:
            return ""
        # a part must have room for more than what it repeats
        for begin in (0, block.lead) if block.kind == "table" else (block.lead,):
            if self.measured(block.text[begin:head]) <= limit // 2:
                return block.text[begin:head]
        return ""

    def repeated_size(self, at: int, limit: int) -> int:
        """The size of what a part that begins at this place repeats."""
        repeated = self.repeated(at, limit)
        return self.measured(repeated) if repeated else 0

    def measured(self, text: str) -> int:
        """The size of any text."""
        return len(self._measure.units(text))

    def closing(self, at: int) -> str:
        """The closing fence that a part needs which ends inside a block of code; else empty."""
        number = self.block_at(at - 1)
        block, within = self._blocks[number], at - self._starts[number]
        inside = block.kind == "code" and _head(block) < within < len(block.text)
        return f"\n{_fence(block)}" if inside else ""

    def part(self, start: int, end: int, limit: int) -> tuple[str, int]:
        """The text of a part, with what it repeats and closes, and its exact size."""
        around = self.repeated(start, limit), self.closing(end)
        text = around[0] + self.text[start:end] + around[1]
        return text, self.measured(text) if any(around) else self._exactly(start, end)

    def _exactly(self, start: int, end: int) -> int:
        """The exact size of the text between two places, cut out.

        A cut can change the tokens at both ends, but not in between: a space behind a letter begins a token wherever it
        stands. So only the first and the last word are counted anew, which makes splitting linear.
        """
        first = self.text.find(" ", start + 1, end)
        last = self.text.rfind(" ", start + 1, end)
        if first == last or self.text[first - 1].isspace() or self.text[last - 1].isspace():
            return self.measured(self.text[start:end])
        between = bisect_right(self._ends, last) - bisect_right(self._ends, first)
        return self.measured(self.text[start:first]) + between + self.measured(self.text[last:end])

    def pieces(self, start: int, end: int, limit: int) -> Iterator[Piece]:
        """What lies between two places as pieces of at most `limit` units, what they repeat included."""
        for number in range(self.block_at(start), len(self._blocks)):
            first, block = self._starts[number], self._blocks[number]
            if first >= end:
                return
            piece = Piece(max(first, start), min(first + len(block.text), end))
            around = self.repeated_size(piece.start, limit) + CLOSING_FENCE_UNITS * bool(self.closing(piece.end))
            if self.size(piece.start, piece.end) + around <= limit:
                yield piece
            elif block.lead and block.kind == "list":
                yield from self._led(self._parts(number, piece, limit), limit)
            else:
                yield from self._parts(number, piece, limit)

    def _led(self, parts: Iterator[Piece], limit: int) -> Iterator[Piece]:
        """The parts of a list, with the line that introduces it and its first item as one piece where they fit."""
        lead, item = next(parts, None), next(parts, None)
        if lead and item and self.size(lead.start, item.end) <= limit:
            lead, item = Piece(lead.start, item.end), None
        yield from filter(None, (lead, item))
        yield from parts

    def _parts(self, number: int, piece: Piece, limit: int) -> Iterator[Piece]:
        """The parts of a block that is too long; a table's header and code's fences stay with the rows and lines beside them."""
        block, first = self._blocks[number], self._starts[number]
        start, end = first + _head(block), first + _tail(block)
        repeated = self.repeated(start, limit) if start > first else ""
        # every part but the first repeats the head, every part of code but the last needs a fence
        room = limit - self.measured(repeated) - CLOSING_FENCE_UNITS * (block.kind == "code")
        body = Piece(max(piece.start, start), min(piece.end, end))
        if not repeated or self.size(first, start) > limit // 2 or body.start >= body.end:
            yield from self._cut(piece, room, CUTS_BY_KIND[block.kind])
            return
        parts = list(self._cut(body, room - max(0, self.size(first, start) - (limit - room)), CUTS_BY_KIND[block.kind]))
        parts = parts or [body]
        parts[0] = Piece(piece.start, parts[0].end)
        parts[-1] = Piece(parts[-1].start, piece.end)
        yield from parts

    def _cut(self, piece: Piece, limit: int, cuts: Sequence[CutPlaces]) -> Iterator[Piece]:
        """The piece cut at the first kind of places, and what is then still too long at the next kind."""
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
        """A run without a space, cut between any two letters: an address, or a text in Chinese."""
        start = piece.start
        while self.size(start, piece.end) > limit:
            index = bisect_right(self._ends, start) + max(
                1, limit - 2
            )  # 2: cut out, a run may have more tokens at its ends
            end = min(self._between_letters(max(start + 1, self._ends[index - 1])), piece.end)
            yield Piece(start, end)
            start = end
        if start < piece.end:
            yield Piece(start, piece.end)

    def _between_letters(self, at: int) -> int:
        """The next place that doesn't part a letter from its accents."""
        return next((end for end in range(at, at + MOST_MARKS_ON_LETTER) if not is_inside_letter(self.text, end)), at)

    def _trimmed(self, piece: Piece) -> Iterator[Piece]:
        """The piece without white space around it, none if it is nothing else; the indentation of its first line stays."""
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
        """The piece as two halves, cut at a space near its middle where there is one."""
        middle = min(self._between_letters((piece.start + piece.end) // 2), piece.end - 1)
        space = self.text.rfind(" ", piece.start + 1, middle)
        at = space + 1 if space > (piece.start + middle) // 2 else middle
        return Piece(piece.start, at), Piece(at, piece.end)

    def last_sentences(self, start: int, end: int, units: int) -> int | None:
        """The place from which the next part repeats this one: whole sentences of at most `units` units, else clauses or words.

        None where nothing may be repeated, since the part doesn't end in a paragraph.
        """
        number = self.block_at(end - 1)
        if self._blocks[number].kind != "text" or units <= 0:
            return None
        first = max(start, self._starts[number])
        least = max(self.before(end, units), first + (first == start))
        if first >= least:
            return first
        for cuts in (sentence_ends, clause_ends, space_ends):  # no whole sentence is short enough: a clause, else words
            for at in cuts(self.text, max(first, least - MOST_MARKS_ON_LETTER), end):
                if at >= least:
                    return at + len(self.text[at:end]) - len(self.text[at:end].lstrip())
        return None


def _head(block: Block) -> int:
    """Where in a block the rows of a table or the lines of code begin; 0 for other blocks."""
    if block.kind not in ("table", "code"):
        return 0
    line = block.text.find("\n", block.lead)
    end = block.text.find("\n", line + 1) if block.kind == "table" and line >= 0 else line
    return end + 1 if end >= 0 else 0


def _tail(block: Block) -> int:
    """Where in a block of code the closing fence begins; the end of other blocks."""
    last = block.text.rfind("\n") if block.kind == "code" else -1
    closed = last > block.lead and block.text[last:].strip().startswith(_fence(block))
    return last if closed else len(block.text)


def _fence(block: Block) -> str:
    """The fence that opens a block of code, without the language behind it."""
    line = block.text[block.lead : block.text.find("\n", block.lead)]
    found = CODE_FENCE.match(line)
    return found[1] if found else "```"
