"""The commands that ask: search, ask, eval."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot import app
from bot.answer.prompt import build, local_time
from bot.answer.rewrite import rewrite
from bot.answer.session import Memory
from bot.answer.turn import Conversation, Turn
from bot.cli import setup
from bot.cli.output import put, put_json
from bot.messages import Message
from retrieval.document import Found, Hit
from retrieval.knowledge import Knowledge
from retrieval.search import evaluate as quality
from retrieval.search.filters import Filter
from retrieval.search.search import pack


def hit_json(hit: Hit) -> dict[str, Any]:
    """A hit as `search --json` prints it."""
    legs = {
        name: {"rank": leg.rank, "score": leg.score} if leg else None
        for name, leg in (("semantic", hit.semantic), ("keyword", hit.keyword))
    }
    return {
        "chunk_id": hit.chunk_id,
        "document_id": hit.document_id,
        "url": hit.url,
        "title": hit.title,
        "heading_path": list(hit.heading_path),
        "text": hit.text,
        "score": hit.score,
        **legs,
        "rerank": hit.rerank,
        "relevance": hit.relevance,
    }


HITS_A_DOCUMENT = 5
"""Hits asked for each document that `eval` ranks, since a document may have several."""


async def search(arguments: argparse.Namespace) -> int:
    """Hits with every score."""
    changes: dict[str, object] = {"k": arguments.k, "filter": _filter(arguments)}
    changes |= {"mode": arguments.mode} if arguments.mode else {}
    async with setup.knowledge_of(arguments) as (_, knowledge):
        found = await knowledge.search(arguments.question, **changes)  # type: ignore[arg-type]
    if arguments.json:
        put_json(
            {
                "question": arguments.question,
                "rewritten": found.question,
                "mode": found.mode,
                "verdict": found.verdict,
                "confidence": found.confidence,
                "floor": found.floor,
                "elapsed_ms": found.elapsed_ms,
                "hits": [hit_json(hit) for hit in found.hits],
            }
        )
        return 0
    put(f"{found.verdict} (confidence {found.confidence:.2f}, floor {found.floor:.2f}, {found.elapsed_ms:.0f} ms)")
    for number, hit in enumerate(found.hits, 1):
        legs = "  ".join(
            f"{name} #{leg.rank} {leg.score:.2f}"
            for name, leg in (("meaning", hit.semantic), ("words", hit.keyword))
            if leg
        )
        put(
            f"\n{number}. {' > '.join((hit.title, *hit.heading_path))}  [{hit.relevance}]\n   {hit.url}\n   {hit.score:.3f}  {legs}"
            + ("" if hit.rerank is None else f"  re-ranked {hit.rerank:.2f}")
        )
        put("   " + hit.text.replace("\n", " ")[:240])
    return 0


def _filter(arguments: argparse.Namespace) -> Filter:
    return Filter(
        tuple(arguments.source),
        tuple(arguments.language),
        tuple(arguments.knowledge),
        arguments.since,
        arguments.until,
    )


async def ask(arguments: argparse.Namespace) -> int:
    """One answer through the whole engine; a gap is shown, not logged."""
    config, folder = setup.config_of(arguments)
    if arguments.demo:
        async with setup.knowledge_of(arguments):
            pass  # crawls the example's site if it never was
    async with app.bot_of("bot", config, folder) as bot:
        setup.warn_if_empty(bot.knowledge)
        began = datetime.now(UTC)
        if arguments.show_prompt:
            found = await bot.knowledge.search(arguments.question)
            hits = pack(found.hits, config.retrieval.max_context_tokens)
            text = config.bot.instruction or "(the default instruction)"
            messages = build(text, (), hits, (), arguments.question, now=local_time(config.bot.timezone))
            sys.stderr.write(json.dumps(messages, ensure_ascii=False, indent=2) + "\n")
        message = Message("terminal", "ask", "ask", arguments.question)
        turn = None
        async for event in bot.engine.answer(message, Conversation("ask", "terminal", "ask", "ask")):
            turn = event if isinstance(event, Turn) else turn
        assert turn is not None
        elapsed = (datetime.now(UTC) - began).total_seconds() * 1000
    _show_turn(arguments, turn, elapsed)
    return 0


def _show_turn(arguments: argparse.Namespace, turn: Turn, elapsed: float) -> None:
    if not arguments.json:
        put(turn.reply.text)
        for citation in turn.reply.citations:
            put(f"[{citation.number}] {citation.title} – {citation.url}")
        return
    put_json(
        {
            "question": arguments.question,
            "text": turn.reply.text,
            "outcome": turn.reply.outcome,
            "citations": [
                {"number": item.number, "title": item.title, "url": item.url, "passage": item.passage}
                for item in turn.reply.citations
            ],
            "gap": {"reason": turn.gap.reason, "topic_id": ""} if turn.gap else None,
            "model": turn.model,
            "tokens": {
                "prompt": turn.prompt_tokens,
                "completion": turn.completion_tokens,
                "context": turn.context_tokens,
            },
            "elapsed_ms": elapsed,
        }
    )


async def evaluate(arguments: argparse.Namespace) -> int:
    """Measure the search."""
    questions = quality.read_questions(arguments.file)
    async with setup.knowledge_of(arguments) as (_, knowledge):
        rows = await knowledge.db.read("SELECT id, kind FROM sources")
        places = [
            row["id"] if row["kind"] == "site" else Path(row["id"]).as_uri() for row in rows if row["kind"] != "upload"
        ]
        outcomes = await quality.evaluate(quality.under_roots(questions, places), _asked(knowledge, arguments.k))
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
