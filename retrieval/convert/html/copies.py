"""Leaves out text that a page holds twice, for two widths of screen."""

from __future__ import annotations

import re

from retrieval.text.plain import plain

LEAST_COPY_CHARACTERS = 60
"""Characters above which a block that was written before may be a copy; short ones repeat by chance. Chosen by hand."""
BETWEEN_WORDS = re.compile(r"\W+")


def without_copies(blocks: list[str]) -> list[str]:
    """A page's blocks without copies, and without the short blocks that stand between two copies.

    A copy is a long block that was written before under the same heading, or two in a row that were written before (fixtures
    copies_for_two_screens, copies_interleaved). One alone under another heading is none: two questions may have the same
    answer (fixture same_answer_twice).
    """
    keys = [_block_key(block) for block in blocks]
    kept: list[str] = []
    doubtful: list[str] = []  # short blocks behind a copy: kept only if what follows is no copy
    written: set[str] = set()
    in_copy, heading = False, ""
    for at, (block, key) in enumerate(zip(blocks, keys, strict=True)):
        heading = block if block.startswith("#") else heading
        again = key in written and (f"{heading}\n{key}" in written or in_copy or _copy_goes_on(keys, at, written))
        if (again and len(key) > LEAST_COPY_CHARACTERS) or (kept and block == kept[-1]):
            in_copy, doubtful = in_copy or len(key) > LEAST_COPY_CHARACTERS, []
        elif in_copy and len(key) <= LEAST_COPY_CHARACTERS and key in written:
            doubtful.append(block)
        else:
            kept += [*doubtful, block]
            in_copy, doubtful = False, []
        written |= {key, f"{heading}\n{key}"}
    return kept + doubtful


def _copy_goes_on(keys: list[str], at: int, written: set[str]) -> bool:
    """Whether the next long block was written before too."""
    following = next((key for key in keys[at + 1 :] if len(key) > LEAST_COPY_CHARACTERS), "")
    return following in written and following != keys[at]


def _block_key(block: str) -> str:
    """What a block is compared by: a long one by its words, since copies differ in marks; others as they are."""
    if len(block) <= LEAST_COPY_CHARACTERS or block.startswith("#"):
        return block[:LEAST_COPY_CHARACTERS]
    return BETWEEN_WORDS.sub(" ", plain(block) if "](" in block else block).casefold().strip()
