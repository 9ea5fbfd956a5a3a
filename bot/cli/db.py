"""`frontdesk db`: migrate, back up, restore or check both databases."""

from __future__ import annotations

import argparse
from pathlib import Path

from bot import app
from bot.cli import setup
from bot.cli.output import put
from bot.errors import FrontdeskError
from bot.run import backup
from bot.run.lock import exclusive


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    setup.add_bot_arguments(parser)
    parser.add_argument("action", choices=("migrate", "backup", "restore", "check"))
    parser.add_argument("file", nargs="?", type=Path, default=None, metavar="FILE")


async def run(arguments: argparse.Namespace) -> int:
    """Do the action; exit status 1 when a check finds something."""
    config, folder = setup.config_of(arguments)
    if arguments.action in ("backup", "restore") and arguments.file is None:
        raise FrontdeskError(f"frontdesk db {arguments.action}: name the FILE")
    if arguments.action == "restore":
        with exclusive(folder):
            for path in backup.restore(folder, arguments.file):
                put(f"restored {path}")
        return 0
    async with app.knowledge_of(config, folder) as knowledge, app.conversations_of(config, folder) as db:
        if arguments.action == "backup":
            await backup.backup(arguments.file, knowledge.db, db)
            put(f"wrote {arguments.file}")
            return 0
        if arguments.action == "migrate":  # opening them was all there is to do
            put("both databases are up to date")
            return 0
        problems = [*await knowledge.db.check(), *await db.check(), *await knowledge.index_problems()]
    for problem in problems or ("both databases are sound",):
        put(problem)
    return 1 if problems else 0
