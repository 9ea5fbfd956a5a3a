"""Markdown as blocks: headings, paragraphs, lists, tables and code, each with the offset at which it begins in the text.

`blocks` is the parser of this project; `stretches` only parts a text at its empty lines, for rules that compare pages line by
line and must put them together again as they were.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from retrieval.text.plain import plain

BlockKind = Literal["heading", "text", "list", "table", "code"]
MARKED_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)$")
HEADING_UNDERLINE = re.compile(r" {0,3}(=+|-+)\s*$")
CODE_FENCE = re.compile(r" *(`{3,}(?=[^`]*$)|~{3,})(.*)$")
FENCE_SIGN = re.compile(r"(`{3,}|~{3,})")
LIST_ITEM = re.compile(r" {0,3}(?:[-*+•]|\d{1,9}[.)])(?:\s|$)")
ITEM_UNDER_TEXT = re.compile(r" {0,3}(?:[-*+•]|1[.)])\s")
"""List items that may begin right under a line of text: bullets and the number 1.

Another number at the start of a line ("…in the year\n1998. Then…") belongs to the sentence; so says CommonMark too.
"""
# A block of rules and emphasis signs alone ("---", "**") says nothing, and is the only thing that is dropped.
MARKS_ALONE = re.compile(r"[\s\-*_=#|>+~]*$")
EMPHASIS = re.compile(r"(?<![\w*])\*(?!\s)([^*]{1,300})\*(?![\w*])")
MOST_HEADING_CHARACTERS = 300
"""Characters above which a heading is read as a paragraph: as a heading it would be embedded with each chunk under it.

Chosen by hand; tests/retrieval/split/test_by_headings.py has the page that is one endless heading.
"""


@dataclass(frozen=True, slots=True)
class Block:
    """One block: its text as written, and where that begins in the document.

    `level` (1 to 6, `questions` adds 7) and `name` (the words alone) are a heading's. `lead`: how many characters at the
    beginning of `text` are a line that introduces the block, 0 where none does; `sections` sets it.
    """

    kind: BlockKind
    text: str
    offset: int
    level: int = 0
    name: str = ""
    lead: int = 0


def blocks(markdown: str) -> Iterator[Block]:
    """The blocks of a document in order; nothing is dropped but blocks that hold rules and marks alone."""
    lines = markdown.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    at = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        kind, end = _kind_and_end(lines, at)
        block = _block(kind, "\n".join(lines[at:end]).rstrip(), starts[at])
        if kind == "code" or not MARKS_ALONE.match(block.text):
            yield block
        at = end


def stretches(markdown: str) -> Iterator[str]:
    """What empty lines part, a fenced block of code whole; joined by empty lines they are the text again."""
    stretch: list[str] = []
    fence = ""
    for line in markdown.split("\n"):
        opening = FENCE_SIGN.match(line.lstrip())
        if opening and not fence:
            fence = opening[1]
        elif fence and line.strip() == fence:
            fence = ""
        if line.strip() or fence:
            stretch.append(line)
        elif stretch:
            yield "\n".join(stretch)
            stretch = []
    if stretch:
        yield "\n".join(stretch)


def _block(kind: BlockKind, text: str, offset: int) -> Block:
    if kind != "heading":
        return Block(kind, text, offset)
    found = MARKED_HEADING.match(text)
    level = len(found[1]) if found else 1 if text.endswith("=") else 2
    name = _heading_name(found[2]) if found else plain(text.split("\n")[0]).strip()
    if len(name) > MOST_HEADING_CHARACTERS:
        return Block("text", found[2] if found else text, offset)
    return Block(kind, text, offset, level, EMPHASIS.sub(r"\1", name))


def _heading_name(text: str) -> str:
    """A heading's words: without the `#` that may close it, marks of bold type, and addresses of links."""
    text = text.rstrip()
    open_text = text.rstrip("#")
    closed = open_text != text and (not open_text or open_text[-1].isspace())
    return plain(open_text if closed else text).strip()


def _kind_and_end(lines: Sequence[str], at: int) -> tuple[BlockKind, int]:
    """The kind of the block that begins at line `at`, and the number of the line behind its end."""
    line = lines[at]
    if CODE_FENCE.match(line):
        return "code", _code_end(lines, at)
    if MARKED_HEADING.match(line):
        return "heading", at + 1
    if _is_table(lines, at):
        return "table", _table_end(lines, at)
    if LIST_ITEM.match(line):
        return "list", _list_end(lines, at)
    end = _text_end(lines, at)
    if end == at + 1 and end < len(lines) and HEADING_UNDERLINE.match(lines[end]) and line[:1] not in "|>":
        return "heading", end + 1
    return "text", end


def _code_end(lines: Sequence[str], at: int) -> int:
    """The line behind the closing fence, which has the opening one's length at least and no words; without one, the text's end."""
    opening = CODE_FENCE.match(lines[at])
    assert opening, "code begins with a fence"
    for end in range(at + 1, len(lines)):
        mark = CODE_FENCE.match(lines[end])
        if mark and mark[1].startswith(opening[1]) and not mark[2].strip():
            return end + 1
    return len(lines)


def _is_table(lines: Sequence[str], at: int) -> bool:
    """Whether a row of cells with a rule of dashes under it stands here."""
    rule = set(lines[at + 1]) if "|" in lines[at] and at + 1 < len(lines) else set[str]()
    return {"|", "-"} <= rule <= set("|:- \t")


def _table_end(lines: Sequence[str], at: int) -> int:
    end = at + 2
    while end < len(lines) and "|" in lines[end] and lines[end].strip():
        end += 1
    return end


def _list_end(lines: Sequence[str], at: int) -> int:
    """The line behind the last item; empty lines between items, and lines that are indented, belong to the list."""
    end = at + 1
    while end < len(lines):
        line = lines[end]
        if not line.strip():
            following = next((n for n in range(end, len(lines)) if lines[n].strip()), len(lines))
            goes_on = following < len(lines) and (
                lines[following].startswith("  ") or LIST_ITEM.match(lines[following])
            )
            if not goes_on or MARKED_HEADING.match(lines[following]):
                return end
            end = following
        elif CODE_FENCE.match(line) and line[0] == " ":
            end = _code_end(lines, end)
        elif MARKED_HEADING.match(line) or CODE_FENCE.match(line) or _is_table(lines, end):
            return end
        else:
            end += 1
    return end


def _text_end(lines: Sequence[str], at: int) -> int:
    end = at + 1
    while end < len(lines) and lines[end].strip():
        line = lines[end]
        if MARKED_HEADING.match(line) or CODE_FENCE.match(line) or ITEM_UNDER_TEXT.match(line) or _is_table(lines, end):
            return end
        if HEADING_UNDERLINE.match(line) and end == at + 1:  # the text line was a heading; `_kind_and_end` looks at it
            return end
        end += 1
    return end
