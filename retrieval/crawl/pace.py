"""How fast a host is asked: at most so many requests at once, a distance between them, and slower for all when it is busy.

A 429 or 503 slows the whole host down, not one address; it recovers by answering. A host that fails many times in a
row is left alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

MOST_ERRORS_IN_A_ROW = 10
"""After which a host is left alone (tests/retrieval/crawl/test_pace.py). Chosen by hand."""
MOST_BUSY_IN_A_ROW = 6
"""The same for answers of 429 and 503."""
LONGEST_PAUSE_SECONDS = 60.0
"""That a host gets of its own accord; what its Retry-After asks for may be longer. Chosen by hand."""
MOST_DELAY_SECONDS = 2.0
"""Between two requests to a host that was busy; what its Retry-After asks for comes on top."""
LONGEST_WISH_SECONDS = 300.0
"""A host that asks to be left alone for longer is left alone for this crawl."""
RECOVERY_ANSWERS = 10
"""Good answers after which a host that was slowed down is asked faster again."""
BUSY_STATUSES = (429, 503)


class Pace:
    """One host's turns."""

    def __init__(self, delay: float, concurrency: int) -> None:
        self._least = delay
        self._most = concurrency
        self.delay = delay
        self.allowed = concurrency
        self.stopped = ""
        """Why the host isn't asked any more; empty while it is."""
        self._active = 0
        self._next = 0.0
        self._freed = asyncio.Event()
        self._errors = 0
        self._good = 0
        self._busy = 0
        self._resting = 0.0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until the host may be asked; the turn ends with the block."""
        loop = asyncio.get_running_loop()
        while True:
            if (rest := self._next - loop.time()) > 0:
                await asyncio.sleep(rest)
            elif self._active >= self.allowed:
                self._freed.clear()
                await self._freed.wait()
            else:
                break
        self._active += 1
        self._next = max(self._next, loop.time() + self.delay)
        try:
            yield
        finally:
            self._active -= 1
            self._freed.set()

    def answered(self) -> None:
        """The host answered as it should (a missing page is an answer too)."""
        self._errors = self._busy = 0
        self._good += 1
        if self._good >= RECOVERY_ANSWERS:
            self._good = 0
            self.allowed = min(self.allowed + 1, self._most)
            self.delay = self._least if self.delay < 2 * self._least + 0.1 else self.delay / 2

    def busy(self, status: int, retry_after: float | None) -> None:
        """The host said that it is asked too much: everybody waits, and it is asked half as fast."""
        self._good = 0
        now = asyncio.get_running_loop().time()
        first = now >= self._resting  # the requests that were under way with it say the same
        self._busy += first
        if retry_after is not None and retry_after > LONGEST_WISH_SECONDS:
            self.stopped = f"answered {status} and asks to be left alone for {retry_after / 60:.0f} minutes"
        elif self._busy >= MOST_BUSY_IN_A_ROW:
            self.stopped = f"answered {status} {self._busy} times in a row"
        pause = 0.5 * 3.0 ** (self._busy - 1) if retry_after is None else retry_after
        self._resting = max(self._resting, now + min(pause, LONGEST_PAUSE_SECONDS))
        self._next = max(self._next, self._resting)
        if first:
            self.allowed = max(self.allowed // 2, 1)
            self.delay = min(max(self.delay * 2, 0.05), max(MOST_DELAY_SECONDS, self._least))

    def failed(self) -> None:
        """The host gave an error or no answer for an address, after all tries."""
        self._good = 0
        self._errors += 1
        if self._errors >= MOST_ERRORS_IN_A_ROW:
            self.stopped = f"failed {self._errors} times in a row"
