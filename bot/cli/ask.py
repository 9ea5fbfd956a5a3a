"""`frontdesk ask`: one answer through the whole engine; a gap is shown, not logged."""

from __future__ import annotations

import argparse
import json
import sys
from time import perf_counter

from bot.answer.turn import Conversation, Turn
from bot.cli import setup
from bot.cli.output import put, put_json
from bot.messages import Message
from retrieval.text.tokens import count


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    setup.add_bot_arguments(parser)
    parser.add_argument("question", type=setup.question)
    parser.add_argument(
        "--show-prompt", action="store_true", help="print on the error stream what the model is sent, with its tokens"
    )
    setup.add_json_argument(parser)


async def run(arguments: argparse.Namespace) -> int:
    """Ask, and print the answer."""
    async with setup.bot_of(arguments) as bot:
        began, turn = perf_counter(), None
        message = Message("terminal", "ask", "ask", arguments.question)
        async for event in bot.engine.answer(message, Conversation("ask", "terminal", "ask", "ask")):
            turn = event if isinstance(event, Turn) else turn
        assert turn is not None, "the engine's last event is the turn"
        elapsed_ms = (perf_counter() - began) * 1000
    if arguments.show_prompt:
        _show_prompt(turn)
    if arguments.json:
        _put_json(arguments.question, turn, elapsed_ms)
    else:
        _put(turn)
    return 0


def _show_prompt(turn: Turn) -> None:
    sizes = [count(str(part["content"])) for part in turn.prompt]
    parts = [{**part, "tokens": size} for part, size in zip(turn.prompt, sizes, strict=True)]
    sys.stderr.write(json.dumps(parts, ensure_ascii=False, indent=2) + "\n")
    sys.stderr.write(f"{sum(sizes)} tokens in {len(parts)} messages\n")


def _put(turn: Turn) -> None:
    put(turn.reply.text)
    for citation in turn.reply.citations:
        put(f"[{citation.number}] {citation.title} – {citation.url}")


def _put_json(question: str, turn: Turn, elapsed_ms: float) -> None:
    put_json(
        {
            "question": question,
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
            "elapsed_ms": elapsed_ms,
        }
    )
