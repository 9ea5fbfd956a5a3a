"""Text that a page holds twice, for two widths of screen: written once."""

from __future__ import annotations

import re

from retrieval.text.plain import plain

LONG = 60
"""Characters from which a block that was written before may be a copy."""
WORDS = re.compile(r"\W+")


def once(blocks: list[str]) -> list[str]:
    """Blocks of a page without those that are copies, and without the short ones that stand between two such.

    What was written before under the same heading is a copy, and so are two blocks in a row wherever they stand. One alone
    under another heading is not: two questions may have the same answer.
    """
    keys = [_key(block) for block in blocks]
    kept: list[str] = []
    doubtful: list[str] = []
    written: set[str] = set()
    in_copy, heading = False, ""
    for at, (block, key) in enumerate(zip(blocks, keys, strict=True)):
        heading = block if block.startswith("#") else heading
        again = key in written and (f"{heading}\n{key}" in written or in_copy or _goes_on(keys, at, written))
        if (again and len(key) > LONG) or (kept and block == kept[-1]):
            in_copy, doubtful = in_copy or len(key) > LONG, []
        elif in_copy and len(key) <= LONG and key in written:
            doubtful.append(block)
        else:
            kept += [*doubtful, block]
            in_copy, doubtful = False, []
        written |= {key, f"{heading}\n{key}"}
    return kept + doubtful


def _goes_on(keys: list[str], at: int, written: set[str]) -> bool:
    """Whether the next long block is another one that was written before."""
    following = next((key for key in keys[at + 1 :] if len(key) > LONG), "")
    return following in written and following != keys[at]


def _key(block: str) -> str:
    """A long block by its words, whatever marks one of the copies carries; headings and short blocks as they are."""
    if len(block) <= LONG or block.startswith("#"):
        return block[:LONG]
    return WORDS.sub(" ", plain(block) if "](" in block else block).casefold().strip()
