"""Markdown as blocks: headings, paragraphs, lists, tables and code, each with the offset at which it begins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from retrieval.text.plain import plain

Kind = Literal["heading", "text", "list", "table", "code"]
HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)$")
UNDERLINE = re.compile(r" {0,3}(=+|-+)\s*$")
FENCE = re.compile(r" *(`{3,}(?=[^`]*$)|~{3,})(.*)$")
ITEM = re.compile(r" {0,3}(?:[-*+•]|\d{1,9}[.)])(?:\s|$)")
INTERRUPTS = re.compile(r" {0,3}(?:[-*+•]|1[.)])\s")
"""Items that begin a list right under a line of text; another number there is a number in the text."""
EMPTY = re.compile(r"[\s\-*_=#|>+~]*$")
EMPHASIS = re.compile(r"(?<![\w*])\*(?!\s)([^*]{1,300})\*(?![\w*])")
MOST_HEADING = 300
"""Letters from which a heading is a paragraph that was marked as one: it would be embedded with every chunk."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block's own text; `level` and `name` are a heading's, `lead` counts the letters of what introduces the block."""

    kind: Kind
    text: str
    offset: int
    level: int = 0
    name: str = ""
    lead: int = 0


def blocks(markdown: str) -> Iterator[Block]:
    """The blocks of a document in order. Text is never dropped but for lines of rules and marks alone."""
    lines = markdown.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    at = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        kind, end = _next(lines, at)
        block = _block(kind, "\n".join(lines[at:end]).rstrip(), starts[at])
        if kind == "code" or not EMPTY.match(block.text):
            yield block
        at = end


def _block(kind: Kind, text: str, offset: int) -> Block:
    if kind != "heading":
        return Block(kind, text, offset)
    found = HEADING.match(text)
    level = len(found[1]) if found else 1 if text.endswith("=") else 2
    name = _heading(found[2]) if found else plain(text.split("\n")[0]).strip()
    if len(name) > MOST_HEADING:
        return Block("text", found[2] if found else text, offset)
    return Block(kind, text, offset, level, EMPHASIS.sub(r"\1", name))


def _heading(text: str) -> str:
    """A heading's text without closing marks, emphasis and addresses."""
    text = text.rstrip()
    open_text = text.rstrip("#")
    closed = open_text != text and (not open_text or open_text[-1].isspace())
    return plain(open_text if closed else text).strip()


def _next(lines: Sequence[str], at: int) -> tuple[Kind, int]:
    """The kind of the block that begins at a line, and the line behind its end."""
    line = lines[at]
    if FENCE.match(line):
        return "code", _code_end(lines, at)
    if HEADING.match(line):
        return "heading", at + 1
    if _is_table(lines, at):
        return "table", _table_end(lines, at)
    if ITEM.match(line):
        return "list", _list_end(lines, at)
    end = _text_end(lines, at)
    if end == at + 1 and end < len(lines) and UNDERLINE.match(lines[end]) and line[:1] not in "|>":
        return "heading", end + 1
    return "text", end


def _code_end(lines: Sequence[str], at: int) -> int:
    """Behind the closing fence: as long as the opening one or longer, with nothing behind it; else the end."""
    opening = FENCE.match(lines[at])
    assert opening, "code begins with a fence"
    for end in range(at + 1, len(lines)):
        mark = FENCE.match(lines[end])
        if mark and mark[1].startswith(opening[1]) and not mark[2].strip():
            return end + 1
    return len(lines)


def _is_table(lines: Sequence[str], at: int) -> bool:
    """Whether a row with a rule of dashes under it stands here."""
    rule = set(lines[at + 1]) if "|" in lines[at] and at + 1 < len(lines) else set[str]()
    return {"|", "-"} <= rule <= set("|:- \t")


def _table_end(lines: Sequence[str], at: int) -> int:
    end = at + 2
    while end < len(lines) and "|" in lines[end] and lines[end].strip():
        end += 1
    return end


def _list_end(lines: Sequence[str], at: int) -> int:
    """Behind the last item: empty lines between items, and what is indented, belong to the list."""
    end = at + 1
    while end < len(lines):
        line = lines[end]
        if not line.strip():
            following = next((n for n in range(end, len(lines)) if lines[n].strip()), len(lines))
            goes_on = following < len(lines) and (lines[following].startswith("  ") or ITEM.match(lines[following]))
            if not goes_on or HEADING.match(lines[following]):
                return end
            end = following
        elif FENCE.match(line) and line[0] == " ":
            end = _code_end(lines, end)
        elif HEADING.match(line) or FENCE.match(line) or _is_table(lines, end):
            return end
        else:
            end += 1
    return end


def _text_end(lines: Sequence[str], at: int) -> int:
    end = at + 1
    while end < len(lines) and lines[end].strip():
        line = lines[end]
        if HEADING.match(line) or FENCE.match(line) or INTERRUPTS.match(line) or _is_table(lines, end):
            return end
        if UNDERLINE.match(line) and end == at + 1:
            return end
        end += 1
    return end
