"""Quality of the search over questions with known pages: recall, MRR, nDCG and how well the floor decides.

Ranks count documents; a document's best chunk stands for it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from retrieval.document import Found
from retrieval.errors import RetrievalError

AskSearch = Callable[[str, str], Awaitable[Found]]
"""Called with the question and the one that it follows, or an empty text."""
CURVE_FLOORS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""The floors at which what would be kept and refused is shown."""
KEPT_SHARE = 0.95
"""Of the answerable questions: how many must be kept where floors are compared by what they refuse."""


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """One line of a question file.

    `relevant`: addresses, paths below the root of a source, or ids of the documents that answer it. `answerable`: whether any
    does. `after`: the question that it follows, if any.
    """

    id: str
    question: str
    relevant: tuple[str, ...] = ()
    answerable: bool = True
    lang: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """A question and what was found: documents in order, the confidence, whether the floor let it pass."""

    question: LabelledQuestion
    ranked: tuple[str, ...]
    confidence: float
    passed: bool

    @property
    def rank(self) -> int:
        """The rank of the first right document, from 1; 0 when none was found."""
        return next((at for at, url in enumerate(self.ranked, 1) if self.is_right(url)), 0)

    def is_right(self, url: str) -> bool:
        """Whether a found address is one of the known pages; a folder's address is that of its index.html."""
        return url in self.question.relevant or (url.endswith("/") and f"{url}index.html" in self.question.relevant)


def read_questions(path: Path) -> list[LabelledQuestion]:
    """The questions of a JSON Lines file; raises RetrievalError that names the line."""
    questions = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            questions.append(
                LabelledQuestion(
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


def under_roots(questions: Sequence[LabelledQuestion], roots: Sequence[str]) -> list[LabelledQuestion]:
    """The questions with known pages that begin with "/" put under every root: the addresses of sites and folders."""

    def addresses(page: str) -> list[str]:
        return [root.rstrip("/") + page for root in roots] if page.startswith("/") else [page]

    return [
        replace(item, relevant=tuple(address for page in item.relevant for address in addresses(page)))
        for item in questions
    ]


async def evaluate(questions: Sequence[LabelledQuestion], search: AskSearch) -> list[JudgedQuestion]:
    """Ask every question."""
    judged = []
    for question in questions:
        found = await search(question.question, question.after)
        # Imported documents are known by their ids, pages by their addresses.
        names = (hit.document_id if hit.document_id in question.relevant else hit.url for hit in found.hits)
        ranked = tuple(dict.fromkeys(names))
        judged.append(JudgedQuestion(question, ranked, found.confidence, found.verdict != "nothing"))
    return judged


def measures(judged: Sequence[JudgedQuestion]) -> dict[str, Any]:
    """The figures that `frontdesk eval` prints.

    Recall, MRR (mean reciprocal rank) and nDCG (Järvelin and Kekäläinen 2002) over the answerable questions with known pages.
    """
    # An answerable question without known pages can't be ranked; it only counts among the misses.
    known = [one for one in judged if one.question.answerable and one.question.relevant]
    unanswerable = [one for one in judged if not one.question.answerable]
    figures: dict[str, Any] = {"questions": len(judged)}
    for k in (1, 4, 10):
        figures[f"recall@{k}"] = _mean([1.0 if 0 < one.rank <= k else 0.0 for one in known])
    figures["mrr@10"] = _mean([1 / one.rank if 0 < one.rank <= 10 else 0.0 for one in known])
    figures["ndcg@10"] = _mean([_ndcg(one) for one in known])
    figures["floor"] = _floor_figures(known, unanswerable)
    figures["misses"] = [
        {"id": one.question.id, "question": one.question.question, "rank": one.rank, "found": one.ranked[:3],
         "confidence": round(one.confidence, 3)}
        for one in judged
        if (one.question.answerable and not (0 < one.rank <= 4)) or one.passed != one.question.answerable
    ]  # fmt: skip
    return figures


def _floor_figures(known: Sequence[JudgedQuestion], unanswerable: Sequence[JudgedQuestion]) -> dict[str, Any]:
    kept = sum(one.passed for one in known)
    wrong = sum(one.passed for one in unanswerable)
    # AUROC: how often an answerable question has a higher confidence than one that isn't; a tie counts half.
    pairs = [(a.confidence > b.confidence) + 0.5 * (a.confidence == b.confidence) for a in known for b in unanswerable]
    precision = kept / (kept + wrong) if kept + wrong else 0.0
    recall = kept / len(known) if known else 0.0
    return {
        "answered_right": recall,
        "refused_right": 1 - wrong / len(unanswerable) if unanswerable else 0.0,
        "auroc": _mean(pairs),
        "f1": 2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        "curve": [_at_floor(floor, known, unanswerable) for floor in CURVE_FLOORS],
        "refused_where_95_kept": _refused_where_most_kept(known, unanswerable),
    }


def _at_floor(
    floor: float, known: Sequence[JudgedQuestion], unanswerable: Sequence[JudgedQuestion]
) -> dict[str, float]:
    """What another floor would keep and refuse."""
    return {
        "floor": floor,
        "kept": _mean([float(one.confidence >= floor) for one in known]),
        "refused": _mean([float(one.confidence < floor) for one in unanswerable]),
    }


def _refused_where_most_kept(known: Sequence[JudgedQuestion], unanswerable: Sequence[JudgedQuestion]) -> float:
    """The share of the unanswerable refused under the highest floor that keeps at least `KEPT_SHARE` of the known."""
    if not known:
        return 0.0
    floor = sorted(one.confidence for one in known)[math.floor((1 - KEPT_SHARE) * len(known))]
    return _mean([float(one.confidence < floor) for one in unanswerable])


def _ndcg(judged: JudgedQuestion) -> float:
    gains = [1 / math.log2(at + 1) for at, url in enumerate(judged.ranked[:10], 1) if judged.is_right(url)]
    ideal = [1 / math.log2(at + 1) for at in range(1, min(len(judged.question.relevant), 10) + 1)]
    return min(sum(gains) / sum(ideal), 1.0) if ideal else 0.0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
