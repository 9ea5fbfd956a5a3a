"""The command that adds documents: files, folders and pages at once, and imports in JSON Lines."""

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
from bot.cli.output import put, put_json
from bot.config import Config
from bot.config import Source as Setting
from bot.errors import FrontdeskError
from bot.run import sources
from bot.run.schedule import summary
from retrieval.crawl.guard import check
from retrieval.document import Document
from retrieval.errors import FetchError
from retrieval.ingest.ingest import Source
from retrieval.ingest.journal import Report

FAR = "3650d"
"""How often what was added by hand is looked at again: never by itself."""


async def add(arguments: argparse.Namespace) -> int:
    """Add files, folders, pages, or an import in JSON Lines; what fails doesn't keep the rest from coming in."""
    imported, refused = 0, list[str]()
    async with setup.knowledge_of(arguments) as (config, knowledge):
        chosen: list[Source] = []
        for place in arguments.places:
            if place.endswith(".jsonl"):
                try:
                    documents = _imported(Path(place))
                except FrontdeskError as error:
                    refused.append(str(error))
                    continue
                except OSError as error:
                    refused.append(f"{place}: {error.strerror}")
                    continue
                await knowledge.put(documents)
                imported += len(documents)
                continue
            if why := _why_not(place):
                refused.append(why)
                continue
            source = _source(config, place, arguments.knowledge)
            if source not in chosen:
                chosen.append(source)
        reports = await knowledge.crawl_all(chosen)
    for why in refused:
        sys.stderr.write(f"{why}\n")
    _show(reports, imported, as_json=arguments.json)
    failed = any(report.outcome == "failed" or report.counts.get("failed") for report in reports)
    return 1 if failed or refused else 0


def _why_not(place: str) -> str:
    """Why a place can't be a source, as a sentence; an address that holds a password isn't even stored."""
    if "://" in place:
        try:
            check(place, allow_private=True)
        except FetchError as error:
            return str(error)
        return ""
    return "" if place and Path(place).exists() else f"{place}: there is no such file or folder"


def _source(config: Config, place: str, knowledge: str) -> Source:
    """A page alone, or a file or folder."""
    is_page = place.startswith(("http://", "https://"))
    named = {"url": place, "max_pages": 1} if is_page else {"path": str(Path(place).resolve())}
    setting = Setting.model_validate({**named, "knowledge": knowledge, "every": FAR})
    return replace(sources.as_source(config, setting), kind="site" if is_page else "file")


def _show(reports: Sequence[Report], imported: int, *, as_json: bool) -> None:
    """A line for each file and page: added, changed, unchanged, or failed and why."""
    if as_json:
        put_json({"imported": imported, "sources": [_record(report) for report in reports]})
        return
    for report in reports:
        for url, decision, reason in report.reasons:
            put(f"{decision:9} {_readable(url)}" + (f"  {reason}" if reason else ""))
        if not report.reasons or (report.outcome == "failed" and not report.counts.get("failed")):
            put(f"{report.source}: {summary(report)}")
    if imported:
        put(f"{imported} documents imported")


def _record(report: Report) -> dict[str, Any]:
    pages = [{"url": url, "decision": decision, "reason": reason} for url, decision, reason in report.reasons]
    return {
        "source": report.source,
        "outcome": report.outcome,
        "counts": report.counts,
        "note": report.note,
        "pages": pages,
    }


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
