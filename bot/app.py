"""Where everything is wired: one bot's parts, opened and closed in one `async with`; and the server that carries them."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from aiohttp import web

from bot.answer import phrases
from bot.answer.engine import Engine
from bot.config import Config, load
from bot.console.console import Console
from bot.console.health import Health
from bot.console.login import Owner, secret_key
from bot.desk.desk import Desk
from bot.desk.metrics import Metrics
from bot.errors import ConfigError
from bot.messages import Channel, Declaration, Setup
from bot.run import demo, sources, wiring
from bot.run.lock import exclusive
from bot.run.schedule import Schedule
from retrieval.db import Database
from retrieval.ingest.ingest import Progress, Source
from retrieval.ingest.journal import Report
from retrieval.knowledge import Knowledge

if TYPE_CHECKING:
    from bot.answer.model import LanguageModel

CHANNELS = {"web": "channels.web", "telegram": "channels.telegram", "whatsapp": "channels.whatsapp"}
"""The doors that a server may open, each with the module that declares it. A new channel is a line here."""
MIGRATIONS = Path(__file__).parent / "migrations"
SHUTDOWN_SECONDS = 8.0
MOST_BODY_BYTES = 1024 * 1024


def declarations(channels: Mapping[str, str] = CHANNELS) -> list[Declaration]:
    """What every channel says of itself, in the order of the table; nothing heavy is imported for it."""
    return [cast(Declaration, import_module(module).DECLARATION) for module in channels.values()]


def configured(
    path: Path | None, environ: Mapping[str, str] | None = None, channels: Mapping[str, str] = CHANNELS
) -> Config:
    """The configuration of a file (None: defaults only) and the environment; raises ConfigError with every problem."""
    known = declarations(channels)
    return load(
        path,
        environ,
        channels={one.name: one.settings for one in known},
        secrets=[name for one in known for name in one.secrets],
        addresses=[name for one in known for name in one.addresses],
    )


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
    async with (
        wiring.embedders_of(config) as (embedder, earlier),
        writer_of(config) as writer,
        wiring.reranker_of(config, folder) as reranker,
        Knowledge.opened(
            path,
            embedder,
            wiring.options_of(config),
            splitting=sources.splitting_of(config),
            writer=writer,
            prompts=sources.prompts_of(config),
            earlier=earlier,
            reranker=reranker,
        ) as knowledge,
    ):
        yield knowledge


@asynccontextmanager
async def writer_of(config: Config) -> AsyncIterator[LanguageModel | None]:
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
async def model_of(config: Config) -> AsyncIterator[LanguageModel | None]:
    """The configured model, or None with provider "none"; its client is only imported where it is used."""
    if config.model.provider == "none":
        yield None
        return
    from bot.answer.model import opened

    async with opened(config.model, config.secret("OPENAI_API_KEY")) as model:
        yield model


@asynccontextmanager
async def bot_of(name: str, config: Config, folder: Path) -> AsyncIterator[Bot]:
    """A bot with its databases, library, model and desk; no channel is open yet."""
    async with AsyncExitStack() as stack:
        knowledge = await stack.enter_async_context(knowledge_of(config, folder))
        db = await stack.enter_async_context(conversations_of(config, folder))
        model = await stack.enter_async_context(model_of(config))
        engine, metrics = Engine(config, knowledge, model), Metrics()
        desk = Desk(db, engine, knowledge.index.embedder, metrics, similarity=config.gaps.similarity)
        yield Bot(name, config, folder, db, knowledge, engine, desk, metrics, sources.configured(config))


def setup_of(config: Config, name: str, key: bytes = b"") -> Setup:
    """What a channel is given."""
    return Setup(config, config.channels[name], key, lambda language: welcome(config, language))


def channels_of(bot: Bot, key: bytes, channels: Mapping[str, str] = CHANNELS) -> list[Channel]:
    """The doors that are enabled and have their credentials."""
    setups = [(one, setup_of(bot.config, one.name, key)) for one in declarations(channels)]
    return [one.make(setup, bot.desk) for one, setup in setups if one.is_set_up(setup)]


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
        """Console passwords that have just been made, by the bot's name."""

    async def first_crawls(self, progress: Callable[[Source], Progress]) -> list[Report]:
        """Crawl the sources that were never crawled to their end."""
        return [
            await bot.knowledge.crawl(source, progress(source))
            for bot in self.bots
            for source in bot.sources
            if await bot.knowledge.crawled_at(source.id) is None
        ]


@asynccontextmanager
async def serving(
    bots: Sequence[Bot], host: str, port: int, *, with_demo: bool = False, channels: Mapping[str, str] = CHANNELS
) -> AsyncIterator[Server]:
    """Serve the bots: one at the root, several under /b/NAME/. Channels and desks are open inside."""
    async with AsyncExitStack() as stack:
        application = web.Application(client_max_size=MOST_BODY_BYTES)
        if with_demo:
            application.add_routes(demo.routes())
        server = Server(bots, "")
        for bot in bots:
            stack.enter_context(exclusive(bot.folder))
            key = secret_key(bot.folder, bot.config.secret("FRONTDESK_SECRET_KEY"))
            bot.channels = channels_of(bot, key, channels)
            owner, password = Owner.opened(bot.folder, key, bot.config.secret("FRONTDESK_OWNER_PASSWORD"))
            if password:
                server.passwords[bot.name] = password
            routes = [route for channel in bot.channels for route in channel.routes()]
            routes += Console(bot.config, bot.db, bot.knowledge, owner).routes()
            routes += Health(bot.db, bot.knowledge, bot.metrics, [channel.name for channel in bot.channels]).routes()
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
    part = web.Application(client_max_size=MOST_BODY_BYTES)
    part.add_routes(routes)
    prefix = f"/b/{bot.name}"
    application.router.add_get(prefix, _to_folder)
    application.add_subapp(prefix + "/", part)


async def _to_folder(request: web.Request) -> web.Response:
    raise web.HTTPMovedPermanently(request.path + "/")


async def _listen(runner: web.AppRunner, host: str, port: int) -> str:
    """Open the port; the address as a browser on this machine writes it."""
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


class Terminal(Channel, Protocol):
    """The door that `frontdesk chat` opens."""

    async def converse(self) -> None:
        """Talk until the input ends."""


def terminal(bot: Bot) -> Terminal:
    """The bot's terminal channel."""
    return cast(Terminal, import_module("channels.terminal").Terminal(bot.desk))


@asynccontextmanager
async def opened_alone(bot: Bot, channel: Channel) -> AsyncIterator[None]:
    """The bot's desk open for one channel that needs no server, for instance the terminal."""
    with exclusive(bot.folder):
        async with bot.desk.opened([channel]), channel.opened():
            yield


async def until_stopped() -> None:
    """Wait for Ctrl-C or SIGTERM."""
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    await stopped.wait()
