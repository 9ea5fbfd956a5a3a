"""Writes lines in reading order as Markdown: paragraphs that run over columns and pages, headings, lists, tables.

The shares in this file were chosen by hand; test_blocks.py holds the cases.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from itertools import pairwise

from retrieval.convert.office.writing import linked
from retrieval.convert.pdf.heading import TypeSizes
from retrieval.convert.pdf.hyphen import DocumentSpelling, joined_text
from retrieval.convert.pdf.line import DOT_LEADERS, PdfLine
from retrieval.convert.pdf.prose import SENTENCE_STOP
from retrieval.convert.pdf.setting import ColumnSetting, bold_runs, joined_at_same_height

BULLET_SIGN = re.compile(r"[•▪◦‣●○■□▶►➢➤✓✔*·–—-]|o(?=\s)")
LIST_ITEM_START = re.compile(
    rf"(?:(?P<bullet>{BULLET_SIGN.pattern})|(?P<number>\d{{1,3}})[.)]|(?P<letter>\(?[a-zA-Z]\)|\(\d+\)))\s+(?=\S)"
)
MOST_BOLD_HEADING_LINES = 3
"""Lines in bold type that may be one heading; more are a paragraph that warns."""
# Two links to one address in a row: one link, whose text a line end parted.
LINK_BROKEN_BY_LINE_END = re.compile(
    r"\[(?P<first>[^\]]*)\]\((?P<address>[^)]*)\) ?\[(?P<second>[^\]]*)\]\((?P=address)\)"
)


@dataclass(slots=True)
class PdfBlock:
    """A block while it is being written; `kind`: h (heading), p (paragraph), item or table."""

    kind: str
    text: str
    last: PdfLine
    """Its last line so far."""
    _: KW_ONLY
    left: float = 0.0
    """Of an item, the left border of its bullet."""
    level: int = 0
    """Of a heading 1 to 6, of an item how deep it lies, from 0."""
    lines: int = 1
    """How many lines it has so far."""
    full: bool = True
    """Whether its last line reaches the right border of its column."""


@dataclass(slots=True)
class Flow:
    """Takes columns of lines in reading order, makes blocks of them, and keeps where each page begins."""

    sizes: TypeSizes
    spelling: DocumentSpelling
    blocks: list[PdfBlock] = field(default_factory=list)
    page_starts: list[tuple[int, int]] = field(default_factory=list)
    """For each page (index of the block that it begins in, offset in that block's text)."""
    _pending_pages: int = 0
    """Pages that have begun, but of which nothing has been written yet."""

    def begin_page(self) -> None:
        """Say that a new page begins with what comes next."""
        self._pending_pages += 1

    def add_column(self, lines: Sequence[PdfLine]) -> None:
        """Add the lines of one column, from its top to its bottom."""
        rows = joined_at_same_height(lines)
        if not rows:
            return
        column = ColumnSetting.of(rows, self.sizes.body)
        bold = bold_runs(rows)
        for index, line in enumerate(rows):
            before = rows[index - 1] if index else None
            following = rows[index + 1] if index + 1 < len(rows) else None
            self._add_line(line, before, following, column, bold[index])

    def add_text(self, text: str) -> None:
        """Add a paragraph that stands on no line, such as one of a scanned page."""
        if self.blocks or text:
            self._add(PdfBlock("p", text, _line_without_place(), full=False))

    def _add_line(
        self, line: PdfLine, before: PdfLine | None, following: PdfLine | None, column: ColumnSetting, bold: int
    ) -> None:
        """Add a line as a block of its own, or to the block that it goes on with.

        `before`, `following`: its neighbours in the column; `bold`: how many bold lines stand together here.
        """
        if line.block:
            self._add(PdfBlock("table", line.block, line))
            return
        fresh = before is None or bool(before.block) or self._is_fresh(before, line, column)
        level = self._heading_level(line, before, following, fresh, bold)
        last = self.blocks[-1] if self.blocks else None
        if level:
            self._add_heading(line, level, before)
            return
        if item := self._item(line, fresh, last):
            self._add(item)
        elif last and last.kind in ("p", "item") and before is not None and not fresh:
            self._append(last, line)
        elif before is None and (open_block := self._unfinished(line)):
            self._append(open_block, line)
        else:
            self._add(PdfBlock("p", _escaped(line.markdown), line))
        if self.blocks:
            self.blocks[-1].full = following is None or column.is_full(line, following)

    def _add(self, block: PdfBlock) -> None:
        self._note_page_starts(len(self.blocks), 0)
        self.blocks.append(block)

    def _append(self, block: PdfBlock, line: PdfLine) -> None:
        """Add a line to the text of a block."""
        text = joined_text(block.text, line.markdown, self.spelling)
        if self._pending_pages:
            index = next(at for at in range(len(self.blocks) - 1, -1, -1) if self.blocks[at] is block)
            self._note_page_starts(index, len(text) - len(line.markdown))
        block.text, block.last, block.lines = text, line, block.lines + 1

    def _note_page_starts(self, block: int, offset: int) -> None:
        """Note that the pages which have begun do so at an offset in a block."""
        self.page_starts += [(block, offset)] * self._pending_pages
        self._pending_pages = 0

    def _is_fresh(self, before: PdfLine, line: PdfLine, column: ColumnSetting) -> bool:
        """Whether a line begins a paragraph of its own, rather than going on with the line above it."""
        if abs(line.size - before.size) > 0.15 * before.size:
            return True
        step = line.bottom - before.bottom
        # more white space than between lines, or a jump up into the next column
        if step > 1.35 * column.leading or step < -0.5 * line.size:
            return True
        if before.text.endswith(("-", "\u00ad")) and line.text[:1].isalnum() and len(before.text) > 2:
            return False  # a broken word goes on, however the lines are set
        last = self.blocks[-1] if self.blocks else None
        indent = line.left - column.left > 0.8 * line.size and abs(before.left - column.left) < 0.4 * line.size
        if indent and last is not None and last.kind == "p" and (SENTENCE_STOP.search(before.text) or last.lines > 1):
            return not line.text[:1].islower()
        if column.apart:
            return True
        if column.is_full(before, line):
            return False
        short = before.width < 0.6 * (column.right - column.left)
        return short or not line.text[:1].islower()

    def _heading_level(
        self, line: PdfLine, before: PdfLine | None, following: PdfLine | None, fresh: bool, bold: int
    ) -> int:
        """The level of a line that is a heading; 0 for lines of a paragraph, also of one in bold type.

        `fresh`: the line begins a paragraph of its own.
        """
        level = self.sizes.level(line)
        if level and line.size > self.sizes.body * 1.11:
            return level
        last = self.blocks[-1] if self.blocks else None
        if level:
            is_second_line = last is not None and last.kind == "h" and before is last.last and bold > last.lines
            return level if bold <= MOST_BOLD_HEADING_LINES and (fresh or is_second_line) else 0
        if not fresh or following is None or following.block or following.text.isupper():
            return 0
        return self.sizes.written(line)

    def _add_heading(self, line: PdfLine, level: int, before: PdfLine | None) -> None:
        """Add a heading, or a further line of the heading just above."""
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
            self._add(PdfBlock("h", line.markdown, line, level=level))

    def _item(self, line: PdfLine, fresh: bool, last: PdfBlock | None) -> PdfBlock | None:
        """The item of a list that a line begins; None for a line that begins none."""
        match = LIST_ITEM_START.match(line.text)
        if not match or line.words[0].link:
            return None
        in_list = last is not None and last.kind == "item"
        if not fresh and not in_list and match["bullet"] in (None, "-", "–", "—", "*", "·", "o"):
            return None
        text = re.sub(rf"^{re.escape(line.text[: match.end()].strip())}\s+", "", line.markdown)
        if match["number"]:
            text = f"{match['number']}. {text}"
        else:
            text = f"- {match['letter']} {text}" if match["letter"] else f"- {text}"
        depth = self._depth(line.left) if in_list else 0
        return PdfBlock("item", text, line, left=line.left, level=depth)

    def _depth(self, left: float) -> int:
        """How deep an item lies whose bullet is at `left`, in the list that it goes on with."""
        for block in reversed(self.blocks):
            if block.kind != "item":
                break
            if left > block.left + 5:
                return block.level + 1
            if left > block.left - 5:
                return block.level
        return 0

    def _unfinished(self, line: PdfLine) -> PdfBlock | None:
        """The paragraph that a line at the top of a column or page goes on with, past tables and footnotes; None without."""
        for block in reversed(self.blocks[-4:]):  # a table and its notes may stand in between, hardly more
            if block.kind in ("p", "item"):
                if abs(block.last.size - line.size) <= 0.1 * line.size:
                    return block if self._goes_on(block, line) else None
                if block.last.size > line.size:
                    return None
            elif block.kind != "table":
                return None
        return None

    def _goes_on(self, block: PdfBlock, line: PdfLine) -> bool:
        """Whether a block's last sentence goes on with a line at the top of the next column."""
        if block.text.endswith(("-", "\u00ad", "\u2010")):
            return line.text[:1].isalnum()
        if SENTENCE_STOP.search(block.text[-8:]) or not line.text[:1].isalnum():
            return line.text[:1].islower() and not SENTENCE_STOP.search(block.text[-8:])
        return line.text[:1].islower() or (block is self.blocks[-1] and block.lines > 1 and block.full)

    def written(self) -> tuple[str, tuple[int, ...]]:
        """(The Markdown of all blocks, the offsets in it at which pages begin)."""
        self._note_page_starts(len(self.blocks), 0)
        text, offsets = "", []
        for before, block in pairwise([None, *self.blocks]):
            assert block is not None
            if before is not None:
                text += "\n" if _is_one_list(before, block) else "\n\n"
            block_markdown = _as_markdown(block)
            offsets.append((len(text), len(block_markdown) - len(block.text)))  # where it begins, and its marks' length
            text += block_markdown
        offsets.append((len(text), 0))
        pages = [
            offsets[block][0] + (offsets[block][1] + offset if offset else 0) for block, offset in self.page_starts
        ]
        return text + "\n", tuple(pages)


def _is_one_list(before: PdfBlock, block: PdfBlock) -> bool:
    """Whether two blocks are items of one list: both numbered or both not, or one inside the other."""
    if not before.kind == block.kind == "item":
        return False
    return bool(before.level or block.level) or before.text.startswith("- ") == block.text.startswith("- ")


def _as_markdown(block: PdfBlock) -> str:
    if block.kind == "h":
        return f"{'#' * min(block.level, 6)} {block.text}"
    if block.kind == "table":
        return block.text
    text = DOT_LEADERS.sub(" … ", block.text)
    text = LINK_BROKEN_BY_LINE_END.sub(_link_joined, text) if "](" in text else text
    return "   " * block.level + text if block.kind == "item" else text


def _link_joined(match: re.Match[str]) -> str:
    """The two halves of a link that a line end parted, as one; an address is parted without a space."""
    first, second, address = match["first"], match["second"], match["address"]
    space = "" if re.match(r"\S+$", first) and first + second in address else " "
    return linked(f"{first}{space}{second}", address)


def _escaped(text: str) -> str:
    """A text that begins like a heading or a table of Markdown, with its sign escaped."""
    return "\\" + text if re.match(r"#{1,6}\s|\|", text) else text


def _line_without_place() -> PdfLine:
    return PdfLine(0.0, 0.0, 0.0, 0.0, 0.0, ())
