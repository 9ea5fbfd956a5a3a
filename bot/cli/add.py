"""`frontdesk add`: documents, folders and pages at once, and imports in JSON Lines."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from bot.cli import setup
from bot.cli.output import put, put_json, report_json
from bot.config import Config
from bot.config.settings import SourceSettings
from bot.errors import FrontdeskError
from bot.run import sources
from bot.run.sources import summary
from retrieval.crawl.guard import check
from retrieval.decision import State
from retrieval.document import Document
from retrieval.errors import FetchError
from retrieval.ingest.ingest import Source
from retrieval.ingest.journal import CrawlOutcome, Report

NEVER_AGAIN = "3650d"
"""How often what was added by hand is looked at again: never by itself."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    setup.add_bot_arguments(parser)
    parser.add_argument("places", nargs="+", metavar="PATH|URL")
    parser.add_argument("--knowledge", default="default", metavar="NAME")
    setup.add_json_argument(parser)


async def run(arguments: argparse.Namespace) -> int:
    """Add files, folders, pages, or an import in JSON Lines; what fails doesn't keep the rest from coming in."""
    imported, refused = 0, list[str]()
    async with setup.knowledge_of(arguments) as (config, knowledge):
        chosen: list[Source] = []
        for path_or_url in arguments.places:
            if path_or_url.endswith(".jsonl"):
                try:
                    documents = _imported(Path(path_or_url))
                except FrontdeskError as error:
                    refused.append(str(error))
                    continue
                except OSError as error:
                    refused.append(f"{path_or_url}: {error.strerror}")
                    continue
                await knowledge.put(documents)
                imported += len(documents)
                continue
            if why := _why_not(path_or_url):
                refused.append(why)
                continue
            source = _source(config, path_or_url, arguments.knowledge)
            if source not in chosen:
                chosen.append(source)
        reports = await knowledge.crawl_all(chosen)
    for why in refused:
        sys.stderr.write(f"{why}\n")
    _show(reports, imported, as_json=arguments.json)
    failed = any(report.outcome is CrawlOutcome.FAILED or report.counts.get(State.FAILED) for report in reports)
    return 1 if failed or refused else 0


def _why_not(path_or_url: str) -> str:
    """Why this can't be a source, as a sentence; an address that holds a password isn't even stored."""
    if "://" in path_or_url:
        try:
            check(path_or_url, allow_private=True)
        except FetchError as error:
            return str(error)
        return ""
    return "" if path_or_url and Path(path_or_url).exists() else f"{path_or_url}: there is no such file or folder"


def _source(config: Config, path_or_url: str, knowledge: str) -> Source:
    """A page alone, or a file or folder."""
    is_page = path_or_url.startswith(("http://", "https://"))
    named = {"url": path_or_url, "max_pages": 1} if is_page else {"path": str(Path(path_or_url).resolve())}
    setting = SourceSettings.model_validate({**named, "knowledge": knowledge, "every": NEVER_AGAIN})
    return replace(sources.as_source(config, setting), kind="site" if is_page else "file")


def _show(reports: Sequence[Report], imported: int, *, as_json: bool) -> None:
    """A line for each file and page: added, changed, unchanged, or failed and why."""
    if as_json:
        put_json({"imported": imported, "sources": [report_json(report) for report in reports]})
        return
    for report in reports:
        for url, decision in report.decisions.items():
            words = decision.in_words
            put(f"{decision.state:9} {_readable(url)}" + (f"  {words}" if words else ""))
        if not report.decisions or (report.outcome is CrawlOutcome.FAILED and not report.counts.get(State.FAILED)):
            put(f"{report.source}: {summary(report)}")
    if imported:
        put(f"{imported} documents imported")


def _readable(url: str) -> str:
    """A file's address as its path."""
    return unquote(url.removeprefix("file://")) if url.startswith("file://") else url


def _imported(path: Path) -> list[Document]:
    """Documents ({"id","url","title","text","lang"}) or the owner's answers ({"question","answer","phrasings"})."""
    documents = []
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise FrontdeskError(f"{path}: isn't in UTF-8; save it in that encoding and add it again") from None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record: dict[str, Any] = json.loads(line)
            json.dumps(record, ensure_ascii=False).encode()  # half a letter can't be stored: a ValueError too
            if "question" in record:
                asked = [record["question"], *record.get("phrasings", ())]
                text = "".join(f"## {question}\n\n{record['answer']}\n\n" for question in asked)
                title = str(record["question"])
            else:
                text, title = str(record["text"]), str(record.get("title") or "")
            name = str(record.get("id") or record.get("url") or f"answer:{title[:80]}")
            url = str(record.get("url") or name)
            documents.append(Document(url, title, text, record.get("lang", ""), id=name))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise FrontdeskError(
                f'{path}:{number}: not a document; write {{"id", "url", "title", "text", "lang"}}'
            ) from error
    return documents
