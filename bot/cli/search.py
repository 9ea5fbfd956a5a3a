"""`frontdesk search`: the hits for a question, with every score and the verdict."""

from __future__ import annotations

import argparse
from typing import Any

from bot.cli import setup
from bot.cli.output import put, put_json
from retrieval.document import Found, Hit
from retrieval.search.filters import Filter

MODES = ("hybrid", "semantic", "keyword")
FILTERS = (
    ("source", "PLACE", "only documents of this source, as it is configured"),
    ("language", "CODE", "only documents in this language, for instance en"),
    ("knowledge", "NAME", "only documents of this knowledge base"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    setup.add_bot_arguments(parser)
    parser.add_argument("question", type=setup.question)
    parser.add_argument("-k", type=setup.positive, default=8, metavar="N")
    parser.add_argument("--mode", choices=MODES, default=None)
    for name, metavar, text in FILTERS:
        parser.add_argument(f"--{name}", action="append", default=[], metavar=metavar, help=f"{text}; may be repeated")
    parser.add_argument("--since", default="", metavar="DAY", help="only what was read anew on or after 2026-05-31")
    parser.add_argument("--until", default="", metavar="DAY", help="only what was read anew on or before this day")
    setup.add_json_argument(parser)


async def run(arguments: argparse.Namespace) -> int:
    """Search, and print the hits."""
    changes: dict[str, object] = {"k": arguments.k, "filter": _filter(arguments)}
    changes |= {"mode": arguments.mode} if arguments.mode else {}
    async with setup.knowledge_of(arguments) as (_, knowledge):
        found = await knowledge.search(arguments.question, **changes)  # type: ignore[arg-type]
    if arguments.json:
        put_json(as_json(arguments.question, found))
    else:
        _show(found)
    return 0


def as_json(question: str, found: Found) -> dict[str, Any]:
    """A search as `search --json` prints it."""
    return {
        "question": question,
        "rewritten": found.question,
        "mode": found.mode,
        "verdict": found.verdict,
        "confidence": found.confidence,
        "floor": found.floor,
        "elapsed_ms": found.elapsed_ms,
        "hits": [_hit_json(hit) for hit in found.hits],
    }


def _hit_json(hit: Hit) -> dict[str, Any]:
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


def _show(found: Found) -> None:
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


def _filter(arguments: argparse.Namespace) -> Filter:
    return Filter(
        tuple(arguments.source) or None,
        tuple(arguments.language),
        tuple(arguments.knowledge),
        arguments.since,
        arguments.until,
    )
