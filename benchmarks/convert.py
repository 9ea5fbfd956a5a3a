"""CPU time of HTML to Markdown on pages of your own, by stage; beside trafilatura in the same run where that is installed."""

from __future__ import annotations

import argparse
import gzip
import importlib
import importlib.util
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from bot.run import demo
from retrieval.convert.html.charset import decode
from retrieval.convert.html.content import read_content
from retrieval.convert.html.markdown import MarkdownWriter
from retrieval.convert.html.page import convert_html
from retrieval.document import Page
from retrieval.split.by_headings import split

URL = "https://pages.example/a/b.html"
ROUNDS = 3


def pages_of(folder: Path, most: int) -> list[Page]:
    """The HTML files under a folder, gzipped or not; `most` of them, spread evenly."""
    files = sorted(file for file in folder.rglob("*") if file.name.endswith((".html", ".html.gz", ".htm")))
    files = files[:: max(1, len(files) // most)][:most]
    return [
        Page(URL, gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
        for data in (f.read_bytes() for f in files)
    ]


def stages(pages: list[Page]) -> dict[str, Callable[[], object]]:
    """What is timed: a name and the work on all pages."""
    texts = [decode(page.content) for page in pages]
    documents = [convert_html(page.content, page.url) for page in pages]
    work: dict[str, Callable[[], object]] = {
        "decode": lambda: [decode(page.content) for page in pages],
        "parse": lambda: [LexborHTMLParser(text) for text in texts],
        "choose and clean": lambda: [read_content(LexborHTMLParser(text), URL) for text in texts],
        "and write": lambda: [
            MarkdownWriter(URL).write(read_content(LexborHTMLParser(text), URL).nodes) for text in texts
        ],
        "convert_html, whole": lambda: [convert_html(page.content, page.url) for page in pages],
        "split": lambda: [split(d) for d in documents],
    }
    if importlib.util.find_spec("trafilatura"):
        peer: Any = importlib.import_module("trafilatura")
        work["trafilatura"] = lambda: [peer.extract(text, output_format="markdown") for text in texts]
    return work


def main() -> None:
    """Print milliseconds of CPU a page, the best of three rounds, interleaved."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, default=demo.folder(), metavar="DIR", help="a folder of HTML files")
    arguments.add_argument("--pages", type=int, default=60, metavar="N")
    given = arguments.parse_args()
    pages = pages_of(given.data, given.pages)
    best: dict[str, float] = {}
    work = stages(pages)
    for _ in range(ROUNDS):
        for name, run in work.items():
            began = time.process_time()
            run()
            best[name] = min(best.get(name, float("inf")), time.process_time() - began)
    print(f"{len(pages)} pages, {sum(len(page.content) for page in pages) // max(1, len(pages))} bytes each")
    whole = best["convert_html, whole"]
    for name, seconds in best.items():
        print(f"{name:22} {1000 * seconds / len(pages):7.2f} ms a page  {seconds / whole:5.2f} x")


if __name__ == "__main__":
    main()
