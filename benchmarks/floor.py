"""Fits the floor's coefficients: deviations above off-topic and coverage, against whether a question was answerable.

Uses the example business, and with `--data DIR` every folder in it that holds corpus.jsonl ({"id", "title", "text", "lang"}) and
questions.jsonl ({"question", "answerable"}). Prints AUROC by set and the coefficients of all together.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bot import app, demo, setup, sources
from bot.config import load
from bot.rewrite import rewrite
from bot.session import Memory
from retrieval.document import Document
from retrieval.evaluate import Question, read_questions
from retrieval.floor import HYBRID
from retrieval.knowledge import Knowledge
from retrieval.search import FIRST

Features = NDArray[np.float64]
STEPS, RATE, DECAY = 4000, 0.3, 0.003


async def features(knowledge: Knowledge, questions: list[Question]) -> Features:
    """A row a question: deviations above off-topic, best coverage, answerable."""
    rows = []
    for item in questions:
        memory = [Memory(item.after, item.after, "", datetime.now(UTC))] if item.after else []
        found = await knowledge.search(await rewrite(item.question, memory, None))
        above = (found.best["semantic"] - knowledge.calibration.mean) / knowledge.calibration.deviation
        covered = max((hit.coverage for hit in found.hits[:FIRST]), default=0.0)
        rows.append((min(above, 6.0), covered, float(item.answerable)))
    return np.array(rows)


async def example(folder: Path) -> Features:
    """The example business, crawled."""
    config = load(demo.folder() / "frontdesk.toml", {})
    async with app.knowledge_of(config, folder) as knowledge, setup.demo_site() as base:
        await knowledge.crawl(sources.demo(config, base))
        return await features(knowledge, read_questions(demo.folder() / "questions.jsonl"))


async def given(data: Path, folder: Path) -> Features:
    """One set of documents and questions."""
    records = [json.loads(line) for line in (data / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    documents = [
        Document(item["id"], item.get("title") or "", item["text"], item.get("lang", "en")) for item in records
    ]
    async with app.knowledge_of(load(None, {}), folder) as knowledge:
        await knowledge.put(documents)
        return await features(knowledge, read_questions(data / "questions.jsonl"))


def fitted(rows: Features) -> Features:
    """Logistic regression by gradient descent with weight decay: constant, deviations, coverage."""
    x, y = np.c_[np.ones(len(rows)), rows[:, :2]], rows[:, 2]
    weights = np.zeros(3)
    for _ in range(STEPS):
        weights += RATE * (x.T @ (y - 1 / (1 + np.exp(-x @ weights))) / len(y) - DECAY * weights)
    return weights


def auroc(rows: Features, weights: Features) -> float:
    """The chance that an answerable question is held for likelier than another."""
    scores = np.c_[np.ones(len(rows)), rows[:, :2]] @ weights
    yes, no = scores[rows[:, 2] == 1], scores[rows[:, 2] == 0]
    return float(np.mean(yes[:, None] > no[None, :]) + 0.5 * np.mean(yes[:, None] == no[None, :])) if len(no) else 1.0


async def measure(data: Path | None) -> dict[str, Features]:
    """Every set's features."""
    sets = {}
    with tempfile.TemporaryDirectory() as folder:
        sets["example business"] = await example(Path(folder) / "example")
        for part in sorted(data.iterdir()) if data else ():
            if (part / "corpus.jsonl").exists() and (part / "questions.jsonl").exists():
                sets[part.name] = await given(part, Path(folder) / part.name)
    return sets


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=None)
    sets = asyncio.run(measure(parser.parse_args().data))
    for name, rows in sets.items():
        print(
            f"{name:20} {len(rows):5} questions  AUROC with the coefficients in use {auroc(rows, np.array(HYBRID)):.3f}"
        )
    print("fitted on all:", fitted(np.concatenate(list(sets.values()))).round(2), " in use:", HYBRID)


if __name__ == "__main__":
    main()
