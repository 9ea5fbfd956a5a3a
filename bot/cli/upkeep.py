"""The commands that look after a bot: the missing-content log, doctor, databases, one person's data."""

from __future__ import annotations

import argparse
import csv
import sys

from bot import app
from bot.cli import doctor as checks
from bot.cli import setup
from bot.cli.output import put, put_json
from bot.desk import gaps as gap_log
from bot.errors import FrontdeskError
from bot.run import privacy
from bot.run.lock import held


async def gaps(arguments: argparse.Namespace) -> int:
    """The missing-content log."""
    config, folder = setup.config_of(arguments)
    async with app.conversations_of(config, folder) as db:
        topics = await gap_log.topics(db, open_only=arguments.open)
    if arguments.json:
        put_json({"topics": topics})
    elif arguments.csv:
        rows = csv.writer(sys.stdout)
        rows.writerow(["topic", "count", "state", "question", "reason", "channel", "language", "asked_at"])
        for topic in topics:
            for gap in topic["gaps"]:
                rows.writerow(
                    [
                        _cell(topic["title"]),
                        topic["count"],
                        topic["state"],
                        _cell(gap["question"]),
                        gap["reason"],
                        gap["channel"],
                        gap["language"],
                        gap["asked_at"],
                    ]
                )
    else:
        for topic in topics:
            put(f"{topic['count']:4} × {topic['title']}  ({topic['state']}, last {topic['last_at'][:10]})")
        if not topics:
            put("no gap so far")
    return 0


def _cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in "=+-@\t" else text


async def doctor(arguments: argparse.Namespace) -> int:
    """Check everything; exit status 1 when something must be done."""
    config, folder = setup.config_of(arguments)
    found = await checks.examined(config, folder)
    if arguments.json:
        put_json({"ok": all(check.ok for check in found), "checks": [check.as_json() for check in found]})
    else:
        for check in found:
            put(f"{'ok ' if check.ok else 'NO '} {check.name}: {check.text}")
    return 0 if all(check.ok for check in found) else 1


async def database(arguments: argparse.Namespace) -> int:
    """Migrate, back up, restore or check both databases."""
    config, folder = setup.config_of(arguments)
    if arguments.action in ("backup", "restore") and arguments.file is None:
        raise FrontdeskError(f"frontdesk db {arguments.action}: name the FILE")
    if arguments.action == "restore":
        with held(folder):
            for path in privacy.restore(folder, arguments.file):
                put(f"restored {path}")
        return 0
    async with app.knowledge_of(config, folder) as knowledge, app.conversations_of(config, folder) as db:
        if arguments.action == "backup":
            await privacy.backup(arguments.file, knowledge.db, db)
            put(f"wrote {arguments.file}")
        problems = (
            [problem for one in (knowledge.db, db) for problem in await one.check()]
            if arguments.action == "check"
            else []
        )
        problems += await checks.index_problems(knowledge) if arguments.action == "check" else []
    for problem in problems:
        put(problem)
    if arguments.action in ("check", "migrate") and not problems:
        put("both databases are sound" if arguments.action == "check" else "both databases are up to date")
    return 1 if problems else 0


async def forget(arguments: argparse.Namespace) -> int:
    """Erase one person."""
    config, folder = setup.config_of(arguments)
    async with app.conversations_of(config, folder) as db:
        count = await privacy.forget(db, arguments.visitor)
    if not count:
        raise FrontdeskError(f"{arguments.visitor}: no such visitor; `frontdesk export` takes the same name")
    put(f"erased {count} conversations of {arguments.visitor}")
    return 0


async def export(arguments: argparse.Namespace) -> int:
    """Print one person's data."""
    config, folder = setup.config_of(arguments)
    async with app.conversations_of(config, folder) as db:
        record = await privacy.export(db, arguments.visitor)
    if not record["conversations"]:
        raise FrontdeskError(f"{arguments.visitor}: no such visitor")
    put_json(record)
    return 0
