"""`frontdesk eval`: how well the search finds, over questions with known pages."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.answer.rewrite import rewrite
from bot.answer.session import Memory
from bot.cli import setup
from bot.cli.output import put, put_json
from retrieval.document import Found
from retrieval.ingest.sources import UPLOAD
from retrieval.knowledge import Knowledge
from retrieval.search import evaluate as quality

HITS_A_DOCUMENT = 5
"""Hits asked for each document that is ranked, since a document may have several."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    setup.add_bot_arguments(parser)
    parser.add_argument("file", type=Path, metavar="FILE.jsonl")
    parser.add_argument("-k", type=setup.positive, default=10, metavar="N", help="documents ranked a question")
    parser.add_argument("--min-recall", type=float, default=0.0, metavar="X", help="fail when recall@4 is lower")
    setup.add_json_argument(parser)


async def run(arguments: argparse.Namespace) -> int:
    """Ask every question, and print the figures."""
    questions = quality.read_questions(arguments.file)
    async with setup.knowledge_of(arguments) as (_, knowledge):
        roots = [
            source.id if source.kind == "site" else Path(source.id).as_uri()
            for source in await knowledge.sources()
            if source.kind != UPLOAD
        ]
        outcomes = await quality.evaluate(quality.under_roots(questions, roots), _asked(knowledge, arguments.k))
    figures = quality.measures(outcomes)
    if arguments.json:
        put_json(figures)
    else:
        _show_figures(figures)
    if figures["recall@4"] < arguments.min_recall:
        sys.stderr.write(f"recall@4 is {figures['recall@4']:.3f}, below {arguments.min_recall}\n")
        return 1
    return 0


def _asked(knowledge: Knowledge, k: int) -> quality.AskSearch:
    async def asked(question: str, before: str) -> Found:
        memory = [Memory(before, before, "", datetime.now(UTC))] if before else []
        return await knowledge.search(await rewrite(question, memory, None), k=HITS_A_DOCUMENT * k)

    return asked


def _show_figures(figures: dict[str, Any]) -> None:
    floor = figures["floor"]
    put("  ".join(f"{name} {figures[name]:.3f}" for name in ("recall@1", "recall@4", "recall@10", "mrr@10", "ndcg@10")))
    put(
        f"floor: {floor['answered_right']:.3f} of answerable kept, {floor['refused_right']:.3f} of the others refused,"
        f" AUROC {floor['auroc']:.3f}; {floor['refused_where_95_kept']:.3f} refused where 95 % are kept"
    )
    put("  [retrieval] floor  " + "  ".join(f"{at['floor']:.1f}" for at in floor["curve"]) + "   (helpful → cautious)")
    put(
        "  kept               "
        + "  ".join(f"{at['kept']:.2f}"[-3:] if at["kept"] < 1 else "1.0" for at in floor["curve"])
    )
    put(
        "  refused            "
        + "  ".join(f"{at['refused']:.2f}"[-3:] if at["refused"] < 1 else "1.0" for at in floor["curve"])
    )
    for miss in figures["misses"]:
        put(f"  {miss['id']:14} rank {miss['rank']:2}  confidence {miss['confidence']:.2f}  {miss['question']}")
