"""`frontdesk doctor`: what is set up, what isn't, and what to do."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from bot import app
from bot.cli import setup
from bot.cli.output import put, put_json
from bot.config import Config
from bot.desk.jobs import last_runs
from bot.errors import ModelError
from bot.messages import Check
from bot.run import sources
from retrieval.db import Database
from retrieval.errors import RetrievalError
from retrieval.ingest.journal import CrawlOutcome
from retrieval.knowledge import Knowledge


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    setup.add_bot_arguments(parser)
    setup.add_json_argument(parser)


async def run(arguments: argparse.Namespace) -> int:
    """Check everything; exit status 1 when something must be done."""
    config, folder = setup.config_of(arguments)
    found = await examined(config, folder)
    if arguments.json:
        put_json({"ok": all(check.ok for check in found), "checks": [asdict(check) for check in found]})
    else:
        for check in found:
            put(f"{'ok ' if check.ok else 'NO '} {check.name}: {check.text}")
    return 0 if all(check.ok for check in found) else 1


async def examined(config: Config, folder: Path, channels: Mapping[str, str] = app.CHANNELS) -> list[Check]:
    """Every check, in the order in which things depend on each other."""
    found = [Check("config", True, "all keys and values are allowed"), _secrets(config)]
    try:
        async with app.knowledge_of(config, folder) as knowledge, app.conversations_of(config, folder) as db:
            found += await _databases(knowledge, db)
            found += [await _sources(config, knowledge), *await _crawls(config, knowledge), *await _jobs(db)]
    except RetrievalError as error:
        found.append(Check("databases", False, str(error)))
    found += [await _model(config), *await _channels(config, channels)]
    return found


def _secrets(config: Config) -> Check:
    if config.model.provider == "openai" and not config.model.base_url and not config.secret("OPENAI_API_KEY"):
        return Check("secrets", False, "model.provider is openai, but OPENAI_API_KEY is not set")
    search = config.retrieval
    if search.rerank == "remote" and not search.rerank_url and not config.secret("FRONTDESK_RERANK_API_KEY"):
        return Check("secrets", False, "retrieval.rerank is remote, but FRONTDESK_RERANK_API_KEY is not set")
    return Check("secrets", True, f"set: {', '.join(config.secrets) or 'none (fine for the web chat)'}")


async def _databases(knowledge: Knowledge, db: Database) -> list[Check]:
    problems = [*await knowledge.db.check(), *await db.check()]
    index = await knowledge.index_problems()
    return [
        Check("databases", not problems, "; ".join(problems) or f"sound ({knowledge.db.path}, {db.path})"),
        Check(
            "index",
            not index,
            "; ".join(index) or f"{len(knowledge.index)} chunks, embedded by {_model_name(knowledge)}",
        ),
    ]


def _model_name(knowledge: Knowledge) -> str:
    return knowledge.index.embedder.name if knowledge.index.embedder else "nothing (keyword mode)"


async def _sources(config: Config, knowledge: Knowledge) -> Check:
    configured = sources.configured(config)
    missing = [source.id for source in configured if not sources.exists(source)]
    if missing:
        return Check("sources", False, f"{', '.join(missing)}: there is no such file or folder")
    crawled = {source.id: source.crawled_at for source in await knowledge.sources()}
    if not configured and not crawled:
        return Check("sources", False, "none; add one under [[sources]], or run with --demo")
    told = [f"{source_id}: {at[:16] if at else 'never crawled to its end'}" for source_id, at in crawled.items()]
    waiting = [source.id for source in configured if source.id not in crawled]
    return Check(
        "sources",
        True,
        "; ".join([*told, *(f"{source_id}: will be crawled at the next run" for source_id in waiting)]),
    )


async def _crawls(config: Config, knowledge: Knowledge) -> Sequence[Check]:
    """The sources whose last crawl needs a person: it failed, or the brake stopped it."""
    crawls = reversed(await knowledge.past_crawls())  # the newest of a source is the one that counts
    last = {crawl.source_id: crawl for crawl in crawls}
    configured = [last[source.id] for source in sources.configured(config) if source.id in last]
    return [
        Check(f"crawl {crawl.source_id}", False, f"{crawl.started_at[:16]}: {crawl.outcome}: {crawl.note}")
        for crawl in configured
        if crawl.outcome in (CrawlOutcome.FAILED, CrawlOutcome.BRAKED)
    ]


async def _jobs(db: Database) -> Sequence[Check]:
    return [Check(f"job {job.name}", job.ok, f"{job.ran_at[:16]}: {job.result}") for job in await last_runs(db)]


async def _model(config: Config) -> Check:
    async with app.model_of(config) as writer:
        if writer is None:
            return Check("model", True, "none: answers quote the best sentences")
        try:
            await writer.short([{"role": "user", "content": "Reply with the word ready."}])
        except ModelError as error:
            return Check("model", False, f"{config.model.name}: {error}; check [model] base_url and OPENAI_API_KEY")
    return Check("model", True, f"{config.model.name} answers")


async def _channels(config: Config, channels: Mapping[str, str]) -> list[Check]:
    """What each channel says of itself."""
    return [check for one in app.declarations(channels) for check in await one.check(app.setup_of(config, one.name))]
