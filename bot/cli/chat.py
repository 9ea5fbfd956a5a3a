"""`frontdesk chat`: a conversation in the terminal."""

from __future__ import annotations

import argparse

from bot import app
from bot.cli import setup


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    setup.add_bot_arguments(parser)


async def run(arguments: argparse.Namespace) -> int:
    """Converse until the input ends or /quit."""
    async with setup.bot_of(arguments) as bot:
        terminal = app.terminal(bot)
        async with app.opened_alone(bot, terminal):
            await terminal.converse()
    return 0
