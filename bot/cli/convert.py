"""`frontdesk convert`: the Markdown of pages and files; nothing is stored."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from retrieval.address import joined
from retrieval.convert.convert import convert as to_markdown
from retrieval.convert.convert import kind_of, pages_of
from retrieval.convert.html.page import audit
from retrieval.convert.office.text import name_of
from retrieval.crawl.fetch import Fetcher
from retrieval.document import Document, Page
from retrieval.errors import ConvertError, RetrievalError
from retrieval.ingest.repeat import learn, strip


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("places", nargs="+", metavar="PATH|URL")
    parser.add_argument("--base", default="", metavar="URL", help="the address that the files stand for")
    parser.add_argument("--audit", action="store_true", help="say on the error stream what each rule took away")
    parser.add_argument("--out", type=Path, default=None, metavar="DIR", help="write one .md a file into this folder")


async def run(arguments: argparse.Namespace) -> int:
    """Print Markdown, or write it beside each other into a folder; several pages show each other what their frame is.

    Each file of an archive is a page.
    """
    failed, written = 0, set[Path]()
    pages: list[tuple[Page, Document]] = []
    for path_or_url in arguments.places:
        try:
            for part in pages_of(await _page(path_or_url, arguments.base)):
                document = _converted(part)
                failed += document is None
                if isinstance(part, Page) and document is not None:
                    pages.append((part, document))
                    if arguments.audit:
                        sys.stderr.write(_audit(name_of(part.url), part))
        except OSError as error:
            sys.stderr.write(
                f"{path_or_url}: can't be read ({error.strerror}); convert takes files and addresses of pages\n"
            )
            failed += 1
        except RetrievalError as error:
            sys.stderr.write(f"{error}\n")
            failed += 1
    repeated = learn(document.markdown for page, document in pages if kind_of(page) == "html")
    for page, document in pages:
        name, markdown = name_of(page.url), document.markdown
        if kind_of(page) == "html":
            stripped = strip(markdown, repeated)
            markdown = stripped.markdown
            if arguments.audit:
                sys.stderr.write(_lines((name, "repeats on the site", len(block), block) for block in stripped.removed))
        if arguments.out:
            arguments.out.mkdir(parents=True, exist_ok=True)
            _free(arguments.out / f"{_safe(name)}.md", written).write_text(markdown, encoding="utf-8")
        else:
            sys.stdout.write(markdown)
    return 1 if failed else 0


def _converted(part: Page | ConvertError) -> Document | None:
    """One page's Markdown; what can't be read, and what was left out, is said."""
    try:
        if not isinstance(part, Page):
            raise part
        document = to_markdown(part)
    except RetrievalError as error:
        sys.stderr.write(f"{error}\n")
        return None
    for note in document.notes:
        sys.stderr.write(f"{part.url}: {note}\n")
    return document


def _audit(place: str, page: Page) -> str:
    if kind_of(page) != "html":
        return ""
    return _lines((place, rule, size, text) for rule, size, text in audit(page.content, page.url, page.content_type))


def _lines(parts: Iterable[tuple[str, str, int, str]]) -> str:
    return "".join(
        f"{place}: {rule}, {size} characters: {' '.join(text.split())[:100]}\n" for place, rule, size, text in parts
    )


def _safe(name: str) -> str:
    """A name that stays in its folder: an address may hold slashes in disguise, or be longer than names may be."""
    return re.sub(r"[/\\\x00-\x1f]", "_", name)[-60:].lstrip(".") or "page"


def _free(path: Path, written: set[Path]) -> Path:
    """A name that this command has not written yet: two files of one name get numbers."""
    number, free = 2, path
    while free in written:
        free, number = path.with_name(f"{path.stem}-{number}{path.suffix}"), number + 1
    written.add(free)
    return free


async def _page(path_or_url: str, base: str) -> Page:
    if path_or_url.startswith(("http://", "https://")):
        async with Fetcher.opened(allow_private=True) as fetcher:
            page = await fetcher.get(path_or_url)
            assert page is not None
            return page
    path = Path(path_or_url)
    url = joined(base, path.name) if base else path.resolve().as_uri()
    if not url:
        raise RetrievalError("can't be read as an address", about=f"--base {base}")
    return Page(url, path.read_bytes())
