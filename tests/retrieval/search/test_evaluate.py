"""The measures of quality, by their values, and the files that questions are read from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from retrieval.document import Found, Hit
from retrieval.errors import RetrievalError
from retrieval.search.evaluate import (
    JudgedQuestion,
    LabelledQuestion,
    evaluate,
    measures,
    read_questions,
    under_roots,
)


def judged(
    relevant: tuple[str, ...], ranked: tuple[str, ...], *, passed: bool = True, sure: float = 0.9
) -> JudgedQuestion:
    return JudgedQuestion(LabelledQuestion("q", "q", relevant, answerable=bool(relevant)), ranked, sure, passed)


def test_measures_count_documents_and_judge_the_floor() -> None:
    figures = measures(
        [
            judged(("a",), ("a", "b")),
            judged(("b",), ("a", "b"), sure=0.6),
            judged(("c",), ("a", "b"), passed=False, sure=0.3),
            judged((), ("a",), passed=False, sure=0.1),
            judged((), ("a",), sure=0.5),
        ]
    )
    assert figures["recall@1"] == pytest.approx(1 / 3)
    assert figures["recall@4"] == pytest.approx(2 / 3)
    assert figures["mrr@10"] == pytest.approx((1 + 0.5) / 3)
    assert figures["ndcg@10"] == pytest.approx((1 + 0.6309) / 3, abs=1e-3)
    assert figures["floor"]["answered_right"] == pytest.approx(2 / 3)
    assert figures["floor"]["refused_right"] == 0.5
    assert figures["floor"]["auroc"] == pytest.approx(5 / 6)
    assert len(figures["misses"]) == 2


def test_known_pages_are_put_under_the_sites_root_and_a_folder_is_its_index() -> None:
    question = under_roots([LabelledQuestion("1", "q", ("/a/index.html", "id-7"))], ["https://x.example/demo/"])[0]
    assert question.relevant == ("https://x.example/demo/a/index.html", "id-7")
    one = JudgedQuestion(question, ("https://x.example/demo/b/index.html", "https://x.example/demo/a/"), 1.0, True)
    assert one.rank == 2


async def test_questions_are_read_and_asked_with_the_one_before(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text(
        json.dumps({"id": "1", "question": "and two?", "after": "how much?", "relevant": ["u"]}) + "\n\n",
        encoding="utf-8",
    )

    async def ask(question: str, before: str) -> Found:
        assert (question, before) == ("and two?", "how much?")
        hit = Hit(1, "d", "u", "t", (), "text", 5, 1.0)
        return Found(question, (hit,), "answerable", 0.8, 0.5, "hybrid", 1.0)

    assert [item.rank for item in await evaluate(read_questions(file), ask)] == [1]


def test_a_line_that_is_no_question_is_named(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text('{"id": 1}\n', encoding="utf-8")
    with pytest.raises(RetrievalError, match=r"q\.jsonl:1"):
        read_questions(file)
