"""The command line: one subcommand a thing to do. Exit status 0 done, 1 failed with a sentence, 2 wrong usage."""

from __future__ import annotations

import argparse
import asyncio
import os
import sqlite3
import sys
from collections.abc import Callable, Coroutine, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bot.cli import adding, asking, converting, running, upkeep
from bot.cli import site as commands
from bot.errors import FrontdeskError
from bot.run import logs
from retrieval.errors import RetrievalError

Command = Callable[[argparse.Namespace], Coroutine[None, None, int]]
MODES = ("hybrid", "semantic", "keyword")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    given = sys.argv[1:] if argv is None else argv
    arguments = parser().parse_args(
        [word.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for word in given]
    )
    logs.set_up([])
    try:
        status: int = asyncio.run(arguments.run(arguments))
    except (FrontdeskError, RetrievalError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except sqlite3.Error as error:
        sys.stderr.write(f"the database can't be used: {error}; `frontdesk doctor` says more\n")
        return 1
    except (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError) as error:
        sys.stderr.write(f"{error.filename}: {error.strerror}\n")
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    return status


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser(
        prog="frontdesk",
        description="Answers a business's customers from its own website and documents, with the source cited.",
    )
    top.add_argument("--version", action="version", version=f"frontdesk {_version()}")
    subcommands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, run: Command, help_text: str, *, config: bool = True) -> argparse.ArgumentParser:
        sub = subcommands.add_parser(name, help=help_text, description=help_text[:1].upper() + help_text[1:] + ".")
        sub.set_defaults(run=run)
        if config:
            sub.add_argument(
                "-c", "--config", type=Path, metavar="FILE", help="the bot's file (default: ./frontdesk.toml)"
            )
            sub.add_argument(
                "--data", default="", metavar="DIR", help="the data folder (default: ./data beside the file)"
            )
            sub.add_argument("--demo", action="store_true", help="use the example business that ships with Frontdesk")
        return sub

    init = add("init", commands.init, "write frontdesk.toml and .env for your business", config=False)
    init.add_argument("folder", nargs="?", type=Path, default=Path(), metavar="DIR")
    init.add_argument("--url", default="", help="the website to answer from")
    init.add_argument("--name", default="", help="the business's name")
    init.add_argument("--contact", default="", help="where a visitor finds a person: a phone, e-mail or page")

    run = add("run", running.run, "serve web chat, channels, console and scheduler")
    run.add_argument("--host", default="", help="the address to listen on")
    run.add_argument("--port", type=int, default=None, help="the port to listen on")

    crawl = add("crawl", commands.crawl, "crawl now, and say for every address why it is in or out")
    crawl.add_argument("source", nargs="?", default="", help="one source's address; default: all")
    crawl.add_argument("--accept", action="store_true", help="believe a site of which too much changed at once")
    _json(crawl)

    more = add("add", adding.add, "add documents, folders or single pages")
    more.add_argument("places", nargs="+", metavar="PATH|URL")
    more.add_argument("--knowledge", default="default", metavar="NAME")
    _json(more)

    convert = add(
        "convert",
        converting.convert,
        "print the Markdown that the bot will see; nothing is stored",
        config=False,
    )
    convert.add_argument("places", nargs="+", metavar="PATH|URL")
    convert.add_argument("--base", default="", metavar="URL", help="the address that the files stand for")
    convert.add_argument("--audit", action="store_true", help="say on the error stream what each rule took away")
    convert.add_argument("--out", type=Path, default=None, metavar="DIR", help="write one .md a file into this folder")

    search = add("search", asking.search, "show the hits for a question, with every score and the verdict")
    search.add_argument("question", type=_question)
    search.add_argument("-k", type=_positive, default=8, metavar="N")
    search.add_argument("--mode", choices=MODES, default=None)
    for name, metavar, text in (
        ("source", "PLACE", "only documents of this source, as it is configured"),
        ("language", "CODE", "only documents in this language, for instance en"),
        ("knowledge", "NAME", "only documents of this knowledge base"),
    ):
        search.add_argument(f"--{name}", action="append", default=[], metavar=metavar, help=f"{text}; may be repeated")
    search.add_argument("--since", default="", metavar="DAY", help="only what was read anew on or after 2026-05-31")
    search.add_argument("--until", default="", metavar="DAY", help="only what was read anew on or before this day")
    _json(search)

    ask = add("ask", asking.ask, "give one answer through the whole engine")
    ask.add_argument("question", type=_question)
    ask.add_argument("--show-prompt", action="store_true", help="print the messages that the model gets")
    _json(ask)

    add("chat", running.chat, "have a conversation in the terminal")

    evaluate = add("eval", asking.evaluate, "measure the search over questions with known pages")
    evaluate.add_argument("file", type=Path, metavar="FILE.jsonl")
    evaluate.add_argument("-k", type=_positive, default=10, metavar="N", help="documents ranked a question")
    evaluate.add_argument("--min-recall", type=float, default=0.0, metavar="X", help="fail when recall@4 is lower")
    _json(evaluate)

    log = add("gaps", upkeep.gaps, "print the missing-content log")
    log.add_argument("--csv", action="store_true")
    log.add_argument("--open", action="store_true", help="open topics only")
    _json(log)

    _json(
        add(
            "doctor",
            upkeep.doctor,
            "check configuration, secrets, databases and channels, and say what to do",
        )
    )

    db = add("db", upkeep.database, "look after the databases")
    db.add_argument("action", choices=("migrate", "backup", "restore", "check"))
    db.add_argument("file", nargs="?", type=Path, default=None, metavar="FILE")

    for name, work, text in (
        ("forget", upkeep.forget, "erase one person's data, everywhere"),
        ("export", upkeep.export, "print one person's data as JSON"),
    ):
        add(name, work, text).add_argument("visitor", metavar="VISITOR")
    return top


def _question(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("the question is empty")
    return text


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text) <= 1000:
        raise argparse.ArgumentTypeError("must be a number from 1 to 1000")
    return int(text)


def _json(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--json", action="store_true", help="print one JSON object and nothing else on standard output")


def _version() -> str:
    try:
        return version("frontdesk")
    except PackageNotFoundError:
        return "0 (not installed)"
