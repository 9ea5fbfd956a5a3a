"""One crawl of a stand-in site, with what it took and noted."""

from __future__ import annotations

from dataclasses import dataclass, field

from retrieval.convert.html.page import convert_html
from retrieval.crawl.fetch import Fetcher
from retrieval.crawl.frontier import Frontier, Spot
from retrieval.crawl.walk import Limits, Taken, Walk
from retrieval.document import Page
from retrieval.text.likeness import bag
from tests.standins.site import Site


@dataclass
class Walked:
    """Paths that were taken in, and the decision and reason noted for others."""

    base: str
    complete: bool = False
    order: list[str] = field(default_factory=list)
    notes: dict[str, tuple[str, str]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @property
    def taken(self) -> list[str]:
        """The paths in the order of the alphabet."""
        return sorted(self.order)

    async def fetched(self, spot: Spot, page: Page) -> Taken:
        """Take any page, follow all its links."""
        self.order.append(spot.url.removeprefix(self.base))
        document = convert_html(page.content, page.url)
        return Taken(document.links, bag(document.markdown))

    async def same(self, spot: Spot, robots: str = "") -> None:
        """Note it."""
        await self.note(spot.url, "unchanged", "the server says so")

    async def note(self, url: str, decision: str, reason: str) -> None:
        """Keep it by path."""
        self.notes[url.removeprefix(self.base)] = (decision, reason.replace(self.base, ""))


async def walk(
    fetcher: Fetcher, site: Site, limits: Limits | None = None, start: str = "/", known: dict[str, str] | None = None
) -> Walked:
    """Crawl from a path on; `known` are paths with the ETags of the last time."""
    walked = Walked(site.url)
    frontier = Frontier([Spot(site.url + path, held=True, etag=etag) for path, etag in (known or {}).items()])
    one = Walk(fetcher, site.url + start, limits or Limits(), frontier, walked)
    walked.complete = await one.run()
    walked.warnings = [warning.replace(site.url, "") for warning in one.warnings]
    return walked


def linking(*targets: str) -> str:
    """A page with links."""
    return "<main>" + "".join(f'<a href="{target}">x</a>' for target in targets) + "</main>"
