"""When the index is read anew because another process has written to it.

Each change of the index raises a number in the database, its generation. This module decides; it reads nothing itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


# The defaults were chosen by hand, no command compares others.
@dataclass(frozen=True, slots=True)
class FollowTimes:
    """In seconds."""

    between_looks: float = 1.0
    """From one look at the database to the next, at least."""
    quiet: float = 3.0
    """Without a further change after which the other process counts as done."""
    patience: float = 60.0
    """From when a change was noticed, after which it is read though changes go on."""


DEFAULT_TIMES = FollowTimes()


class GenerationWatch:
    """Compares the generation that is in memory with the one in the database. `clock` gives seconds."""

    def __init__(self, times: FollowTimes = DEFAULT_TIMES, clock: Callable[[], float] = time.monotonic) -> None:
        self._times, self._clock = times, clock
        self._in_memory = self._last_seen = -1
        self._looked_at = self._seen_at = self._behind_since = 0.0

    def may_look(self) -> bool:
        """Whether it is time to look at the database again; if so, this counts as the look."""
        now = self._clock()
        if now - self._looked_at < self._times.between_looks:
            return False
        self._looked_at = now
        return True

    def is_due(self, stored: int) -> bool:
        """Whether to read the index now; `stored`: the generation in the database, as the look has found it."""
        now = self._looked_at
        if stored == self._in_memory:
            self._last_seen = stored
            return False
        # Patience begins when a change is noticed, not when the index was read last:
        # test_patience_begins_when_a_change_is_noticed_not_when_the_index_was_read.
        if self._last_seen == self._in_memory:
            self._behind_since = now
        if stored != self._last_seen:
            self._last_seen, self._seen_at = stored, now
        return now - self._seen_at >= self._times.quiet or now - self._behind_since >= self._times.patience

    def was_read(self, stored: int) -> None:
        """The index was read; `stored`: the generation from before the reading began."""
        self._in_memory = self._last_seen = stored

    def changes_of_others(self, raised_to: int) -> int:
        """How many changes by other processes aren't in memory, given the number that one's own change was raised to."""
        return raised_to - 1 - self._in_memory

    def count_own_change(self, changes_of_others: int) -> None:
        """After one's own change was committed: it is in memory already. Where others came before it, theirs must still be read."""
        if not changes_of_others:
            self._in_memory += 1
            self._last_seen = max(self._last_seen, self._in_memory)
