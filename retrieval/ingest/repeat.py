"""What repeats across the pages of a site is its frame: learned from them, and taken out of each.

One page alone must guess what its frame is; twenty pages of the same site say it. Code is never taken away, a table only as a
whole, and a heading only together with all that stands under it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from retrieval.split.blocks import FENCE_SIGN, stretches
from retrieval.text.plain import plain

LEAST_SHARE_OF_PAGES = 0.4
"""The share of pages from which a line belongs to the site."""
FEWEST_PAGES = 4
"""Pages that must hold it as well: two or three pages may truly say the same."""
HEADING_LINE = re.compile(r"(#{1,6})\s")
"""A heading's marks."""


@dataclass(frozen=True, slots=True)
class Stripped:
    """A page without what repeats, and the blocks that were taken away."""

    markdown: str
    removed: tuple[str, ...]


def learn(pages: Iterable[str], share: float = LEAST_SHARE_OF_PAGES) -> frozenset[str]:
    """The lines that repeat on enough of the pages' Markdown to be the site's, as keys for `strip`."""
    counts: Counter[str] = Counter()
    total = 0
    for page in pages:
        total += 1
        counts.update({key for block in stretches(page) for key in _keys(block)})
    return frozenset(key for key, count in counts.items() if count >= max(FEWEST_PAGES, share * total))


def strip(markdown: str, repeated: frozenset[str]) -> Stripped:
    """A page without the lines that repeat; its own first heading stays."""
    if not repeated:
        return Stripped(markdown, ())
    kept: list[str] = []
    removed: list[str] = []
    titled = False
    for block in stretches(markdown):
        first = not titled and block.startswith("# ")
        titled = titled or first
        rest = block if first else _rest(block, repeated)
        if rest:
            kept.append(rest)
        if rest != block:
            removed.append(block)
    kept = _without_bare_headings(kept, repeated)
    return Stripped("\n\n".join(kept) + "\n" if kept else "", tuple(removed))


def _keys(block: str) -> list[str]:
    """One key for a table, none for code, one a line for everything else."""
    if FENCE_SIGN.match(block.lstrip()):
        return []
    parts = [block] if block.startswith("|") else block.split("\n")
    return [key for part in parts if (key := key_of(part))]


def key_of(text: str) -> str:
    """What a line is known by: its words in lower case; empty for a single word without a link, which says too little."""
    marked = any(sign in text for sign in "[*`|#")
    words = re.findall(r"\w+", (plain(text) if marked else text).casefold())
    return " ".join(words) if len(words) > 1 or "](" in text else ""


def _rest(block: str, repeated: frozenset[str]) -> str:
    if HEADING_LINE.match(block) or FENCE_SIGN.match(block.lstrip()):
        return block
    if block.startswith("|"):
        return "" if key_of(block) in repeated else block
    return "\n".join(line for line in block.split("\n") if not (key := key_of(line)) or key not in repeated)


def _without_bare_headings(kept: list[str], repeated: frozenset[str]) -> list[str]:
    """Headings of the site that have nothing of the page's own left under them go too."""
    result: list[str] = []
    for block in reversed(kept):
        found, after = HEADING_LINE.match(block), HEADING_LINE.match(result[-1]) if result else None
        bare = not result or (after is not None and found is not None and len(after[1]) <= len(found[1]))
        if not (found and bare and key_of(block) in repeated and not block.startswith("# ")):
            result.append(block)
    return result[::-1]
