"""Questions of an FAQ that no heading marks: bold lines and short lines that end in a question mark, with an answer below."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from retrieval.split.blocks import Block

MARKS = "?\uff1f\u061f\u037e\u055e\u1367\ua60f\u2047\u203d"
"""Question marks: Latin, Chinese, Arabic, Greek, Armenian, Ethiopic, Vai, doubled, with an exclamation mark."""
CLOSING = " \t*_\"'\u201d\u2019\u00bb)\u300d\u300f"
BOLD = re.compile(r"(?:\*\*|__)(?=\S)((?:(?!\*\*|__)[^\n]){3,300}?)(?:\*\*|__)([?？؟]?)[ \t]*")
LINE = re.compile(r"(?:[QF]\d*[:.)]\s*)?[^\n]{3,160}$")
LEVEL = 7
"""Deeper than any heading."""
FEWEST = 2
"""Plain lines that end in a question mark, each with an answer, from which they are an FAQ and not a figure of speech."""


def is_question(text: str) -> bool:
    """Whether a line asks something, in any script."""
    bare = text.rstrip(CLOSING)
    return bool(bare) and bare[-1] in MARKS


def with_questions(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks of one section, questions among them as headings of a level of their own."""
    split = [part for block in blocks for part in _bold(block)]
    plain = [at for at in range(len(split)) if _is_plain_question(split, at)]
    chosen = set(plain) if len(plain) >= FEWEST else set[int]()
    for at, block in enumerate(split):
        answered = at + 1 < len(split) and split[at + 1].kind != "heading"
        if block.kind == "heading" and not answered:
            yield replace(block, kind="text", level=0, name="")
        elif at in chosen:
            yield replace(block, kind="heading", level=LEVEL, name=block.text.strip())
        else:
            yield block


def _bold(block: Block) -> Iterator[Block]:
    """A paragraph that is, or begins with, a bold question: the question, and what stands behind it."""
    found = BOLD.match(block.text) if block.kind == "text" else None
    if found is None or not is_question(found[1] + found[2]):
        yield block
        return
    name = (found[1] + found[2]).strip("*_ ")
    yield Block("heading", found[0].rstrip(), block.offset, LEVEL, name)
    rest = block.text[found.end() :]
    if rest.strip():
        gap = len(rest) - len(rest.lstrip())
        yield Block("text", rest.strip(), block.offset + found.end() + gap)


def _is_plain_question(blocks: Sequence[Block], at: int) -> bool:
    block = blocks[at]
    if block.kind != "text" or not LINE.match(block.text) or not is_question(block.text):
        return False
    following = blocks[at + 1] if at + 1 < len(blocks) else None
    return following is not None and following.kind != "heading" and not is_question(following.text)
