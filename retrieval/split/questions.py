"""Finds the questions of an FAQ that no heading marks: bold lines, and short lines with a question mark, above an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from retrieval.split.blocks import Block

QUESTION_MARKS = "?\uff1f\u061f\u037e\u055e\u1367\ua60f\u2047\u203d"
"""Question marks: Latin, Chinese, Arabic, Greek, Armenian, Ethiopic, Vai, doubled, with an exclamation mark."""
# Quotes, brackets and emphasis may close behind the question mark.
CLOSING_SIGNS = " \t*_\"'\u201d\u2019\u00bb)\u300d\u300f"
BOLD_START = re.compile(r"(?:\*\*|__)(?=\S)((?:(?!\*\*|__)[^\n]){3,300}?)(?:\*\*|__)([?？؟]?)[ \t]*")
# One line, perhaps with "Q:" or "F3." before it (Frage).
SHORT_LINE = re.compile(r"(?:[QF]\d*[:.)]\s*)?[^\n]{3,160}$")
QUESTION_LEVEL = 7
"""The heading level of questions that were found here: deeper than any real one, so they hang under all headings above."""
LEAST_PLAIN_QUESTIONS = 2
"""Plain questions, each with an answer, from which a section is an FAQ: a single one is a figure of speech ("Ready to go?")."""


def is_question(text: str) -> bool:
    """Whether a line ends in a question mark of any script."""
    bare = text.rstrip(CLOSING_SIGNS)
    return bool(bare) and bare[-1] in QUESTION_MARKS


def with_questions(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks of one section, with the questions among them turned into headings of level QUESTION_LEVEL."""
    split = [part for block in blocks for part in _bold_question_apart(block)]
    plain = [at for at in range(len(split)) if _is_plain_question(split, at)]
    chosen = set(plain) if len(plain) >= LEAST_PLAIN_QUESTIONS else set[int]()
    for at, block in enumerate(split):
        answered = at + 1 < len(split) and split[at + 1].kind != "heading"
        if block.kind == "heading" and not answered:
            yield replace(block, kind="text", level=0, name="")
        elif at in chosen:
            yield replace(block, kind="heading", level=QUESTION_LEVEL, name=block.text.strip())
        else:
            yield block


def _bold_question_apart(block: Block) -> Iterator[Block]:
    """A paragraph that begins with a question in bold type as two blocks: the question, and what stands behind it."""
    found = BOLD_START.match(block.text) if block.kind == "text" else None
    if found is None or not is_question(found[1] + found[2]):
        yield block
        return
    name = (found[1] + found[2]).strip("*_ ")
    yield Block("heading", found[0].rstrip(), block.offset, QUESTION_LEVEL, name)
    rest = block.text[found.end() :]
    if rest.strip():
        gap = len(rest) - len(rest.lstrip())
        yield Block("text", rest.strip(), block.offset + found.end() + gap)


def _is_plain_question(blocks: Sequence[Block], at: int) -> bool:
    """Whether the block at an index is a short question, and what follows looks like its answer."""
    block = blocks[at]
    if block.kind != "text" or not SHORT_LINE.match(block.text) or not is_question(block.text):
        return False
    following = blocks[at + 1] if at + 1 < len(blocks) else None
    return following is not None and following.kind != "heading" and not is_question(following.text)
