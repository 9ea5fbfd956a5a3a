"""What every command begins with: which file, which data, which demo."""

from __future__ import annotations

import argparse
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

from bot import app
from bot.config import Config, load
from bot.errors import ConfigError
from bot.run import demo, logs, sources
from retrieval.knowledge import Knowledge

DEFAULT_FILE = Path("frontdesk.toml")


def file_of(arguments: argparse.Namespace) -> Path | None:
    """The configuration's file: the one that was named, the example's with --demo, ./frontdesk.toml if it is there."""
    if arguments.config:
        return Path(arguments.config)
    if arguments.demo:
        return demo.folder() / "frontdesk.toml"
    return DEFAULT_FILE if DEFAULT_FILE.exists() else None


def config_of(arguments: argparse.Namespace) -> tuple[Config, Path]:
    """The configuration and the data folder of a command for one bot; from now on logs mask its secrets."""
    file = file_of(arguments)
    if file and file.is_dir():
        raise ConfigError([f"{file}: is a folder; name one bot's file with -c"])
    config = load(file)
    mask(config)
    if arguments.demo and not arguments.config:
        config = config.model_copy(update={"folder": Path()})
    return config, app.data_folder(config, arguments.data)


def warn_if_empty(knowledge: Knowledge) -> None:
    """Say on standard error that there is nothing to answer from yet."""
    if not len(knowledge.index):
        sys.stderr.write("no document has been indexed yet; `frontdesk crawl` or `frontdesk add` comes first\n")


def mask(*configs: Config) -> None:
    """Keep the bots' secrets out of the logs."""
    logs.set_up([secret.get_secret_value() for config in configs for _, secret in config.secrets])


@asynccontextmanager
async def knowledge_of(arguments: argparse.Namespace) -> AsyncIterator[tuple[Config, Knowledge]]:
    """The library of a command; with --demo the example's site is crawled first if it never was."""
    config, folder = config_of(arguments)
    async with app.knowledge_of(config, folder) as knowledge:
        if arguments.demo and not len(knowledge.index):
            async with demo_site() as base:
                await knowledge.crawl(sources.demo(config, base))
        yield config, knowledge


@asynccontextmanager
async def demo_site() -> AsyncIterator[str]:
    """The example's site on a port of its own, for as long as it is entered."""
    application = web.Application()
    application.add_routes(demo.routes())
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
