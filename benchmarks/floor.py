"""Fits the floor's coefficients: cosine above off-topic and coverage, against whether a question was answerable.

Uses the example business, and with `--data DIR` every folder in it that holds corpus.jsonl ({"id", "title", "text", "lang"}) and
questions.jsonl ({"question", "answerable"}). Prints by set AUROC and how many of the unanswerable are refused where 95 % of the
answerable are kept, with the coefficients in use, and the coefficients that all sets together would ask for.
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

from bot import app
from bot.answer.rewrite import rewrite
from bot.answer.session import Memory
from bot.cli import setup
from bot.run import demo, sources
from retrieval.document import Document
from retrieval.knowledge import Knowledge
from retrieval.search.evaluate import KEPT_SHARE, LabelledQuestion, read_questions
from retrieval.search.floor import HYBRID_COEFFICIENTS, above_level
from retrieval.text.language import detect

Features = NDArray[np.float64]
NEWTON_STEPS, WEIGHT_DECAY = 100, 0.001
"""Newton's method converges in far fewer steps; a little decay keeps coefficients finite where a set is told apart wholly."""


async def features(knowledge: Knowledge, questions: list[LabelledQuestion]) -> Features:
    """A row a question: cosine above off-topic, coverage, answerable."""
    rows = []
    for item in questions:
        memory = [Memory(item.after, item.after, "", datetime.now(UTC))] if item.after else []
        asked = await rewrite(item.question, memory, None)
        language = detect(asked, among=knowledge.index.languages)
        best = (await knowledge.search(asked, language, floor=0.0)).best
        cosine, exact = above_level(best["semantic"], knowledge.levels.of(language)), best["exact"]
        rows.append((cosine, best["coverage"], max(exact, 0), min(exact, 0), float(item.answerable)))
    return np.array(rows)


async def example(folder: Path) -> Features:
    """The example business, crawled."""
    config = app.configured(demo.folder() / "frontdesk.toml", {})
    async with app.knowledge_of(config, folder) as knowledge, setup.demo_site() as base:
        await knowledge.crawl(sources.demo(config, base))
        return await features(knowledge, read_questions(demo.folder() / "questions.jsonl"))


async def given(data: Path, folder: Path) -> Features:
    """One set of documents and questions."""
    records = [json.loads(line) for line in (data / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    documents = [
        Document(item["id"], item.get("title") or "", item["text"], item.get("lang", "en")) for item in records
    ]
    async with app.knowledge_of(app.configured(None, {}), folder) as knowledge:
        await knowledge.put(documents)
        return await features(knowledge, read_questions(data / "questions.jsonl"))


def fitted(sets: list[Features]) -> Features:
    """Logistic regression by Newton's method, every set and both of its classes weighing the same: five coefficients."""
    parts = [
        (rows, np.where(rows[:, -1] == 1, 1 / (rows[:, -1] == 1).sum(), 1 / (rows[:, -1] == 0).sum())) for rows in sets
    ]
    rows, weights = np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
    x, y, weights = np.c_[np.ones(len(rows)), rows[:, :-1]], rows[:, -1], weights / weights.sum()
    found = np.zeros(len(HYBRID_COEFFICIENTS))
    for _ in range(NEWTON_STEPS):
        sure = 1 / (1 + np.exp(-x @ found))
        slope = x.T @ (weights * (sure - y)) + WEIGHT_DECAY * np.r_[0, found[1:]]
        bend = (x * (weights * sure * (1 - sure))[:, None]).T @ x + WEIGHT_DECAY * np.eye(len(HYBRID_COEFFICIENTS))
        found -= np.linalg.solve(bend, slope)
    return found


def line_of(rows: Features) -> str:
    """AUROC, and the share refused where 95 % are kept, with the coefficients in use."""
    scores = np.c_[np.ones(len(rows)), rows[:, :-1]] @ np.array(HYBRID_COEFFICIENTS)
    yes, no = scores[rows[:, -1] == 1], scores[rows[:, -1] == 0]
    auroc = np.mean(yes[:, None] > no[None, :]) + 0.5 * np.mean(yes[:, None] == no[None, :])
    refused = np.mean(no < np.quantile(yes, 1 - KEPT_SHARE))
    now = f"at the default floor {np.mean(yes >= 0):.2f} kept, {np.mean(no < 0):.2f} refused"
    return f"AUROC {auroc:.3f}  refused at 95 % kept {refused:.2f}  {now}"


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
    both = {name: rows for name, rows in sets.items() if 0 < rows[:, -1].sum() < len(rows)}
    for name, rows in both.items():
        print(f"{name:20} {len(rows):5} questions  {line_of(rows)}")
    print("fitted on all:", fitted(list(both.values())).round(2), " in use:", tuple(HYBRID_COEFFICIENTS))


if __name__ == "__main__":
    main()
