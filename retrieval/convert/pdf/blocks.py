"""Lines in reading order as Markdown: paragraphs that run on over columns and pages, headings, lists, tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from retrieval.convert.office.writing import linked
from retrieval.convert.pdf.heading import Type
from retrieval.convert.pdf.hyphen import Spelling, joined_text
from retrieval.convert.pdf.line import LEADERS, Line
from retrieval.convert.pdf.prose import FULL_STOP
from retrieval.convert.pdf.setting import Column, bold_runs, side_by_side

BULLET = re.compile(r"[•▪◦‣●○■□▶►➢➤✓✔*·–—-]|o(?=\s)")
ITEM = re.compile(
    rf"(?:(?P<bullet>{BULLET.pattern})|(?P<number>\d{{1,3}})[.)]|(?P<letter>\(?[a-zA-Z]\)|\(\d+\)))\s+(?=\S)"
)


MOST_BOLD = 3
"""Lines in bold type that may be one heading; more are a paragraph."""


BROKEN_LINK = re.compile(r"\[(?P<first>[^\]]*)\]\((?P<address>[^)]*)\) ?\[(?P<second>[^\]]*)\]\((?P=address)\)")


@dataclass(slots=True)
class Block:
    """A block as it grows: h, p, item or table."""

    kind: str
    text: str
    last: Line
    """Its last line so far."""
    left: float = 0.0
    level: int = 0
    lines: int = 1
    full: bool = True
    """Whether its last line reaches the right border of its column."""


@dataclass(slots=True)
class Flow:
    """Takes columns one after the other, and knows where the pages begin in what it has made of them."""

    type: Type
    spelling: Spelling
    blocks: list[Block] = field(default_factory=list)
    starts: list[tuple[int, int]] = field(default_factory=list)
    """For each page the block that it begins in, and the place in that block."""
    _pending: int = 0

    def page(self) -> None:
        """A new page begins with what comes next."""
        self._pending += 1

    def column(self, lines: Sequence[Line]) -> None:
        """The lines of one stretch."""
        rows = side_by_side(lines)
        if not rows:
            return
        column = Column.of(rows, self.type.body)
        bold = bold_runs(rows)
        for index, line in enumerate(rows):
            before = rows[index - 1] if index else None
            following = rows[index + 1] if index + 1 < len(rows) else None
            self._take(line, before, following, column, bold[index])

    def text(self, text: str) -> None:
        """A paragraph that belongs to no line."""
        if self.blocks or text:
            self._add(Block("p", text, _nowhere(), full=False))

    def _take(self, line: Line, before: Line | None, following: Line | None, column: Column, bold: int) -> None:
        if line.block:
            self._add(Block("table", line.block, line))
            return
        fresh = before is None or bool(before.block) or self._is_fresh(before, line, column)
        level = self._heading(line, before, following, fresh, bold)
        last = self.blocks[-1] if self.blocks else None
        if level:
            self._head(line, level, before)
            return
        if item := self._item(line, fresh, last):
            self._add(item)
        elif last and last.kind in ("p", "item") and before is not None and not fresh:
            self._append(last, line)
        elif before is None and (open_block := self._unfinished(line)):
            self._append(open_block, line)
        else:
            self._add(Block("p", _escaped(line.marked), line))
        if self.blocks:
            self.blocks[-1].full = following is None or column.is_full(line, following)

    def _add(self, block: Block) -> None:
        self._begin(len(self.blocks), 0)
        self.blocks.append(block)

    def _append(self, block: Block, line: Line) -> None:
        text = joined_text(block.text, line.marked, self.spelling)
        if self._pending:
            index = next(at for at in range(len(self.blocks) - 1, -1, -1) if self.blocks[at] is block)
            self._begin(index, len(text) - len(line.marked))
        block.text, block.last, block.lines = text, line, block.lines + 1

    def _begin(self, block: int, place: int) -> None:
        self.starts += [(block, place)] * self._pending
        self._pending = 0

    def _is_fresh(self, before: Line, line: Line, column: Column) -> bool:
        """Whether a line begins a paragraph of its own after the line above it."""
        if abs(line.size - before.size) > 0.15 * before.size:
            return True
        step = line.bottom - before.bottom
        if step > 1.35 * column.leading or step < -0.5 * line.size:
            return True
        if before.text.endswith(("-", "\u00ad")) and line.text[:1].isalnum() and len(before.text) > 2:
            return False
        last = self.blocks[-1] if self.blocks else None
        indent = line.left - column.left > 0.8 * line.size and abs(before.left - column.left) < 0.4 * line.size
        if indent and last is not None and last.kind == "p" and (FULL_STOP.search(before.text) or last.lines > 1):
            return not line.text[:1].islower()
        if column.apart:
            return True
        if column.is_full(before, line):
            return False
        short = before.width < 0.6 * (column.right - column.left)
        return short or not line.text[:1].islower()

    def _heading(self, line: Line, before: Line | None, following: Line | None, fresh: bool, bold: int) -> int:
        """The level of a heading; 0 for a line within a paragraph, or one that begins a paragraph in bold type."""
        level = self.type.level(line)
        if level and line.size > self.type.body * 1.11:
            return level
        last = self.blocks[-1] if self.blocks else None
        if level:
            goes_on = last is not None and last.kind == "h" and before is last.last and bold > last.lines
            return level if bold <= MOST_BOLD and (fresh or goes_on) else 0
        if not fresh or following is None or following.block or following.text.isupper():
            return 0
        return self.type.written(line)

    def _head(self, line: Line, level: int, before: Line | None) -> None:
        last = self.blocks[-1] if self.blocks else None
        if (
            last is not None
            and last.kind == "h"
            and last.level == level
            and before is last.last
            and line.bottom - before.bottom < 1.7 * line.size
            and last.lines < 3
            and not re.match(r"\d+(\.\d+)*\.?\s", line.text)
        ):
            self._append(last, line)
        else:
            self._add(Block("h", line.marked, line, level=level))

    def _item(self, line: Line, fresh: bool, last: Block | None) -> Block | None:
        match = ITEM.match(line.text)
        if not match or line.words[0].link:
            return None
        in_list = last is not None and last.kind == "item"
        if not fresh and not in_list and match["bullet"] in (None, "-", "–", "—", "*", "·", "o"):
            return None
        text = re.sub(rf"^{re.escape(line.text[: match.end()].strip())}\s+", "", line.marked)
        if match["number"]:
            text = f"{match['number']}. {text}"
        else:
            text = f"- {match['letter']} {text}" if match["letter"] else f"- {text}"
        depth = self._depth(line.left) if in_list else 0
        return Block("item", text, line, left=line.left, level=depth)

    def _depth(self, left: float) -> int:
        """How deep an item lies in the list that it goes on with."""
        for block in reversed(self.blocks):
            if block.kind != "item":
                break
            if left > block.left + 5:
                return block.level + 1
            if left > block.left - 5:
                return block.level
        return 0

    def _unfinished(self, line: Line) -> Block | None:
        """The paragraph that a line at the top of a column or page goes on with: over tables and footnotes."""
        for block in reversed(self.blocks[-4:]):
            if block.kind in ("p", "item"):
                if abs(block.last.size - line.size) <= 0.1 * line.size:
                    return block if self._goes_on(block, line) else None
                if block.last.size > line.size:
                    return None
            elif block.kind != "table":
                return None
        return None

    def _goes_on(self, block: Block, line: Line) -> bool:
        if block.text.endswith(("-", "\u00ad", "\u2010")):
            return line.text[:1].isalnum()
        if FULL_STOP.search(block.text[-8:]) or not line.text[:1].isalnum():
            return line.text[:1].islower() and not FULL_STOP.search(block.text[-8:])
        return line.text[:1].islower() or (block is self.blocks[-1] and block.lines > 1 and block.full)

    def markdown(self) -> tuple[str, tuple[int, ...]]:
        """All of it, and the offsets at which pages begin."""
        self._begin(len(self.blocks), 0)
        text, offsets = "", []
        for before, block in pairwise([None, *self.blocks]):
            assert block is not None
            if before is not None:
                text += "\n" if _is_one_list(before, block) else "\n\n"
            shown = _shown(block)
            offsets.append((len(text), len(shown) - len(block.text)))
            text += shown
        offsets.append((len(text), 0))
        pages = [offsets[block][0] + (offsets[block][1] + place if place else 0) for block, place in self.starts]
        return text + "\n", tuple(pages)


def _is_one_list(before: Block, block: Block) -> bool:
    """Whether two items belong to one list: they are marked alike, or one lies within the other."""
    if not before.kind == block.kind == "item":
        return False
    return bool(before.level or block.level) or before.text.startswith("- ") == block.text.startswith("- ")


def _shown(block: Block) -> str:
    if block.kind == "h":
        return f"{'#' * min(block.level, 6)} {block.text}"
    if block.kind == "table":
        return block.text
    text = LEADERS.sub(" … ", block.text)
    text = BROKEN_LINK.sub(_whole_link, text) if "](" in text else text
    return "   " * block.level + text if block.kind == "item" else text


def _whole_link(match: re.Match[str]) -> str:
    """A link that was broken at the end of a line; an address is broken without a space."""
    first, second, address = match["first"], match["second"], match["address"]
    space = "" if re.match(r"\S+$", first) and first + second in address else " "
    return linked(f"{first}{space}{second}", address)


def _escaped(text: str) -> str:
    """A text that begins like a heading or a table of Markdown is none."""
    return "\\" + text if re.match(r"#{1,6}\s|\|", text) else text


def _nowhere() -> Line:
    return Line(0.0, 0.0, 0.0, 0.0, 0.0, ())
