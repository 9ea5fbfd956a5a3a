"""`frontdesk doctor`: what is set up, what isn't, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import aiohttp

from bot import app
from bot.config import Config
from bot.errors import ModelError
from bot.run import sources
from retrieval.db import Database
from retrieval.errors import RetrievalError
from retrieval.index import integrity as sound
from retrieval.knowledge import Knowledge

SECONDS = 8


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    ok: bool
    text: str

    def as_json(self) -> dict[str, Any]:
        """The check as `doctor --json` prints it."""
        return asdict(self)


async def examined(config: Config, folder: Path) -> list[Check]:
    """Every check, in the order in which things depend on each other."""
    found = [Check("config", True, "all keys and values are allowed"), _secrets(config)]
    try:
        async with app.knowledge_of(config, folder) as knowledge, app.conversations_of(config, folder) as db:
            found += await _databases(knowledge, db)
            found += [await _sources(config, knowledge), *await _crawls(config, knowledge), *await _jobs(db)]
    except RetrievalError as error:
        found.append(Check("databases", False, str(error)))
    found += [await _model(config), *await _channels(config)]
    return found


def _secrets(config: Config) -> Check:
    given = [name for name, secret in config.secrets if secret.get_secret_value()]
    if config.model.provider == "openai" and not config.model.base_url and "openai_api_key" not in given:
        return Check("secrets", False, "model.provider is openai, but OPENAI_API_KEY is not set")
    search = config.retrieval
    if search.rerank == "remote" and not search.rerank_url and "rerank_api_key" not in given:
        return Check("secrets", False, "retrieval.rerank is remote, but FRONTDESK_RERANK_API_KEY is not set")
    if config.reserved:
        return Check(
            "secrets",
            False,
            f"{', '.join(config.reserved)}: set, but WhatsApp over Meta isn't supported yet; use Twilio",
        )
    return Check("secrets", True, f"set: {', '.join(given) or 'none (fine for the web chat)'}")


async def _databases(knowledge: Knowledge, db: Database) -> list[Check]:
    problems = [*await knowledge.db.check(), *await db.check()]
    index = await index_problems(knowledge)
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


async def index_problems(knowledge: Knowledge) -> list[str]:
    """Where chunks, words and vectors don't agree."""
    return await sound.problems(knowledge.db, knowledge.index.embedder.name if knowledge.index.embedder else "")


async def _sources(config: Config, knowledge: Knowledge) -> Check:
    configured = sources.configured(config)
    missing = [source.place for source in configured if not sources.exists(source)]
    if missing:
        return Check("sources", False, f"not there: {', '.join(missing)}")
    rows = await knowledge.db.read("SELECT id, crawled_at FROM sources")
    crawled = {row["id"]: row["crawled_at"] for row in rows}
    if not configured and not crawled:
        return Check("sources", False, "none; add one under [[sources]], or run with --demo")
    told = [f"{place}: {at[:16] if at else 'never crawled to its end'}" for place, at in crawled.items()]
    waiting = [source.place for source in configured if source.place not in crawled]
    return Check(
        "sources",
        True,
        "; ".join([*told, *(f"{place}: will be crawled at the next run" for place in waiting)]),
    )


async def _crawls(config: Config, knowledge: Knowledge) -> Sequence[Check]:
    """The sources whose last crawl needs a person: it failed, or the brake stopped it."""
    rows = await knowledge.db.read(
        "SELECT source_id, outcome, note, max(started_at) AS started_at FROM crawls GROUP BY source_id ORDER BY source_id"
    )
    places = {source.place for source in sources.configured(config)}
    return [
        Check(f"crawl {row['source_id']}", False, f"{row['started_at'][:16]}: {row['outcome']}: {row['note']}")
        for row in rows
        if row["outcome"] in ("failed", "braked") and row["source_id"] in places
    ]


async def _jobs(db: Database) -> Sequence[Check]:
    rows = await db.read("SELECT * FROM jobs ORDER BY name")
    return [Check(f"job {row['name']}", bool(row["ok"]), f"{row['ran_at'][:16]}: {row['result']}") for row in rows]


async def _model(config: Config) -> Check:
    async with app.model_of(config) as writer:
        if writer is None:
            return Check("model", True, "none: answers quote the best sentences")
        try:
            await writer.short([{"role": "user", "content": "Reply with the word ready."}])
        except ModelError as error:
            return Check("model", False, f"{config.model.name}: {error}; check [model] base_url and OPENAI_API_KEY")
    return Check("model", True, f"{config.model.name} answers")


async def _channels(config: Config) -> list[Check]:
    found = [Check("channel web", True, "enabled" if config.channels.web.enabled else "off")]
    if config.secrets.telegram_token.get_secret_value():
        found.append(await _telegram(config))
    if config.secrets.twilio_account_sid.get_secret_value():
        ready = bool(config.server.public_url and config.secrets.twilio_auth_token.get_secret_value())
        text = (
            f"point Twilio's webhook at {config.server.public_url}/whatsapp/webhook"
            if ready
            else "set server.public_url and FRONTDESK_TWILIO_AUTH_TOKEN"
        )
        found.append(Check("channel whatsapp", ready, text))
    return found


async def _telegram(config: Config) -> Check:
    address = f"{config.telegram_api}/bot{config.secrets.telegram_token.get_secret_value()}/getWebhookInfo"
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=SECONDS)) as session,
            session.get(address) as answer,
        ):
            record = await answer.json(content_type=None)
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        return Check("channel telegram", False, f"the Bot API can't be reached ({type(error).__name__})")
    if not isinstance(record, dict) or not record.get("ok"):
        return Check(
            "channel telegram",
            False,
            "the Bot API refuses FRONTDESK_TELEGRAM_TOKEN; get a new one from @BotFather",
        )
    hook = str(record["result"].get("url") or "")
    if config.channels.telegram.mode == "polling":
        return Check(
            "channel telegram",
            not hook,
            "polling" if not hook else "a webhook is set elsewhere; polling removes it at the next run",
        )
    wanted = f"{config.server.public_url}/telegram/webhook"
    return Check(
        "channel telegram",
        hook == wanted,
        f"webhook {hook or 'not set'}; it is set at the next run to {wanted}",
    )
