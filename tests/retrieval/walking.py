"""One crawl of a stand-in site, with what it took and noted."""

from __future__ import annotations

from dataclasses import dataclass, field

from retrieval.crawl import Known, Limits, Walk
from retrieval.document import Page
from retrieval.fetch import Fetcher
from retrieval.html import convert_html
from tests.standins.site import Site


@dataclass
class Walked:
    """Paths that were taken in, and the decision and reason noted for others."""

    complete: bool = False
    taken: list[str] = field(default_factory=list)
    notes: dict[str, tuple[str, str]] = field(default_factory=dict)


async def walk(
    fetcher: Fetcher, site: Site, limits: Limits | None = None, start: str = "/", known: dict[str, Known] | None = None
) -> Walked:
    """Crawl from a path on."""
    walked = Walked()

    async def take(page: Page) -> tuple[str, ...]:
        walked.taken.append(page.url.removeprefix(site.url))
        return convert_html(page.content, page.url).links

    async def note(url: str, decision: str, reason: str) -> None:
        walked.notes[url.removeprefix(site.url)] = (decision, reason.replace(site.url, ""))

    addresses = {site.url + path: marks for path, marks in (known or {}).items()}
    walked.complete = await Walk(
        fetcher, site.url + start, limits or Limits(), addresses, take, note, lambda done, known: None
    ).run()
    walked.taken.sort()
    return walked


def linking(*targets: str) -> str:
    """A page with links."""
    return "<main>" + "".join(f'<a href="{target}">x</a>' for target in targets) + "</main>"
