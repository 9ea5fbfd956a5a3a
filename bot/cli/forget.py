"""`frontdesk forget`: erase one person's data, everywhere."""

from __future__ import annotations

import argparse

from bot import app
from bot.cli import setup
from bot.cli.output import put
from bot.desk import personal
from bot.errors import FrontdeskError


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    setup.add_bot_arguments(parser)
    parser.add_argument("visitor", metavar="VISITOR")


async def run(arguments: argparse.Namespace) -> int:
    """Erase, and say how much there was."""
    config, folder = setup.config_of(arguments)
    async with app.conversations_of(config, folder) as db:
        count = await personal.forget(db, arguments.visitor)
    if not count:
        raise FrontdeskError(f"{arguments.visitor}: no such visitor; `frontdesk export` takes the same name")
    put(f"erased {count} conversations of {arguments.visitor}")
    return 0
