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

MOST_WAITING = 50_000
FAR = 1000
"""A depth for addresses that no way from the start is known to."""


@dataclass(slots=True)
class Spot:
    """An address: how it was come by, and what is known of it from before.

    `priority` and `lastmod` are the sitemap's. `decision`, `reason` and the marks are those of the last crawl that
    asked it. `held`: a document of it is in the index.
    """

    url: str
    depth: int = FAR
    priority: float | None = None
    lastmod: str = ""
    links_in: int = 0
    hops: int = 0
    asked_in: str = ""
    """The crawl that last asked it and offered its links."""
    done: bool = False
    held: bool = False
    etag: str = ""
    last_modified: str = ""
    content_hash: str = ""
    decision: str = ""
    reason: str = ""
    fresh: bool = False
    """The sitemap says that it changed since it was read."""

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
        ranked += 0.15 if self.held else 0.0  # or a small budget would go to other pages in every crawl
        return ranked + near + 0.1 * min(self.links_in.bit_length(), 5) - (0.2 if parts.query else 0.0)


class Frontier:
    """A queue without doubles, ordered by worth; equals in the order in which they came."""

    def __init__(self, spots: Iterable[Spot] = (), crawl_id: str = "") -> None:
        self._crawl_id = crawl_id
        self._spots: dict[str, Spot] = {}
        self._heap: list[tuple[float, int, str]] = []
        self._count = itertools.count()
        self._pushed: dict[str, int] = {}
        self._changed: dict[str, Spot] = {}
        self._waiting = 0
        self.dropped = 0
        """Addresses that came when there were too many already."""
        for spot in spots:
            self._spots[spot.url] = spot
            if not spot.done:
                self._waiting += 1
                self._push(spot)

    def __len__(self) -> int:
        return self._waiting

    def __contains__(self, url: object) -> bool:
        return url in self._spots

    def __getitem__(self, url: str) -> Spot:
        return self._spots[url]

    def _push(self, spot: Spot) -> None:
        self._pushed[spot.url] = number = next(self._count)
        heapq.heappush(self._heap, (-spot.worth(), number, spot.url))

    def offer(self, url: str, depth: int, *, priority: float | None = None, lastmod: str = "", hops: int = 0) -> bool:
        """An address that was met, as a link unless a sitemap's `priority` comes with it; True when it is new."""
        spot = self._spots.get(url)
        if spot is None:
            if self._waiting >= MOST_WAITING:
                self.dropped += 1
                return False
            self._spots[url] = spot = Spot(url, depth, priority, lastmod, int(priority is None), hops)
            self._waiting += 1
            self._note(spot)
            return True
        better = depth < spot.depth
        spot.depth = min(depth, spot.depth)
        if priority is None:
            spot.links_in += 1
            better = better or spot.links_in.bit_count() == 1  # as often as its logarithm grows
        else:
            better = True
            spot.fresh = bool(lastmod and spot.held and lastmod != spot.lastmod)
            spot.priority, spot.lastmod = priority, lastmod
        if better and not spot.done:
            self._note(spot)
        return False

    def _note(self, spot: Spot) -> None:
        self._changed[spot.url] = spot
        self._push(spot)

    def refuse(self, url: str, *, remember: bool) -> bool:
        """An address that is not to be asked; True when it is new. `remember`: the next crawl is to judge it again."""
        if url in self._spots:
            return False
        self._spots[url] = Spot(url, done=True)
        if remember:
            self._changed[url] = self._spots[url]
        return True

    def drop(self, url: str) -> None:
        """Take an address that waits out."""
        if not self._spots[url].done:
            self._spots[url].done = True
            self._waiting -= 1

    def next(self) -> Spot | None:
        """The best address that waits; it counts as done only with `done`."""
        while self._heap:
            _, number, url = heapq.heappop(self._heap)
            spot = self._spots[url]
            if not spot.done and self._pushed[url] == number:  # else it was ranked anew since
                spot.done = True
                self._waiting -= 1
                return spot
        return None

    def finished(self, spot: Spot) -> None:
        """The address was asked and decided on, its links are offered: store that."""
        spot.asked_in = self._crawl_id
        self._changed[spot.url] = spot

    def __iter__(self) -> Iterator[Spot]:
        return iter(self._spots.values())

    def waiting(self) -> list[str]:
        """The addresses that are left, in no order."""
        return [spot.url for spot in self._spots.values() if not spot.done]

    def changed(self) -> Sequence[Spot]:
        """What is new since the last call."""
        found = list(self._changed.values())
        self._changed = {}
        return found
