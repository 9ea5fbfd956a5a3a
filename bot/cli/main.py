"""The command line: one file a command. Exit status 0 done, 1 failed with a sentence, 2 wrong usage.

Every command is a module of this folder with `arguments(parser)` and `run(arguments)`; it is imported when it is asked for, so
that `frontdesk --help` costs no more than Python itself.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol

COMMANDS = {
    "init": "write frontdesk.toml and .env for your business",
    "run": "serve web chat, channels, console and scheduler",
    "crawl": "crawl now, and say for every address why it is in or out",
    "add": "add documents, folders or single pages",
    "convert": "print the Markdown that the bot will see; nothing is stored",
    "search": "show the hits for a question, with every score and the verdict",
    "ask": "give one answer through the whole engine",
    "chat": "have a conversation in the terminal",
    "eval": "measure the search over questions with known pages",
    "gaps": "print the missing-content log",
    "doctor": "check configuration, secrets, databases and channels, and say what to do",
    "db": "look after the databases: migrate, back up, restore, check",
    "forget": "erase one person's data, everywhere",
    "export": "print one person's data as JSON",
}


class Command(Protocol):
    """What a command's module offers."""

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's own arguments."""

    async def run(self, arguments: argparse.Namespace) -> int:
        """Do it; returns the exit status."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    given = [_stored(word) for word in (sys.argv[1:] if argv is None else argv)]
    asked = next((word for word in given if word in COMMANDS), "")
    arguments = parser(asked).parse_args(given)
    try:
        return _run(arguments)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130


def _run(arguments: argparse.Namespace) -> int:
    import asyncio

    from bot.errors import FrontdeskError
    from bot.run import logs
    from retrieval.errors import RetrievalError

    logs.set_up([])
    try:
        status: int = asyncio.run(command(arguments.command).run(arguments))
    except (FrontdeskError, RetrievalError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError) as error:
        sys.stderr.write(f"{error.filename}: {error.strerror}\n")
        return 1
    return status


def command(name: str) -> Command:
    """A command's module."""
    return import_module(f"bot.cli.{name}")


def parser(*complete: str) -> argparse.ArgumentParser:
    """The command line, with the arguments of the commands that are named (the others are only listed)."""
    top = argparse.ArgumentParser(
        prog="frontdesk",
        description="Answers a business's customers from its own website and documents, with the source cited.",
    )
    top.add_argument("--version", action=_Version, help="print the version and exit")
    subcommands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, text in COMMANDS.items():
        sub = subcommands.add_parser(name, help=text, description=text[:1].upper() + text[1:] + ".")
        if name in complete:
            command(name).arguments(sub)
    return top


class _Version(argparse.Action):
    """Looks the version up when it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import PackageNotFoundError, version

        try:
            known = version("frontdesk")
        except PackageNotFoundError:
            known = "0 (not installed)"
        sys.stdout.write(f"frontdesk {known}\n")
        parser.exit()


def _stored(word: str) -> str:
    """An argument as text that can be stored: bytes that are no UTF-8 come as halves of letters."""
    return word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
