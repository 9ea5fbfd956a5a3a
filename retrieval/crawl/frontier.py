"""The addresses of a crawl: those still to be asked, the best first, and what is known of each from the last time.

Best is the start page, then what the site's sitemap ranks high, what lies near the start and what many pages link to.
The frontier knows nothing of databases; `changed` hands out what has to be stored so that a crawl can go on later.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from retrieval.decision import Decision

MOST_WAITING = 50_000
"""Addresses that may wait at once; a shop of ten thousand products has fewer. Chosen by hand: each takes about half a
kilobyte."""
FARTHEST = 1000
"""A depth for addresses that no way from the start is known to."""


@dataclass(slots=True)
class KnownAddress:
    """An address: how it was come by, and what is known of it from before.

    `priority` and `lastmod` are the sitemap's. `decision`, `etag`, `last_modified` and `content_hash` are of the last crawl
    that asked it. `has_document`: one is in the index.
    """

    url: str
    depth: int = FARTHEST
    priority: float | None = None
    lastmod: str = ""
    links_in: int = 0
    hops: int = 0
    asked_in: str = ""
    """The crawl that last asked it and offered its links."""
    done: bool = False
    has_document: bool = False
    etag: str = ""
    last_modified: str = ""
    content_hash: str = ""
    decision: Decision | None = None
    fresh: bool = False
    """The sitemap says that it changed since it was read."""

    def forget_content(self) -> None:
        """Forget what was read there, so that it is read anew whether it changed or not."""
        self.etag = self.last_modified = self.content_hash = ""

    @property
    def listed(self) -> bool:
        """Whether a sitemap names it."""
        return self.priority is not None

    def worth(self) -> float:
        """What the crawl's order goes by: higher is earlier."""
        if self.depth == 0:
            return 100.0
        parts = urlsplit(self.url)
        ranked = (self.priority if self.priority is not None else 0.4) + (0.5 if self.fresh else 0.0)
        near = 1 / (1 + min(self.depth, 10)) - 0.02 * parts.path.count("/")
        ranked += 0.15 if self.has_document else 0.0  # or a small budget would go to other pages in every crawl
        return ranked + near + 0.1 * min(self.links_in.bit_length(), 5) - (0.2 if parts.query else 0.0)


class Frontier:
    """A queue without doubles, ordered by worth; equals in the order in which they came."""

    def __init__(self, addresses: Iterable[KnownAddress] = (), crawl_id: str = "") -> None:
        self._crawl_id = crawl_id
        self._addresses: dict[str, KnownAddress] = {}
        self._heap: list[tuple[float, int, str]] = []
        self._count = itertools.count()
        self._pushed: dict[str, int] = {}
        self._changed: dict[str, KnownAddress] = {}
        self._waiting = 0
        self.dropped = 0
        """Addresses that came when there were too many already."""
        for known in addresses:
            self._addresses[known.url] = known
            if not known.done:
                self._waiting += 1
                self._push(known)

    def __len__(self) -> int:
        return self._waiting

    def __contains__(self, url: object) -> bool:
        return url in self._addresses

    def __getitem__(self, url: str) -> KnownAddress:
        return self._addresses[url]

    def _push(self, known: KnownAddress) -> None:
        self._pushed[known.url] = number = next(self._count)
        heapq.heappush(self._heap, (-known.worth(), number, known.url))

    def offer(self, url: str, depth: int, *, priority: float | None = None, lastmod: str = "", hops: int = 0) -> bool:
        """An address that was met, as a link unless a sitemap's `priority` comes with it; True when it is new."""
        known = self._addresses.get(url)
        if known is None:
            if self._waiting >= MOST_WAITING:
                self.dropped += 1
                return False
            self._addresses[url] = known = KnownAddress(url, depth, priority, lastmod, int(priority is None), hops)
            self._waiting += 1
            self._note(known)
            return True
        better = depth < known.depth
        known.depth = min(depth, known.depth)
        if priority is None:
            known.links_in += 1
            better = better or known.links_in.bit_count() == 1  # as often as its logarithm grows
        else:
            better = True
            known.fresh = bool(lastmod and known.has_document and lastmod != known.lastmod)
            known.priority, known.lastmod = priority, lastmod
        if better and not known.done:
            self._note(known)
        return False

    def _note(self, known: KnownAddress) -> None:
        self._changed[known.url] = known
        self._push(known)

    def refuse(self, url: str, *, remember: bool) -> bool:
        """An address that is not to be asked; True when it is new. `remember`: the next crawl is to judge it again."""
        if url in self._addresses:
            return False
        self._addresses[url] = KnownAddress(url, done=True)
        if remember:
            self._changed[url] = self._addresses[url]
        return True

    def drop(self, url: str) -> None:
        """Take an address that waits out."""
        if not self._addresses[url].done:
            self._addresses[url].done = True
            self._waiting -= 1

    def next(self) -> KnownAddress | None:
        """The best address that waits; it counts as done only with `done`."""
        while self._heap:
            _, number, url = heapq.heappop(self._heap)
            known = self._addresses[url]
            if not known.done and self._pushed[url] == number:  # else it was ranked anew since
                known.done = True
                self._waiting -= 1
                return known
        return None

    def finished(self, known: KnownAddress) -> None:
        """The address was asked and decided on, its links are offered: store that."""
        known.asked_in = self._crawl_id
        self._changed[known.url] = known

    def __iter__(self) -> Iterator[KnownAddress]:
        return iter(self._addresses.values())

    def waiting(self) -> list[str]:
        """The addresses that are left, in no order."""
        return [known.url for known in self._addresses.values() if not known.done]

    def changed(self) -> Sequence[KnownAddress]:
        """What is new since the last call."""
        found = list(self._changed.values())
        self._changed = {}
        return found
