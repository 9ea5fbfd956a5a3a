"""A site of 1,000 pages on loopback, crawled twice: what the second crawl of unchanged pages costs.

Prints conversions, embeddings, requests and pages per second of both crawls. The site answers conditional requests as
an ordinary server does; `--no-etags` makes it send every page again, so that only the content's hash can tell.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from retrieval.crawl.walk import Limits
from retrieval.embed.embedder import Vectors
from retrieval.ingest import prepare as preparing
from retrieval.ingest.ingest import Source
from retrieval.knowledge import Knowledge
from retrieval.search.search import Options
from tests.retrieval.hashing import HashingEmbedder
from tests.standins.site import Answer, Site

PAGES = 1000
WORDS = (
    "boat",
    "rope",
    "sail",
    "harbour",
    "tide",
    "price",
    "deposit",
    "helmet",
    "lesson",
    "guide",
    "weekend",
    "ticket",
)


class Counting(HashingEmbedder):
    """An embedder that costs nothing, so that the crawl itself is measured, and that counts texts."""

    def __init__(self) -> None:
        super().__init__()
        self.texts = 0

    async def embed(self, texts: Sequence[str], *, language: str = "", question: bool = False) -> Vectors:
        self.texts += len(texts)
        return await super().embed(texts)


def pages() -> dict[str, str | Answer]:
    """Pages of some 300 words in a frame, all in the sitemap and each linking to its neighbours."""
    chance = random.Random(7)  # noqa: S311 — the same site in every run
    found: dict[str, str | Answer] = {}
    for number in range(PAGES):
        text = "".join(f"<p>{' '.join(chance.choices(WORDS, k=30))} {number}.</p>" for _ in range(10))
        links = "".join(f"<a href='/page-{(number + step) % PAGES}.html'>more</a>" for step in range(1, 8))
        found[f"/page-{number}.html"] = (
            f"<html lang=en><head><title>Page {number}</title></head><body><nav><a href='/'>Home</a></nav>"
            f"<main><h1>Page {number}</h1>{text}{links}</main><footer>Tern and Tide</footer></body></html>"
        )
    found["/"] = found["/page-0.html"]
    listed = "".join(f"<url><loc>{{base}}{path}</loc></url>" for path in found)
    found["/sitemap.xml"] = Answer(f"<urlset>{listed}</urlset>", kind="application/xml")
    return found


async def measure(*, etags: bool) -> None:
    """Crawl twice and print."""
    converted = 0
    prepare = vars(preparing)["prepared"]

    def counting(*args: object, **options: object) -> object:
        nonlocal converted
        converted += 1
        return prepare(*args, **options)

    vars(preparing)["prepared"] = counting
    embedder = Counting()
    with tempfile.TemporaryDirectory() as folder:
        async with (
            Site(pages(), etags=etags) as site,
            Knowledge.opened(Path(folder) / "knowledge.db", embedder, Options()) as knowledge,
        ):
            source = Source(f"{site.url}/", allow_private=True, limits=Limits(max_pages=2 * PAGES))
            for name in ("first", "second, unchanged"):
                converted = embedder.texts = 0
                site.forget()
                began = time.perf_counter()
                report = await knowledge.crawl(source)
                seconds = time.perf_counter() - began
                told = ", ".join(f"{count} {decision}" for decision, count in sorted(report.counts.items()))
                print(f"{name:18} {sum(report.counts.values()) / seconds:7.0f} pages/s  {seconds:6.2f} s  {told}")
                print(
                    f"{'':18} {converted} conversions, {embedder.texts} texts embedded, {len(site.requests)} requests {report.note}"
                )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-etags", action="store_true", help="the server sends every page whole, every time")
    asyncio.run(measure(etags=not parser.parse_args().no_etags))


if __name__ == "__main__":
    main()
