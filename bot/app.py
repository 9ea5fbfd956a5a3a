"""Where everything is wired: one bot's parts, opened and closed in one `async with`; and the server that carries them."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import web

from bot.answer import phrases
from bot.answer.engine import Engine
from bot.config import Config
from bot.console.console import Console
from bot.console.health import Operations
from bot.console.login import Owner, secret_key
from bot.desk.desk import Desk
from bot.desk.metrics import Metrics
from bot.errors import ConfigError
from bot.messages import Channel
from bot.run import demo, sources
from bot.run.lock import held
from bot.run.schedule import Schedule
from bot.run.wiring import embedders_of, options_of, reranker_of
from channels.terminal import Terminal
from channels.web import Web
from retrieval.db import Database
from retrieval.ingest.ingest import Source
from retrieval.ingest.journal import Report
from retrieval.knowledge import Knowledge

if TYPE_CHECKING:
    from bot.answer.model import Model

log = logging.getLogger(__name__)
MIGRATIONS = Path(__file__).parent / "migrations"
SHUTDOWN_SECONDS = 8.0
MOST_BODY = 1024 * 1024

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class Bot:
    """One bot's parts."""

    name: str
    config: Config
    folder: Path
    db: Database
    knowledge: Knowledge
    engine: Engine
    desk: Desk
    metrics: Metrics
    sources: list[Source] = field(default_factory=list)
    channels: list[Channel] = field(default_factory=list)


def data_folder(config: Config, given: str = "") -> Path:
    """Where a bot's data lies: as told, or `data` beside its configuration."""
    return Path(given or config.data or config.folder / "data")


@asynccontextmanager
async def knowledge_of(config: Config, folder: Path) -> AsyncIterator[Knowledge]:
    """The bot's library alone, for commands that need no conversation."""
    path = Path(config.database.knowledge_url) if config.database.knowledge_url else folder / "knowledge.db"
    splitting = sources.splitting_of(config)
    async with (
        embedders_of(config) as (embedder, earlier),
        writer_of(config) as writer,
        reranker_of(config, folder) as reranker,
        Knowledge.opened(
            path, embedder, options_of(config), splitting, writer, sources.prompts_of(config), earlier, reranker
        ) as knowledge,
    ):
        yield knowledge


@asynccontextmanager
async def writer_of(config: Config) -> AsyncIterator[Model | None]:
    """The model where splitting or searching asks one; else none is opened."""
    search = config.retrieval
    if config.split.strategy != "subjects" and not (config.split.contextual or search.hyde or search.queries > 1):
        yield None
        return
    async with model_of(config) as writer:
        yield writer


@asynccontextmanager
async def conversations_of(config: Config, folder: Path) -> AsyncIterator[Database]:
    """The bot's conversations alone, for commands that only look."""
    path = Path(config.database.url) if config.database.url else folder / "conversations.db"
    async with Database.opened(path, MIGRATIONS, "bot", durable=True) as db:
        yield db


@asynccontextmanager
async def model_of(config: Config) -> AsyncIterator[Model | None]:
    """The configured model, or None with provider "none"; its client is only imported where it is used."""
    if config.model.provider == "none":
        yield None
        return
    from bot.answer.model import opened

    async with opened(config.model, config.secrets.openai_api_key.get_secret_value()) as writer:
        yield writer


@asynccontextmanager
async def bot_of(name: str, config: Config, folder: Path) -> AsyncIterator[Bot]:
    """A bot with its databases, library, model and desk; no channel is open yet."""
    async with AsyncExitStack() as stack:
        knowledge = await stack.enter_async_context(knowledge_of(config, folder))
        db = await stack.enter_async_context(conversations_of(config, folder))
        writer = await stack.enter_async_context(model_of(config))
        engine, metrics = Engine(config, knowledge, writer), Metrics()
        desk = Desk(db, engine, knowledge.index.embedder, metrics, similarity=config.gaps.similarity)
        yield Bot(name, config, folder, db, knowledge, engine, desk, metrics, sources.configured(config))


def channels_of(bot: Bot, key: bytes) -> list[Channel]:
    """The doors that are enabled and have their credentials."""
    config, secrets = bot.config, bot.config.secrets
    found: list[Channel] = []
    if config.channels.web.enabled:
        found.append(
            Web(
                config.channels.web,
                key,
                bot.desk,
                lambda language: welcome(config, language),
                sessions_per_minute=config.limits.sessions_per_minute,
                trusted_proxies=config.server.trusted_proxies,
            )
        )
    # aiogram and twilio take some seconds and 120 MB to import: only where they are used
    if config.channels.telegram.enabled and (token := secrets.telegram_token.get_secret_value()):
        from channels.telegram import Telegram

        found.append(
            Telegram(
                config.channels.telegram,
                token,
                secrets.telegram_secret.get_secret_value(),
                bot.desk,
                api=config.telegram_api,
                public_url=config.server.public_url,
            )
        )
    if config.channels.whatsapp.enabled and (account := secrets.twilio_account_sid.get_secret_value()):
        from channels.whatsapp import WhatsApp

        found.append(
            WhatsApp(
                config.channels.whatsapp,
                account,
                secrets.twilio_auth_token.get_secret_value(),
                bot.desk,
                public_url=config.server.public_url,
                api=config.twilio_api,
            )
        )
    return found


