"""Pages per second of the example site's crawl: the first one, and the second when nothing has changed."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

from bot import app
from bot.cli import setup
from bot.run import demo, sources


async def measure() -> dict[str, float]:
    """Pages per second of wall time, by run."""
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        config = app.configured(demo.folder() / "frontdesk.toml", {})
        async with app.knowledge_of(config, Path(folder)) as knowledge, setup.demo_site() as base:
            if knowledge.index.embedder:
                await knowledge.index.embedder.embed(["loads the model"])
            for name in ("first crawl", "second crawl, unchanged"):
                began = time.perf_counter()
                report = await knowledge.crawl(sources.demo(config, base))
                figures[name] = sum(report.counts.values()) / (time.perf_counter() - began)
    return figures


def main() -> None:
    """Print the table."""
    for name, value in asyncio.run(measure()).items():
        print(f"{name:24} {value:7.1f} pages/s")


if __name__ == "__main__":
    main()
