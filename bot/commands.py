"""The commands that bring content in: init, crawl, add."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot import app, setup, sources
from bot.config import Source as Setting
from bot.errors import FrontdeskError
from bot.initial import write_files
from bot.output import put, put_json
from bot.schedule import summary
from retrieval.document import Document
from retrieval.journal import Report


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
                reports = [await knowledge.crawl(sources.demo(config, base), _progress, accept=arguments.accept)]
        else:
            chosen = [item for item in sources.configured(config) if arguments.source in ("", item.place)]
            if not chosen:
                raise FrontdeskError(
                    f"{arguments.source or 'frontdesk.toml'}: no such source is configured; add it under [[sources]]"
                )
            reports = [await knowledge.crawl(item, _progress, accept=arguments.accept) for item in chosen]
    _show_reports(reports, as_json=arguments.json)
    stopped = [report for report in reports if report.outcome in ("failed", "braked")]
    for report in stopped:
        sys.stderr.write(f"{report.source}: {summary(report)}\n")
    return 1 if stopped else 0


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


async def add(arguments: argparse.Namespace) -> int:
    """Add files, folders, pages, or an import in JSON Lines."""
    reports, imported = [], 0
    async with setup.knowledge_of(arguments) as (config, knowledge):
        for place in arguments.places:
            if place.endswith(".jsonl"):
                documents = _imported(Path(place))
                await knowledge.put(documents)
                imported += len(documents)
                continue
            one_page = {"max_pages": 1} if place.startswith("http") else {}
            named = {"url": place} if place.startswith("http") else {"path": str(Path(place).resolve())}
            setting = Setting.model_validate({**named, **one_page, "knowledge": arguments.knowledge, "every": "3650d"})
            source = sources.as_source(config, setting)
            if not sources.exists(source):
                raise FrontdeskError(f"{place}: there is no such file or folder")
            reports.append(await knowledge.crawl(replace(source, kind="file" if "path" in named else "site")))
    if arguments.json:
        put_json(
            {
                "imported": imported,
                "sources": [{"source": r.source, "outcome": r.outcome, "counts": r.counts} for r in reports],
            }
        )
    else:
        _show_reports(reports, as_json=False)
        if imported:
            put(f"{imported} documents imported")
    return 1 if any(report.outcome == "failed" or report.counts.get("failed") for report in reports) else 0


def _imported(path: Path) -> list[Document]:
    """Documents ({"id","url","title","text","lang"}) or the owner's answers ({"question","answer","phrasings"})."""
    documents = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip():
            continue
        try:
            record: dict[str, Any] = json.loads(line)
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
