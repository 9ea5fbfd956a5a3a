"""The commands that bring content in: init, crawl, convert."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urljoin

from bot import app, setup, sources
from bot.errors import FrontdeskError
from bot.initial import write_files
from bot.output import put, put_json
from bot.schedule import summary
from retrieval.convert import convert as to_markdown
from retrieval.convert import parts
from retrieval.document import Page
from retrieval.errors import ConvertError, RetrievalError
from retrieval.fetch import Fetcher
from retrieval.formats.text import name_of
from retrieval.ingest import Report


async def init(arguments: argparse.Namespace) -> int:
    """Write a configuration; what isn't given by a flag is asked when somebody is there to answer."""

    def value(given: str, question: str) -> str:
        if given or not sys.stdin.isatty():
            return str(given)
        sys.stderr.write(question)
        sys.stderr.flush()
        return sys.stdin.readline().strip()

    url = value(arguments.url, "The website to answer from (https://…): ")
    name = value(arguments.name, "The business's name: ")
    contact = value(arguments.contact, "Where a visitor finds a person (phone, e-mail or page; may be empty): ")
    for path in write_files(arguments.folder, url, name, contact):
        put(f"wrote {path}")
    put("next: frontdesk doctor, then frontdesk run")
    return 0


async def crawl(arguments: argparse.Namespace) -> int:
    """Crawl all sources or one."""
    config, folder = setup.config_of(arguments)
    async with app.knowledge_of(config, folder) as knowledge:
        if arguments.demo:
            async with setup.demo_site() as base:
                reports = [await knowledge.crawl(sources.demo(config, base), _progress)]
        else:
            chosen = [item for item in sources.configured(config) if arguments.source in ("", item.place)]
            if not chosen:
                raise FrontdeskError(
                    f"{arguments.source or 'frontdesk.toml'}: no such source is configured; add it under [[sources]]"
                )
            reports = [await knowledge.crawl(item, _progress) for item in chosen]
    _show_reports(reports, as_json=arguments.json)
    return 1 if any(report.outcome == "failed" for report in reports) else 0


def _progress(done: int, known: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done} of {known} pages ")
        sys.stderr.write("\n" if done == known else "")


def _show_reports(reports: Sequence[Report], *, as_json: bool) -> None:
    if as_json:
        put_json(
            {
                "sources": [
                    {
                        "source": report.source,
                        "outcome": report.outcome,
                        "counts": report.counts,
                        "note": report.note,
                        "pages": [
                            {"url": url, "decision": decision, "reason": reason}
                            for url, decision, reason in report.reasons
                        ],
                    }
                    for report in reports
                ]
            }
        )
        return
    for report in reports:
        put(f"{report.source}: {summary(report)}")
        for url, decision, reason in report.reasons:
            if decision not in ("added", "unchanged"):
                put(f"  {decision:9} {url}  {reason}")


async def convert(arguments: argparse.Namespace) -> int:
    """Print Markdown, or write it beside each other into a folder."""
    failed, written = 0, set[Path]()
    for place in arguments.places:
        try:
            for part in parts(await _page(place, arguments.base)):
                failed += not _converted(part, arguments.out, written)
        except (RetrievalError, OSError) as error:
            sys.stderr.write(f"{error}\n")
            failed += 1
    return 1 if failed else 0


def _converted(part: Page | ConvertError, folder: Path | None, written: set[Path]) -> bool:
    """Write one page's Markdown; of an archive each file is a page. What can't be read is said."""
    try:
        if not isinstance(part, Page):
            raise part
        document = to_markdown(part)
    except RetrievalError as error:
        sys.stderr.write(f"{error}\n")
        return False
    for note in document.notes:
        sys.stderr.write(f"{part.url}: {note}\n")
    if folder is None:
        sys.stdout.write(document.markdown)
        return True
    folder.mkdir(parents=True, exist_ok=True)
    _free(folder / f"{name_of(part.url)}.md", written).write_text(document.markdown, encoding="utf-8")
    return True


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
