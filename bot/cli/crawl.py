"""`frontdesk crawl`: crawl now, and say for every address why it is in or out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial

from bot import app
from bot.cli import setup
from bot.cli.output import put, put_json, report_json
from bot.errors import FrontdeskError
from bot.run import sources
from bot.run.sources import summary
from retrieval.decision import State
from retrieval.ingest.journal import CrawlOutcome, Report
from retrieval.ingest.situate import Estimate


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    setup.add_bot_arguments(parser)
    parser.add_argument("source", nargs="?", default="", help="one source's address; default: all")
    parser.add_argument("--accept", action="store_true", help="believe a site of which too much changed at once")
    setup.add_json_argument(parser)


async def run(arguments: argparse.Namespace) -> int:
    """Crawl all sources or one."""
    config, folder = setup.config_of(arguments)
    async with app.knowledge_of(config, folder) as knowledge:
        crawl = partial(knowledge.crawl, progress=_progress, accept=arguments.accept, announce=_announce)
        if arguments.demo:
            async with setup.demo_site() as base:
                reports = [await crawl(sources.demo(config, base))]
        else:
            chosen = [item for item in sources.configured(config) if arguments.source in ("", item.id)]
            if not chosen:
                raise FrontdeskError(
                    f"{arguments.source or 'frontdesk.toml'}: no such source is configured; add it under [[sources]]"
                )
            reports = [await crawl(item) for item in chosen]
    _show_reports(reports, as_json=arguments.json)
    stopped = [report for report in reports if report.outcome in (CrawlOutcome.FAILED, CrawlOutcome.BRAKED)]
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
        put_json({"sources": [report_json(report) for report in reports]})
        return
    for report in reports:
        put(f"{report.source}: {summary(report)}")
        for url, decision in report.decisions.items():
            if decision.state not in (State.ADDED, State.UNCHANGED):
                why = decision.in_words or report.changes.get(url, "")
                put(f"  {decision.state:9} {url}  {why}".rstrip())
