"""At which size the matrix changes its way to search, and how many rows each step of that way looks at."""

from __future__ import annotations

from dataclasses import dataclass


# The defaults were found, and are checked, by `python -m benchmarks.vectors`: time and recall@20 by number of rows.
@dataclass(frozen=True, slots=True)
class Tiers:
    """Limits of a matrix, all in rows."""

    exact_rows: int = 20_000
    """Up to here a search multiplies the whole matrix; above, sign bits choose rows first."""
    cosine_rows: int = 500
    """How many rows a search through sign bits computes cosines of; at least ten times as many as hits are asked for."""
    candidate_rows: int = 4000
    """How many rows are left after the first pass over the bits; at least eight times those whose cosines are computed."""


DEFAULT_TIERS = Tiers()
