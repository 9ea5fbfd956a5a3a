"""`frontdesk gaps`: the missing-content log."""

from __future__ import annotations

import argparse
import csv
import sys

from bot import app
from bot.cli import setup
from bot.cli.output import put, put_json
from bot.desk.gaps import topics as stored_topics

COLUMNS = ["topic", "count", "state", "question", "reason", "channel", "language", "asked_at"]


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    setup.add_bot_arguments(parser)
    parser.add_argument("--csv", action="store_true")
    parser.add_argument("--open", action="store_true", help="open topics only")
    setup.add_json_argument(parser)


async def run(arguments: argparse.Namespace) -> int:
    """Print the topics, the most asked first."""
    config, folder = setup.config_of(arguments)
    async with app.conversations_of(config, folder) as db:
        topics = await stored_topics(db, open_only=arguments.open)
    if arguments.json:
        put_json({"topics": topics})
    elif arguments.csv:
        rows = csv.writer(sys.stdout)
        rows.writerow(COLUMNS)
        for topic in topics:
            known = {"topic": _cell(topic["title"]), "count": topic["count"], "state": topic["state"]}
            for gap in topic["gaps"]:
                row = {**gap, **known, "question": _cell(gap["question"])}
                rows.writerow([row[column] for column in COLUMNS])
    else:
        for topic in topics:
            put(f"{topic['count']:4} × {topic['title']}  ({topic['state']}, last {topic['last_at'][:10]})")
        if not topics:
            put("no gap so far")
    return 0


def _cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in "=+-@\t" else text
