"""How well the search finds, on public sets: `python -m benchmarks.quality --data DIR [SET…]`.

Every folder in DIR with corpus.jsonl ({"id", "title", "text", "lang"}) and questions.jsonl ({"question", "relevant", "answerable"})
is one set; with several values of `shop` or of `lang` in its corpus it is one set for each. Ranks count documents, by their
best chunk. Beside the search as it is by default: each leg alone, reciprocal rank fusion of the same legs, FTS5 with its own
porter tokenizer over whole documents, and bm25s, which is used if it is installed (`pip install bm25s PyStemmer`).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sqlite3
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot import app
from retrieval.document import Document, Found
from retrieval.knowledge import Knowledge
from retrieval.search.evaluate import KEPT_SHARE, JudgedQuestion, LabelledQuestion, measures, read_questions

ASKED_HITS = 60
"""Chunks that are asked for, so that at least ten documents are among them."""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """One set: its documents and its questions."""

    name: str
    records: list[dict[str, Any]]
    questions: list[LabelledQuestion]


def question_sets(data: Path, wanted: Sequence[str]) -> list[QuestionSet]:
    """The sets in a folder, those of several shops or languages taken apart."""
    found = []
    for folder in sorted(data.iterdir()):
        if not (folder / "corpus.jsonl").exists() or not (folder / "questions.jsonl").exists():
            continue
        if wanted and folder.name not in wanted:
            continue
        records = [json.loads(line) for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines()]
        raw = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]
        for key, value in _parts(records):
            asked = [item for item in read_questions(folder / "questions.jsonl") if _in(raw, item, key, value)]
            held = [record for record in records if not key or record[key] == value]
            found.append(QuestionSet(f"{folder.name} {value}".strip(), held, asked))
    return found


def _parts(records: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    for key in ("shop", "lang"):
        values = sorted({record[key] for record in records if key in record})
        if len(values) > 1:
            return [(key, value) for value in values]
    return [("", "")]


def _in(raw: Sequence[dict[str, Any]], question: LabelledQuestion, key: str, value: str) -> bool:
    return not key or any(item.get("id") == question.id and item.get(key) == value for item in raw)


async def searched(
    question_set: QuestionSet, knowledge: Knowledge, **changes: Any
) -> tuple[list[JudgedQuestion], float]:
    """What the search found for each question, and the words of its first four hits on average."""
    found, words = [], 0
    for question in question_set.questions:
        result: Found = await knowledge.search(question.question, k=ASKED_HITS, floor=0.0, **changes)
        ranked = tuple(dict.fromkeys(hit.document_id for hit in result.hits))
        found.append(JudgedQuestion(question, ranked, result.confidence, passed=True))
        words += sum(len(hit.text.split()) for hit in result.hits[:4])
    return found, words / max(1, len(question_set.questions))


async def whole_documents(question_set: QuestionSet) -> list[JudgedQuestion]:
    """FTS5 with porter over title and text, every word of the question joined by OR."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5(title, body, tokenize = 'porter unicode61')")
    rows = [(at, record.get("title") or "", record["text"]) for at, record in enumerate(question_set.records)]
    db.executemany("INSERT INTO t (rowid, title, body) VALUES (?, ?, ?)", rows)
    found = []
    for question in question_set.questions:
        query = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", question.question.lower())))
        sql = "SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t, 3.0, 1.0) LIMIT 20"
        ids = [question_set.records[row[0]]["id"] for row in db.execute(sql, (query,))] if query else []
        found.append(JudgedQuestion(question, tuple(ids), 0.0, passed=True))
    return found


def by_bm25s(question_set: QuestionSet) -> list[JudgedQuestion] | None:
    """bm25s with its English stop words and the Snowball stemmer, over whole documents; None when it isn't installed."""
    try:
        import bm25s
        import Stemmer
    except ImportError:
        return None
    stemmer = Stemmer.Stemmer("english")
    texts = [f"{record.get('title') or ''}\n{record['text']}" for record in question_set.records]
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)
    found = []
    for question in question_set.questions:
        asked = bm25s.tokenize([question.question], stopwords="en", stemmer=stemmer, show_progress=False)
        numbers, _ = index.retrieve(asked, k=min(10, len(texts)), show_progress=False)
        found.append(
            JudgedQuestion(question, tuple(question_set.records[int(at)]["id"] for at in numbers[0]), 0.0, passed=True)
        )
    return found


def line_of(name: str, found: list[JudgedQuestion], words: float = 0.0, *, floor: bool = False) -> str:
    """One line of the table."""
    figures = measures(found)
    line = f"  {name:34} s@1 {figures['recall@1']:.3f}  s@4 {figures['recall@4']:.3f}  MRR {figures['mrr@10']:.3f}"
    line += f"  {words:4.0f} words in four hits" if words else ""
    if floor and any(not one.question.answerable for one in found):
        line += f"  AUROC {figures['floor']['auroc']:.3f}"
        line += f"  refused at {KEPT_SHARE:.0%} kept {figures['floor']['refused_where_95_kept']:.2f}"
    return line


async def measure(question_set: QuestionSet, folder: Path) -> None:
    """Index a set and print its table."""
    documents = [
        Document(record["id"], record.get("title") or "", record["text"], record.get("lang", ""))
        for record in question_set.records
    ]
    documents = [Document(one.url, one.title, one.markdown, one.language, id=one.url) for one in documents]
    async with app.knowledge_of(app.configured(None, {}), folder) as knowledge:
        await knowledge.put(documents)
        asked = len(question_set.questions)
        print(f"{question_set.name}: {len(documents)} documents, {len(knowledge.index)} chunks, {asked} questions")
        found, words = await searched(question_set, knowledge)
        print(line_of("hybrid (default)", found, words, floor=True))
        for name, changes in (
            ("hybrid without the light re-ranker", {"light": False}),
            ("reciprocal rank fusion", {"fusion": "rrf", "light": False}),
            ("keyword leg alone", {"mode": "keyword", "light": False}),
            ("semantic leg alone", {"mode": "semantic", "light": False}),
        ):
            print(line_of(name, (await searched(question_set, knowledge, **changes))[0]))
    print(line_of("FTS5 porter, whole documents", await whole_documents(question_set)))
    other = by_bm25s(question_set)
    print(line_of("bm25s, whole documents", other) if other else "  bm25s isn't installed", flush=True)


async def measure_all(data: Path, wanted: Sequence[str]) -> None:
    """Every set in turn."""
    for question_set in question_sets(data, wanted):
        with tempfile.TemporaryDirectory() as folder:
            await measure(question_set, Path(folder))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("sets", nargs="*")
    given = parser.parse_args()
    asyncio.run(measure_all(given.data, given.sets))


if __name__ == "__main__":
    main()
