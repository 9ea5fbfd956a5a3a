"""At which sizes the matrix changes its way to search, and how much each way looks at. Measured by benchmarks/vectors.py."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tiers:
    """All in rows, but for the share."""

    exact: int = 20_000
    """Up to here each search multiplies the whole matrix."""
    whole: int = 400_000
    """Up to here each search looks at the signs of all rows; above, at those of some lists."""
    few: int = 500
    """How many a search computes the cosines of; at least ten times as many as are asked for."""
    many: int = 4000
    """How many signs alone choose, before signs and coordinates choose the few; at least eight times `few`."""
    rows_a_list: int = 400
    most_lists: int = 1536
    """Training costs lists times rows."""
    share: float = 0.1
    """The share of the rows whose lists are looked at."""
    least: int = 100_000
    """And at least so many."""
    tail: int = 20_000
    """How many may lie outside the lists before they are sorted in."""

    def probed(self, size: int) -> int:
        """How many of `size` rows a search looks at the signs of."""
        return max(int(self.share * size), self.least)
