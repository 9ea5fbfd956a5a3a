"""The commands that work on a library or a database and end."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from bot import app, privacy, setup, sources
from bot import doctor as checks
from bot import gaps as gap_log
from bot.config import Source as Setting
from bot.errors import FrontdeskError
from bot.initial import write_files
from bot.messages import Message
from bot.prompt import build, local_time
from bot.rewrite import rewrite
from bot.schedule import summary
from bot.session import Memory
from bot.turn import Conversation, Turn
from retrieval import evaluate as quality
from retrieval.convert import convert as to_markdown
from retrieval.document import Document, Found, Hit, Page
from retrieval.errors import RetrievalError
from retrieval.fetch import Fetcher
from retrieval.ingest import Report
from retrieval.knowledge import Knowledge
from retrieval.search import pack


def put(text: str) -> None:
    """A line for standard output."""
    sys.stdout.write(text + "\n")


def put_json(record: object) -> None:
    """One JSON object for standard output."""
    put(json.dumps(record, ensure_ascii=False, indent=2))


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
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            record: dict[str, Any] = json.loads(line)
            if "question" in record:
                also = "".join(f"\n\n{phrasing}" for phrasing in record.get("phrasings", ()))
                text = f"## {record['question']}\n\n{record['answer']}{also}\n"
                name = record.get("url") or record.get("id") or f"answer:{record['question'][:80]}"
                documents.append(Document(str(name), str(record["question"]), text, record.get("lang", "")))
            else:
                name = record.get("id") or record["url"]
                documents.append(
                    Document(str(name), str(record.get("title") or ""), str(record["text"]), record.get("lang", ""))
                )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise FrontdeskError(
                f'{path}:{number}: not a document; write {{"id", "url", "title", "text", "lang"}}'
            ) from error
    return documents


async def convert(arguments: argparse.Namespace) -> int:
    """Print Markdown, or write it beside each other into a folder."""
    failed = 0
    for place in arguments.places:
        try:
            document = to_markdown(await _page(place, arguments.base))
        except (RetrievalError, OSError) as error:
            sys.stderr.write(f"{error}\n")
            failed += 1
            continue
        if arguments.out:
            arguments.out.mkdir(parents=True, exist_ok=True)
            (arguments.out / f"{Path(place).name}.md").write_text(document.markdown, encoding="utf-8")
        else:
            sys.stdout.write(document.markdown)
    return 1 if failed else 0


async def _page(place: str, base: str) -> Page:
    if place.startswith(("http://", "https://")):
        async with Fetcher.opened(allow_private=True) as fetcher:
            page = await fetcher.get(place)
            assert page is not None
            return page
    path = Path(place)
    return Page(urljoin(base, path.name) if base else path.resolve().as_uri(), path.read_bytes())


def hit_json(hit: Hit) -> dict[str, Any]:
    """A hit as `search --json` prints it."""
    legs = {
        name: {"rank": leg.rank, "score": leg.score} if leg else None
        for name, leg in (("semantic", hit.semantic), ("keyword", hit.keyword))
    }
    return {
        "chunk_id": hit.chunk_id,
        "document_id": hit.document_id,
        "url": hit.url,
        "title": hit.title,
        "heading_path": list(hit.heading_path),
        "text": hit.text,
        "score": hit.score,
        **legs,
        "rerank": None,
        "relevance": hit.relevance,
    }


async def search(arguments: argparse.Namespace) -> int:
    """Hits with every score."""
    async with setup.knowledge_of(arguments) as (_, knowledge):
        changes: dict[str, object] = {"k": arguments.k} | ({"mode": arguments.mode} if arguments.mode else {})
        found = await knowledge.search(arguments.question, **changes)  # type: ignore[arg-type]
    if arguments.json:
        put_json(
            {
                "question": arguments.question,
                "rewritten": found.question,
                "mode": found.mode,
                "verdict": found.verdict,
                "confidence": found.confidence,
                "floor": found.floor,
                "elapsed_ms": found.elapsed_ms,
                "hits": [hit_json(hit) for hit in found.hits],
            }
        )
        return 0
    put(f"{found.verdict} (confidence {found.confidence:.2f}, floor {found.floor:.2f}, {found.elapsed_ms:.0f} ms)")
    for number, hit in enumerate(found.hits, 1):
        legs = "  ".join(
            f"{name} #{leg.rank} {leg.score:.2f}"
            for name, leg in (("meaning", hit.semantic), ("words", hit.keyword))
            if leg
        )
        put(
            f"\n{number}. {' > '.join((hit.title, *hit.heading_path))}  [{hit.relevance}]\n   {hit.url}\n   {hit.score:.3f}  {legs}"
        )
        put("   " + hit.text.replace("\n", " ")[:240])
    return 0


async def ask(arguments: argparse.Namespace) -> int:
    """One answer through the whole engine; a gap is shown, not logged."""
    config, folder = setup.config_of(arguments)
    if arguments.demo:
        async with setup.knowledge_of(arguments):
            pass  # crawls the example's site if it never was
    async with app.bot_of("bot", config, folder) as bot:
        setup.warn_if_empty(bot.knowledge)
        began = datetime.now(UTC)
        if arguments.show_prompt:
            found = await bot.knowledge.search(arguments.question)
            hits = pack(found.hits, config.retrieval.max_context_tokens)
            text = config.bot.instruction or "(the default instruction)"
            messages = build(text, (), hits, (), arguments.question, now=local_time(config.bot.timezone))
            sys.stderr.write(json.dumps(messages, ensure_ascii=False, indent=2) + "\n")
        message = Message("terminal", "ask", "ask", arguments.question)
        turn = None
        async for event in bot.engine.answer(message, Conversation("ask", "terminal", "ask", "ask")):
            turn = event if isinstance(event, Turn) else turn
        assert turn is not None
        elapsed = (datetime.now(UTC) - began).total_seconds() * 1000
    _show_turn(arguments, turn, elapsed)
    return 0


def _show_turn(arguments: argparse.Namespace, turn: Turn, elapsed: float) -> None:
    if not arguments.json:
        put(turn.reply.text)
        for citation in turn.reply.citations:
            put(f"[{citation.number}] {citation.title} – {citation.url}")
        return
    put_json(
        {
            "question": arguments.question,
            "text": turn.reply.text,
            "outcome": turn.reply.outcome,
            "citations": [
                {"number": item.number, "title": item.title, "url": item.url, "passage": item.passage}
                for item in turn.reply.citations
            ],
            "gap": {"reason": turn.gap.reason, "topic_id": ""} if turn.gap else None,
            "model": turn.model,
            "tokens": {
                "prompt": turn.prompt_tokens,
                "completion": turn.completion_tokens,
                "context": turn.context_tokens,
            },
            "elapsed_ms": elapsed,
        }
    )


async def evaluate(arguments: argparse.Namespace) -> int:
    """Measure the search."""
    questions = quality.read_questions(arguments.file)
    async with setup.knowledge_of(arguments) as (_, knowledge):
        rows = await knowledge.db.read("SELECT id, kind FROM sources")
        places = [
            row["id"] if row["kind"] == "site" else Path(row["id"]).as_uri() for row in rows if row["kind"] != "upload"
        ]
        outcomes = await quality.evaluate(quality.placed(questions, places), _asked(knowledge, arguments.k))
    figures = quality.measures(outcomes)
    if arguments.json:
        put_json(figures)
    else:
        _show_figures(figures)
    if figures["recall@4"] < arguments.min_recall:
        sys.stderr.write(f"recall@4 is {figures['recall@4']:.3f}, below {arguments.min_recall}\n")
        return 1
    return 0


def _asked(knowledge: Knowledge, k: int) -> quality.Search:
    async def asked(question: str, before: str) -> Found:
        memory = [Memory(before, before, "", datetime.now(UTC))] if before else []
        return await knowledge.search(await rewrite(question, memory, None), k=k)

    return asked


def _show_figures(figures: dict[str, Any]) -> None:
    floor = figures["floor"]
    put("  ".join(f"{name} {figures[name]:.3f}" for name in ("recall@1", "recall@4", "recall@10", "mrr@10", "ndcg@10")))
    put(
        f"floor: {floor['answered_right']:.3f} of answerable kept, {floor['refused_right']:.3f} of the others refused,"
        f" AUROC {floor['auroc']:.3f}"
    )
    for miss in figures["misses"]:
        put(f"  {miss['id']:14} rank {miss['rank']:2}  confidence {miss['confidence']:.2f}  {miss['question']}")


async def gaps(arguments: argparse.Namespace) -> int:
    """The missing-content log."""
    config, folder = setup.config_of(arguments)
    async with app.conversations_of(config, folder) as db:
        topics = await gap_log.topics(db, open_only=arguments.open)
    if arguments.json:
        put_json({"topics": topics})
    elif arguments.csv:
        rows = csv.writer(sys.stdout)
        rows.writerow(["topic", "count", "state", "question", "reason", "channel", "language", "asked_at"])
        for topic in topics:
            for gap in topic["gaps"]:
                rows.writerow(
                    [
                        _cell(topic["title"]),
                        topic["count"],
                        topic["state"],
                        _cell(gap["question"]),
                        gap["reason"],
                        gap["channel"],
                        gap["language"],
                        gap["asked_at"],
                    ]
                )
    else:
        for topic in topics:
            put(f"{topic['count']:4} × {topic['title']}  ({topic['state']}, last {topic['last_at'][:10]})")
        if not topics:
            put("no gap so far")
    return 0


def _cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in "=+-@\t" else text


async def doctor(arguments: argparse.Namespace) -> int:
    """Check everything; exit status 1 when something must be done."""
    config, folder = setup.config_of(arguments)
    found = await checks.examined(config, folder)
    if arguments.json:
        put_json({"ok": all(check.ok for check in found), "checks": [check.as_json() for check in found]})
    else:
        for check in found:
            put(f"{'ok ' if check.ok else 'NO '} {check.name}: {check.text}")
    return 0 if all(check.ok for check in found) else 1


async def database(arguments: argparse.Namespace) -> int:
    """Migrate, back up, restore or check both databases."""
    config, folder = setup.config_of(arguments)
    if arguments.action in ("backup", "restore") and arguments.file is None:
        raise FrontdeskError(f"frontdesk db {arguments.action}: name the FILE")
    if arguments.action == "restore":
        for path in privacy.restore(folder, arguments.file):
            put(f"restored {path}")
        return 0
    async with app.knowledge_of(config, folder) as knowledge, app.conversations_of(config, folder) as db:
        if arguments.action == "backup":
            await privacy.backup(arguments.file, knowledge.db, db)
            put(f"wrote {arguments.file}")
        problems = (
            [problem for one in (knowledge.db, db) for problem in await one.check()]
            if arguments.action == "check"
            else []
        )
        problems += await checks.index_problems(knowledge) if arguments.action == "check" else []
    for problem in problems:
        put(problem)
    if arguments.action in ("check", "migrate") and not problems:
        put("both databases are sound" if arguments.action == "check" else "both databases are up to date")
    return 1 if problems else 0


async def forget(arguments: argparse.Namespace) -> int:
    """Erase one person."""
    config, folder = setup.config_of(arguments)
    async with app.conversations_of(config, folder) as db:
        count = await privacy.forget(db, arguments.visitor)
    if not count:
        raise FrontdeskError(f"{arguments.visitor}: no such visitor; `frontdesk export` takes the same name")
    put(f"erased {count} conversations of {arguments.visitor}")
    return 0


async def export(arguments: argparse.Namespace) -> int:
    """Print one person's data."""
    config, folder = setup.config_of(arguments)
    async with app.conversations_of(config, folder) as db:
        record = await privacy.export(db, arguments.visitor)
    if not record["conversations"]:
        raise FrontdeskError(f"{arguments.visitor}: no such visitor")
    put_json(record)
    return 0
