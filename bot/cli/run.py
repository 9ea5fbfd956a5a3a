"""`frontdesk run`: the main job in the foreground."""

from __future__ import annotations

import argparse
import asyncio
import logging
import re
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path

from tqdm import tqdm

from bot import app
from bot.app import Bot, Server
from bot.cli import setup
from bot.config import Config
from bot.errors import ConfigError
from bot.run import sources
from bot.run.demo import SITE_PATH
from bot.run.sources import summary
from retrieval.errors import RetrievalError
from retrieval.ingest.ingest import Progress, Source
from retrieval.text.tokens import count

log = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    setup.add_bot_arguments(parser)
    parser.add_argument("--host", default="", help="the address to listen on")
    parser.add_argument("--port", type=int, default=None, help="the port to listen on")


async def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM."""
    began = time.perf_counter()
    bots = _configured(arguments)
    settings = bots[0][1].server
    host = arguments.host or settings.host
    port = settings.port if arguments.port is None else arguments.port
    async with AsyncExitStack() as stack:
        opened = [await stack.enter_async_context(app.bot_of(*parts)) for parts in bots]
        server = await stack.enter_async_context(app.serving(opened, host, port, with_demo=arguments.demo))
        if arguments.demo:
            site = sources.demo(opened[0].config, server.base)
            opened[0].sources.append(site)
        stopped = asyncio.create_task(app.until_stopped())
        warm = [asyncio.create_task(_warmed(bot)) for bot in opened]
        crawled = asyncio.create_task(server.first_crawls(_progress))
        await asyncio.wait([stopped, crawled], return_when=asyncio.FIRST_COMPLETED)
        if not crawled.done():
            crawled.cancel()
            await asyncio.gather(crawled, return_exceptions=True)
            return 0
        for report in crawled.result():
            _say(f"{report.source}: {summary(report)}")
        if arguments.demo:
            await opened[0].knowledge.drop_sources(SITE_PATH + "/", opened[0].sources[-1].id)
        await asyncio.wait(warm)
        _announce(server, opened, time.perf_counter() - began)
        catching_up = [asyncio.create_task(_catch_up(bot)) for bot in opened]
        async with app.scheduled(opened):
            await stopped
        for task in catching_up:
            task.cancel()
        await asyncio.gather(*catching_up, return_exceptions=True)
        _say("stopping: what was accepted is answered first")
    return 0


def _configured(arguments: argparse.Namespace) -> list[tuple[str, Config, Path]]:
    """Name, configuration and data folder of every bot: one file is one bot, a folder holds one a file."""
    file = setup.file_of(arguments)
    if file is None or not file.is_dir():
        config, folder = setup.config_of(arguments)
        return [("bot", config, folder)]
    files = sorted(file.glob("*.toml"))
    if not files:
        raise ConfigError([f"{file}: holds no .toml file; `frontdesk init` writes one"])
    bad = [one.name for one in files if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", one.stem)]
    if bad:
        raise ConfigError(
            [
                f"{file / name}: a bot's file name may hold a-z, 0-9, - and _ only, since it is part of its address"
                for name in bad
            ]
        )
    found = [(one.stem, app.configured(one)) for one in files]
    setup.mask(*(config for _, config in found))
    base = Path(arguments.data) if arguments.data else app.data_folder(found[0][1])
    return [(name, config, base / name) for name, config in found]


async def _warmed(bot: Bot) -> None:
    """Load what the first question would wait for: the embedder and the token table."""
    await asyncio.to_thread(count, "warm")
    embedder = bot.knowledge.index.embedder
    if embedder and bot.config.embedding.provider != "openai":
        await embedder.embed(["warm"], question=True)


async def _catch_up(bot: Bot) -> None:
    """Make what a new model lacks, and read ahead; a failure is said, and the next crawl tries again."""
    try:
        await bot.knowledge.catch_up()
    except RetrievalError as error:
        log.warning("vectors of the new model could not be made: %s", error, extra={"bot": bot.name})


def _progress(source: Source) -> Progress:
    bar = tqdm(desc=f"crawling {source.id}", unit=" pages", file=sys.stderr, leave=False, disable=None)

    def show(done: int, known: int) -> None:
        bar.total = known
        bar.update(done - bar.n)

    return show


def _announce(server: Server, bots: list[Bot], seconds: float) -> None:
    for bot in bots:
        base = server.base if len(bots) == 1 else f"{server.base}/b/{bot.name}"
        if bot.config.server.public_url:
            _say(f"{bot.config.bot.name} is public at {bot.config.server.public_url}")
        doors = ", ".join(channel.name for channel in bot.channels) or "no channel"
        _say(f"{bot.config.bot.name} answers from {len(bot.knowledge.index)} chunks on {doors}")
        _say(f"  chat     {base}/")
        _say(f"  console  {base}/console/")
        if bot.name in server.passwords:
            _say(f"  password {server.passwords[bot.name]}   (shown only now; FRONTDESK_OWNER_PASSWORD sets another)")
    _say(f"ready after {seconds:.1f} s; Ctrl-C stops")


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
