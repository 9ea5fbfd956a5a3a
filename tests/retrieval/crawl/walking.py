"""One crawl of a stand-in site, with what it took and decided."""

from __future__ import annotations

from dataclasses import dataclass, field

from retrieval.convert.html.page import convert_html
from retrieval.crawl.fetch import Fetcher, NotModified
from retrieval.crawl.frontier import Frontier, KnownAddress
from retrieval.crawl.walk import Limits, Walk
from retrieval.decision import Decision, Kind
from retrieval.document import Page
from retrieval.text.likeness import bag
from tests.retrieval.ingest.crawling import by_path
from tests.standins.site import Site


@dataclass
class Walked:
    """Paths that were taken in, and the decisions on others."""

    complete: bool = False
    order: list[str] = field(default_factory=list)
    decisions: dict[str, Decision] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @property
    def taken(self) -> list[str]:
        """The paths in the order of the alphabet."""
        return sorted(self.order)


async def walk(
    fetcher: Fetcher, site: Site, limits: Limits | None = None, start: str = "/", known: dict[str, str] | None = None
) -> Walked:
    """Crawl from a path on, taking any page and following all its links; `known` are paths with the ETags of the last time."""
    walked = Walked()
    frontier = Frontier(
        [KnownAddress(site.url + path, has_document=True, etag=etag) for path, etag in (known or {}).items()]
    )
    one = Walk(fetcher, site.url + start, limits or Limits(), frontier)
    decided = dict(await one.begin())
    while address := await one.next():
        answer = await one.ask(address)
        if isinstance(answer, Page):
            walked.order.append(address.url.removeprefix(site.url))
            document = convert_html(answer.content, answer.url)
            decided |= dict(one.finished(address, document.links, bag(document.markdown), judged=True))
        else:
            decided[address.url] = Decision(Kind.NOT_MODIFIED) if isinstance(answer, NotModified) else answer
            decided |= dict(one.finished(address))
        one.turn_over()
    decided |= dict(one.rest())
    walked.complete, walked.decisions = one.complete, by_path(site.url, decided)
    walked.warnings = [warning.replace(site.url, "") for warning in one.warnings]
    return walked


def linking(*targets: str) -> str:
    """A page with links."""
    return "<main>" + "".join(f'<a href="{target}">x</a>' for target in targets) + "</main>"
