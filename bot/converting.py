"""The command that shows the Markdown of pages and files; nothing is stored."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urljoin

from retrieval.convert import convert as to_markdown
from retrieval.convert import kind_of
from retrieval.document import Document, Page
from retrieval.errors import RetrievalError
from retrieval.fetch import Fetcher
from retrieval.html import audit
from retrieval.repeat import learn, strip


async def convert(arguments: argparse.Namespace) -> int:
    """Print Markdown, or write it beside each other into a folder; several pages show each other what their frame is."""
    failed, written = 0, set[Path]()
    documents: list[tuple[str, Document]] = []
    for place in arguments.places:
        try:
            page = await _page(place, arguments.base)
            documents.append((place, to_markdown(page)))
            if arguments.audit:
                sys.stderr.write(_audit(place, page))
        except (RetrievalError, OSError) as error:
            sys.stderr.write(f"{error}\n")
            failed += 1
    repeated = learn(document.markdown for _, document in documents)
    for place, document in documents:
        stripped = strip(document.markdown, repeated)
        if arguments.audit:
            sys.stderr.write(_lines((place, "repeats on the site", len(block), block) for block in stripped.removed))
        if arguments.out:
            arguments.out.mkdir(parents=True, exist_ok=True)
            _free(arguments.out / f"{Path(place).name}.md", written).write_text(stripped.markdown, encoding="utf-8")
        else:
            sys.stdout.write(stripped.markdown)
    return 1 if failed else 0


def _audit(place: str, page: Page) -> str:
    if kind_of(page) != "html":
        return ""
    return _lines((place, rule, size, text) for rule, size, text in audit(page.content, page.url, page.content_type))


def _lines(parts: Iterable[tuple[str, str, int, str]]) -> str:
    return "".join(
        f"{Path(place).name}: {rule}, {size} characters: {' '.join(text.split())[:100]}\n"
        for place, rule, size, text in parts
    )


def _free(path: Path, written: set[Path]) -> Path:
    """A name that this command has not written yet: two files of one name get numbers."""
    number, free = 2, path
    while free in written:
        free, number = path.with_name(f"{path.stem}-{number}{path.suffix}"), number + 1
    written.add(free)
    return free


async def _page(place: str, base: str) -> Page:
    if place.startswith(("http://", "https://")):
        async with Fetcher.opened(allow_private=True) as fetcher:
            page = await fetcher.get(place)
            assert page is not None
            return page
    path = Path(place)
    return Page(urljoin(base, path.name) if base else path.resolve().as_uri(), path.read_bytes())
