"""A whole crawl of a stand-in site into an index, told by path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from retrieval.crawl.walk import Limits
from retrieval.decision import Decision
from retrieval.index.index import Index
from retrieval.ingest.ingest import Crawl, Source
from retrieval.ingest.journal import Report
from tests.standins.site import Site

WORDS = {
    "boats": "Our seven wooden rowing boats lie at the northern pier and wait for calm weather and steady hands.",
    "carts": "A cargo cart carries up to ninety kilograms of luggage from the ferry to any door in the old town.",
    "tents": "Sturdy canvas shelters for four sleepers come with pegs, mallet, groundsheet and a lantern for the night.",
    "ropes": "Braided lines from eight to sixteen millimetres are cut to length while you drink a coffee with us.",
    "masts": "Hollow spruce spars are glued by hand in winter, oiled twice, and guaranteed against splitting for years.",
    "lamps": "Brass lanterns burn paraffin or take a warm electric bulb, and every glass can be replaced on its own.",
}


def source_of(site: Site, **changes: Any) -> Source:
    """The site as a source; keywords of Limits and Source alike."""
    limits = {name: changes.pop(name) for name in list(changes) if name in Limits.__dataclass_fields__}
    return Source(f"{site.url}/", allow_private=True, limits=Limits(**limits), **changes)


async def report_of(index: Index, site: Site, *, accept: bool = False, **changes: Any) -> Report:
    """Crawl it."""
    return await Crawl(index, source_of(site, **changes), accept=accept).run()


async def crawled(index: Index, site: Site, *, accept: bool = False, **changes: Any) -> dict[str, Decision]:
    """Crawl it; the decision on each path, its target a path as well."""
    report = await report_of(index, site, accept=accept, **changes)
    return by_path(site.url, report.decisions)


def by_path(base: str, decisions: Mapping[str, Decision]) -> dict[str, Decision]:
    """Decisions without the site's address."""
    return {
        url.removeprefix(base): replace(decision, target=decision.target.removeprefix(base))
        for url, decision in decisions.items()
    }


async def held(index: Index, site: Site) -> dict[str, str]:
    """The paths that are in the index, with their Markdown."""
    rows = await index.db.read(
        "SELECT DISTINCT d.url, d.markdown FROM documents d JOIN chunks c ON c.document_id = d.id"
        " WHERE tombstoned_at IS NULL"
    )
    return {row["url"].removeprefix(site.url): row["markdown"] for row in rows}


def page(text: str, *links: str, head: str = "", title: str = "") -> str:
    """A page with a title, a paragraph and links."""
    anchors = "".join(f"<a href='{link}'>more</a> " for link in links)
    return f"<html><head><title>{title}</title>{head}</head><body><main><p>{text}</p></main><nav>{anchors}</nav></body></html>"


def shop() -> dict[str, Any]:
    """A home page and six others that it links to."""
    return {
        "/": page("Welcome to the harbour, where everything for a day on the water is.", *(f"/{name}" for name in WORDS)),
        **{f"/{name}": page(text) for name, text in WORDS.items()},
    }  # fmt: skip