def welcome(config: Config, language: str) -> dict[str, object]:
    """What a new visitor of the web chat is told."""
    greeting = config.bot.greeting or phrases.phrase(language, "greeting", name=config.bot.name)
    return {
        "greeting": greeting,
        "starters": config.bot.starters,
        "name": config.bot.name,
        "languages": config.bot.languages,
    }


class Server:
    """The HTTP server with every bot that it carries."""

    def __init__(self, bots: Sequence[Bot], base: str) -> None:
        self.bots = bots
        self.base = base
        self.passwords: dict[str, str] = {}

    async def first_crawls(self, progress: Callable[[Source], Progress]) -> list[Report]:
        """Crawl the sources that were never crawled to their end."""
        reports = []
        for bot in self.bots:
            for source in bot.sources:
                row = await bot.knowledge.db.one("SELECT crawled_at FROM sources WHERE id = $1", source.place)
                if row is None or row["crawled_at"] is None:
                    reports.append(await bot.knowledge.crawl(source, progress(source)))
        return reports


@asynccontextmanager
async def serving(bots: Sequence[Bot], host: str, port: int, *, with_demo: bool = False) -> AsyncIterator[Server]:
    """Serve the bots: one at the root, several under /b/NAME/. Channels and desks are open inside."""
    async with AsyncExitStack() as stack:
        application = web.Application(client_max_size=MOST_BODY)
        if with_demo:
            application.add_routes(demo.routes())
        server = Server(bots, "")
        for bot in bots:
            stack.enter_context(held(bot.folder))
            key = secret_key(bot.folder, bot.config.secrets.secret_key.get_secret_value())
            bot.channels = channels_of(bot, key)
            owner, password = Owner.opened(bot.folder, key, bot.config.secrets.owner_password.get_secret_value())
            if password:
                server.passwords[bot.name] = password
            routes = [route for channel in bot.channels for route in channel.routes()]
            routes += Console(bot.config, bot.db, bot.knowledge, owner).routes()
            routes += Operations(
                bot.db, bot.knowledge, bot.metrics, [channel.name for channel in bot.channels]
            ).routes()
            _mount(application, bot, routes, alone=len(bots) == 1)
            await stack.enter_async_context(bot.desk.opened(bot.channels))
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=SHUTDOWN_SECONDS)
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        server.base = await _listen(runner, host, port)
        for channel in (channel for bot in bots for channel in bot.channels):
            await stack.enter_async_context(channel.opened())
        yield server


def _mount(application: web.Application, bot: Bot, routes: Sequence[web.RouteDef], *, alone: bool) -> None:
    if alone:
        application.add_routes(routes)
        return
    part = web.Application(client_max_size=MOST_BODY)
    part.add_routes(routes)
    prefix = f"/b/{bot.name}"
    application.router.add_get(prefix, _to_folder)
    application.add_subapp(prefix + "/", part)


async def _to_folder(request: web.Request) -> web.Response:
    raise web.HTTPMovedPermanently(request.path + "/")


async def _listen(runner: web.AppRunner, host: str, port: int) -> str:
    site = web.TCPSite(runner, host, port)
    try:
        await site.start()
    except OSError as error:
        raise ConfigError(
            [f"server.port: {host}:{port} can't be opened ({error.strerror}); choose another with --port"]
        ) from error
    actual = runner.addresses[0][1]
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104 — only shown
    return f"http://{shown}:{actual}"


@asynccontextmanager
async def scheduled(bots: Sequence[Bot]) -> AsyncIterator[None]:
    """Run every bot's jobs."""
    async with AsyncExitStack() as stack:
        for bot in bots:
            schedule = Schedule(bot.db, bot.knowledge, bot.sources, bot.config.privacy.retention_days)
            await stack.enter_async_context(schedule.running())
        yield


@asynccontextmanager
async def terminal_of(bot: Bot) -> AsyncIterator[Terminal]:
    """The bot's terminal channel, its desk open for it alone."""
    terminal = Terminal(bot.desk)
    with held(bot.folder):
        async with bot.desk.opened([terminal]), terminal.opened():
            yield terminal


async def until_stopped() -> None:
    """Wait for Ctrl-C or SIGTERM."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        if sys.platform == "win32":
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stopped.set))
        else:
            loop.add_signal_handler(number, stopped.set)
    await stopped.wait()
