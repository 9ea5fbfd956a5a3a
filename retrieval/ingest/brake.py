"""The brake: when too much of a site would vanish, shrink or turn into one text at once, it is a fault of the site.

A page that is no longer itself waits for the end of the crawl (`is_doubtful`); only then is it known whether it is
alone with it. A site that is down, rebuilt or behind a login would otherwise take the good pages out of the index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.text.likeness import Bag, alike, bag, share_kept, without_dates

MOST_IN_TROUBLE = 0.3
"""Of the documents of a source that may be in trouble in one crawl before it isn't believed."""
FEW_DOCUMENTS = 5
"""With fewer documents a share says little; then all of them must be in trouble."""
LEAST_KEPT_WORDS = 0.5
"""Of a page's old words, under which it may not be itself any more (tests/retrieval/ingest/test_brake.py)."""
SHRUNK_TO = 0.5
"""Of its old length, under which a doubtful page counts as shrunk."""
SAME_TEXT = 0.9
"""Likeness from which doubtful pages say the same as each other, as a maintenance page does. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """How many of a source's documents would be lost, and how."""

    documents: int
    vanish: int = 0
    shrink: int = 0
    same: int = 0

    @property
    def pulls(self) -> bool:
        """Whether the brake stops what the crawl would do."""
        lost = self.vanish + self.shrink + self.same
        if self.documents < FEW_DOCUMENTS:
            return lost == self.documents > 1
        return lost > MOST_IN_TROUBLE * self.documents

    def sentence(self, source_id: str) -> str:
        """What would have happened, and what to do."""
        parts = (
            (self.vanish, "would vanish"),
            (self.shrink, "would shrink to less than half"),
            (self.same, "would turn into the same text"),
        )
        losses = ", ".join(f"{count} {what}" for count, what in parts if count)
        return (
            f"of {self.documents} pages {losses} at once; the last good version of each was kept."
            f" If the site is right: frontdesk crawl {source_id} --accept"
        )


def is_doubtful(before: str, after: str) -> bool:
    """Whether a page lost so much of its text that it may not be itself any more."""
    return share_kept(bag(before), bag(after)) < LEAST_KEPT_WORDS


def counted(pages: Sequence[tuple[str, str]]) -> tuple[int, int]:
    """Of doubtful pages, as old and new text: how many shrank, and how many turned into the same text as another."""
    news = [without_dates(bag(after)) for _, after in pages]
    same = [any(alike(one, other) >= SAME_TEXT for other in news[:at] + news[at + 1 :]) for at, one in enumerate(news)]
    shrunk = [len(after.split()) < SHRUNK_TO * len(before.split()) for before, after in pages]
    return sum(s and not t for s, t in zip(shrunk, same, strict=True)), sum(same)


def is_same_page(one: str, other: str, least: float = LEAST_KEPT_WORDS) -> bool:
    """Whether two documents are versions of one page, as a canonical address claims."""
    first, second = bag(one), bag(other)
    return _share(first, second) >= least


def _share(first: Bag, second: Bag) -> float:
    return max(share_kept(first, second), share_kept(second, first))
