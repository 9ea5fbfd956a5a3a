"""What every command begins with: which file, which data, which demo."""

from __future__ import annotations

import argparse
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bot.errors import ConfigError

if TYPE_CHECKING:
    from bot.app import Bot
    from bot.config import Config
    from retrieval.knowledge import Knowledge

DEFAULT_FILE = Path("frontdesk.toml")


def add_bot_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that say which bot a command is for."""
    parser.add_argument("-c", "--config", type=Path, metavar="FILE", help="the bot's file (default: ./frontdesk.toml)")
    parser.add_argument("--data", default="", metavar="DIR", help="the data folder (default: ./data beside the file)")
    parser.add_argument("--demo", action="store_true", help="use the example business that ships with Frontdesk")


def add_json_argument(parser: argparse.ArgumentParser) -> None:
    """The argument for programs that read the output."""
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else on standard output")


def question(text: str) -> str:
    """An argument that is a question; raises argparse's error for an empty one."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the question is empty")
    return text


def positive(text: str) -> int:
    """An argument that is a number of things; raises argparse's error for anything else."""
    if not text.isascii() or not text.isdigit() or not 0 < int(text) <= 1000:
        raise argparse.ArgumentTypeError("must be a number from 1 to 1000")
    return int(text)


def file_of(arguments: argparse.Namespace) -> Path | None:
    """The configuration's file: the one that was named, the example's with --demo, ./frontdesk.toml if it is there."""
    from bot.run import demo

    if arguments.config:
        return Path(arguments.config)
    if arguments.demo:
        return demo.folder() / "frontdesk.toml"
    return DEFAULT_FILE if DEFAULT_FILE.exists() else None


def config_of(arguments: argparse.Namespace) -> tuple[Config, Path]:
    """The configuration and the data folder of a command for one bot; from now on logs mask its secrets."""
    from bot import app

    file = file_of(arguments)
    if file and file.is_dir():
        raise ConfigError([f"{file}: is a folder; name one bot's file with -c"])
    config = app.configured(file)
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
    from bot.run import logs

    logs.set_up([secret.get_secret_value() for config in configs for secret in config.secrets.values()])


@asynccontextmanager
async def knowledge_of(arguments: argparse.Namespace) -> AsyncIterator[tuple[Config, Knowledge]]:
    """The library of a command; with --demo the example's site is crawled first if it never was."""
    from bot import app
    from bot.run import sources

    config, folder = config_of(arguments)
    async with app.knowledge_of(config, folder) as knowledge:
        if arguments.demo and not len(knowledge.index):
            async with demo_site() as base:
                await knowledge.crawl(sources.demo(config, base))
        yield config, knowledge


@asynccontextmanager
async def bot_of(arguments: argparse.Namespace) -> AsyncIterator[Bot]:
    """The bot of a command that converses; with --demo the example's site is crawled first if it never was."""
    from bot import app

    config, folder = config_of(arguments)
    if arguments.demo:
        async with knowledge_of(arguments):
            pass
    async with app.bot_of("bot", config, folder) as bot:
        warn_if_empty(bot.knowledge)
        yield bot


@asynccontextmanager
async def demo_site() -> AsyncIterator[str]:
    """The example's site on a port of its own, for as long as it is entered."""
    from aiohttp import web

    from bot.run import demo

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
