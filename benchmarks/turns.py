"""CPU milliseconds of the engine for one turn with a model that answers at once: the example business, hybrid, warm.

Beside it, in the same run, the parts that every such system pays: embedding the question, and the search.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from statistics import median
from typing import cast

from bot import app
from bot.answer.engine import Engine
from bot.answer.model import LanguageModel, Messages
from bot.answer.turn import Conversation, Usage
from bot.cli import setup
from bot.messages import Message
from bot.run import demo, sources
from retrieval.search.evaluate import read_questions


class Instant:
    """A model that answers without thinking."""

    name = "instant"

    async def stream(self, messages: Messages, usage: Usage) -> AsyncIterator[str]:
        """One sentence with a citation."""
        usage.prompt, usage.completion = 1, 1
        for piece in ("That is ", "written in the first ", "source [1]."):
            yield piece

    async def short(self, messages: Messages) -> str:
        """The last question, as it is."""
        return str(messages[-1].get("content", "")).rpartition("Last question: ")[2]


async def measure(turns: int) -> dict[str, float]:
    """Median CPU milliseconds a turn, and of its parts."""
    questions = [item.question for item in read_questions(demo.folder() / "questions.jsonl")]
    with tempfile.TemporaryDirectory() as folder:
        async with app.bot_of("bench", app.configured(demo.folder() / "frontdesk.toml", {}), Path(folder)) as bot:
            async with setup.demo_site() as base:
                await bot.knowledge.crawl(sources.demo(bot.config, base))
            engine = Engine(bot.config, bot.knowledge, cast(LanguageModel, Instant()))
            embedder = bot.knowledge.index.embedder
            assert embedder is not None
            asked = [questions[at % len(questions)] for at in range(turns)]
            await _median(asked[:20], lambda text: _turn(engine, text, 0))  # warm
            return {
                "turn": await _median(asked, lambda text: _turn(engine, text, hash(text))),
                "search": await _median(asked, bot.knowledge.search),
                "embedding the question": await _median(asked, lambda text: embedder.embed([text])),
            }


async def _median(texts: list[str], work: Callable[[str], Coroutine[object, object, object]]) -> float:
    times = []
    for text in texts:
        began = time.process_time()
        await work(text)
        times.append((time.process_time() - began) * 1000)
    return median(times)


async def _turn(engine: Engine, text: str, visitor: int) -> None:
    chat = str(visitor)
    async for _ in engine.answer(Message("bench", chat, chat, text), Conversation("c", "bench", chat, chat)):
        pass


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=200)
    for name, value in asyncio.run(measure(parser.parse_args().turns)).items():
        print(f"{name:24} {value:6.2f} ms CPU, median")


if __name__ == "__main__":
    main()
