"""The commands that bring a site in: init, crawl."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial

from bot import app
from bot.cli import setup
from bot.cli.init import write_files
from bot.cli.output import put, put_json
from bot.errors import FrontdeskError
from bot.run import sources
from bot.run.schedule import summary
from retrieval.ingest.journal import Report
from retrieval.ingest.situate import Estimate


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
        run = partial(knowledge.crawl, progress=_progress, accept=arguments.accept, announce=_announce)
        if arguments.demo:
            async with setup.demo_site() as base:
                reports = [await run(sources.demo(config, base))]
        else:
            chosen = [item for item in sources.configured(config) if arguments.source in ("", item.place)]
            if not chosen:
                raise FrontdeskError(
                    f"{arguments.source or 'frontdesk.toml'}: no such source is configured; add it under [[sources]]"
                )
            reports = [await run(item) for item in chosen]
    _show_reports(reports, as_json=arguments.json)
    stopped = [report for report in reports if report.outcome in ("failed", "braked")]
    for report in stopped:
        sys.stderr.write(f"{report.source}: {summary(report)}\n")
    return 1 if stopped else 0


def _progress(done: int, known: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done} of {known} pages ")
        sys.stderr.write("\n" if done == known else "")


def _announce(estimate: Estimate) -> None:
    sys.stderr.write(f"contexts: {estimate}\n")


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
                            {
                                "url": url,
                                "decision": decision,
                                "reason": reason,
                                "change": report.changes.get(url, ""),
                            }
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
                put(f"  {decision:9} {url}  {reason or report.changes.get(url, '')}".rstrip())
