"""`frontdesk export`: one person's data as JSON."""

from __future__ import annotations

import argparse

from bot import app
from bot.cli import setup
from bot.cli.output import put_json
from bot.desk import personal
from bot.errors import FrontdeskError


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    setup.add_bot_arguments(parser)
    parser.add_argument("visitor", metavar="VISITOR")


async def run(arguments: argparse.Namespace) -> int:
    """Print everything that is kept of a visitor."""
    config, folder = setup.config_of(arguments)
    async with app.conversations_of(config, folder) as db:
        record = await personal.export(db, arguments.visitor)
    if not record["conversations"]:
        raise FrontdeskError(f"{arguments.visitor}: no such visitor")
    put_json(record)
    return 0
