"""Quality of the search over questions with known pages: recall, MRR, nDCG and how well the floor decides.

Ranks count documents; a document's best chunk stands for it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from retrieval.document import Found
from retrieval.errors import RetrievalError

Search = Callable[[str, str], Awaitable[Found]]
"""Called with the question and the one that it follows, or an empty text."""


FLOORS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
KEPT = 0.95


@dataclass(frozen=True, slots=True)
class Question:
    """One line of a question file."""

    id: str
    question: str
    relevant: tuple[str, ...] = ()
    answerable: bool = True
    lang: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A question and what was found: documents in order, the confidence, whether the floor let it pass."""

    question: Question
    ranked: tuple[str, ...]
    confidence: float
    passed: bool
    answerable: bool = field(default=True)

    @property
    def rank(self) -> int:
        """The rank of the first right document, from 1; 0 when none was found."""
        return next((at for at, url in enumerate(self.ranked, 1) if self.is_right(url)), 0)

    def is_right(self, url: str) -> bool:
        """Whether a found address is one of the known pages; a folder's address is that of its index.html."""
        return url in self.question.relevant or (url.endswith("/") and f"{url}index.html" in self.question.relevant)


def read_questions(path: Path) -> list[Question]:
    """The questions of a JSON Lines file; raises RetrievalError that names the line."""
    questions = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            questions.append(
                Question(
                    id=str(record.get("id", number)),
                    question=record["question"],
                    relevant=tuple(record.get("relevant", ())),
                    answerable=bool(record.get("answerable", True)),
                    lang=record.get("lang", ""),
                    after=record.get("after", ""),
                )
            )
        except (ValueError, KeyError, TypeError) as error:
            raise RetrievalError(
                f'{path}:{number}: not a question; write {{"id", "question", "relevant": […]}}'
            ) from error
    return questions


def placed(questions: Sequence[Question], places: Sequence[str]) -> list[Question]:
    """The questions with known pages that begin with "/" put under every place: the roots of sites and folders."""

    def under(known: str) -> list[str]:
        return [place.rstrip("/") + known for place in places] if known.startswith("/") else [known]

    return [
        replace(item, relevant=tuple(name for known in item.relevant for name in under(known))) for item in questions
    ]


async def evaluate(questions: Sequence[Question], search: Search) -> list[Outcome]:
    """Ask every question."""
    outcomes = []
    for question in questions:
        found = await search(question.question, question.after)
        names = (hit.document_id if hit.document_id in question.relevant else hit.url for hit in found.hits)
        ranked = tuple(dict.fromkeys(names))
        outcomes.append(Outcome(question, ranked, found.confidence, found.verdict != "nothing"))
    return outcomes


def measures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The figures that `frontdesk eval` prints."""
    known = [outcome for outcome in outcomes if outcome.question.answerable and outcome.question.relevant]
    unknown = [outcome for outcome in outcomes if not outcome.question.answerable]
    figures: dict[str, Any] = {"questions": len(outcomes)}
    for k in (1, 4, 10):
        figures[f"recall@{k}"] = _mean([1.0 if 0 < outcome.rank <= k else 0.0 for outcome in known])
    figures["mrr@10"] = _mean([1 / outcome.rank if 0 < outcome.rank <= 10 else 0.0 for outcome in known])
    figures["ndcg@10"] = _mean([_ndcg(outcome) for outcome in known])
    figures["floor"] = _floor(known, unknown)
    figures["misses"] = [
        {"id": outcome.question.id, "question": outcome.question.question, "rank": outcome.rank, "found": outcome.ranked[:3],
         "confidence": round(outcome.confidence, 3)}
        for outcome in outcomes
        if (outcome.question.answerable and not (0 < outcome.rank <= 4)) or outcome.passed != outcome.question.answerable
    ]  # fmt: skip
    return figures


def _floor(known: Sequence[Outcome], unknown: Sequence[Outcome]) -> dict[str, Any]:
    kept = sum(outcome.passed for outcome in known)
    wrong = sum(outcome.passed for outcome in unknown)
    pairs = [(a.confidence > b.confidence) + 0.5 * (a.confidence == b.confidence) for a in known for b in unknown]
    precision = kept / (kept + wrong) if kept + wrong else 0.0
    recall = kept / len(known) if known else 0.0
    return {
        "answered_right": recall,
        "refused_right": 1 - wrong / len(unknown) if unknown else 0.0,
        "auroc": _mean(pairs),
        "f1": 2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        "curve": [_at(floor, known, unknown) for floor in FLOORS],
        "refused_where_95_kept": _refused(known, unknown),
    }


def _at(floor: float, known: Sequence[Outcome], unknown: Sequence[Outcome]) -> dict[str, float]:
    """What another floor would keep and refuse."""
    return {
        "floor": floor,
        "kept": _mean([float(outcome.confidence >= floor) for outcome in known]),
        "refused": _mean([float(outcome.confidence < floor) for outcome in unknown]),
    }


def _refused(known: Sequence[Outcome], unknown: Sequence[Outcome]) -> float:
    """The share of the others refused under the highest floor that keeps at least 95 % of the answerable."""
    if not known:
        return 0.0
    least = sorted(outcome.confidence for outcome in known)[math.floor((1 - KEPT) * len(known))]
    return _mean([float(outcome.confidence < least) for outcome in unknown])


def _ndcg(outcome: Outcome) -> float:
    gains = [1 / math.log2(at + 1) for at, url in enumerate(outcome.ranked[:10], 1) if outcome.is_right(url)]
    ideal = [1 / math.log2(at + 1) for at in range(1, min(len(outcome.question.relevant), 10) + 1)]
    return min(sum(gains) / sum(ideal), 1.0) if ideal else 0.0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
