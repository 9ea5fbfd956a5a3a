"""The stage that re-ranks: the cross-encoder orders and labels the first candidates, and its failures change nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

import pytest

from retrieval.document import Found
from retrieval.errors import RerankError, RetrievalError
from retrieval.index.index import Index
from retrieval.search.floor import OffTopicLevels
from retrieval.search.rerank.rerank import RERANK_CANDIDATES, GuardedReranker, relevance
from retrieval.search.search import Options, search
from tests.retrieval.search.pages import put

OPTIONS = Options(mode="keyword", threshold=0.0, k=60, floor=0.0, per_page=60)


class Scripted:
    """A cross-encoder whose scores are a list, or an error, or never come."""

    name = "scripted"

    def __init__(self, scores: Sequence[float] | RetrievalError | None) -> None:
        self.scores = scores
        self.asked: list[tuple[str, list[str]]] = []

    async def score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        self.asked.append((question, list(texts)))
        if self.scores is None:
            await asyncio.Event().wait()
        if isinstance(self.scores, RetrievalError):
            raise self.scores
        return self.scores or []


@pytest.fixture
async def lamps(index: Index) -> Index:
    """Sixty pages, each with one more "lamp" than the next."""

    def text(number: int) -> str:
        lamps = "lamp " * (60 - number)
        return f"# Lamps\n\n## Part {number}\n\n**Lamp** {lamps}[shop](https://x.example/{number})"

    return await put(index, {str(number): text(number) for number in range(60)}, title="Lamps")


async def ordered(index: Index, reranker: GuardedReranker | None) -> Found:
    return await search(index, "lamp", OPTIONS, OffTopicLevels(), language="en", reranker=reranker)


async def test_the_first_fifty_are_ordered_by_the_cross_encoder_and_the_others_follow(lamps: Index) -> None:
    before = await ordered(lamps, None)
    assert len(before.hits) == 50, "a leg has fifty candidates"
    scripted = Scripted([float(at) for at in range(50)])
    after = await ordered(lamps, GuardedReranker(scripted))
    assert [hit.chunk_id for hit in after.hits] == [hit.chunk_id for hit in before.hits][::-1]
    assert [hit.rerank for hit in after.hits] == [float(at) for at in range(49, -1, -1)]
    assert {hit.chunk_id: (hit.score, hit.keyword) for hit in after.hits} == {
        hit.chunk_id: (hit.score, hit.keyword) for hit in before.hits
    }
    assert after.confidence == before.confidence


async def test_it_reads_title_heading_path_and_text_as_a_reader_does(lamps: Index) -> None:
    scripted = Scripted([0.0] * RERANK_CANDIDATES)
    await ordered(lamps, GuardedReranker(scripted))
    question, texts = scripted.asked[0]
    assert (question, len(texts)) == ("lamp", RERANK_CANDIDATES)
    assert texts[0].startswith("Lamps > Part 0\n")
    assert "**" not in texts[0]
    assert "https://" not in texts[0]


async def test_equal_scores_keep_the_fused_order(lamps: Index) -> None:
    before = await ordered(lamps, None)
    after = await ordered(lamps, GuardedReranker(Scripted([0.7] * RERANK_CANDIDATES)))
    assert [hit.chunk_id for hit in after.hits] == [hit.chunk_id for hit in before.hits]
    assert {hit.relevance for hit in after.hits} == {"HIGH"}


@pytest.mark.parametrize(
    ("score", "label"), [(0.51, "HIGH"), (0.5, "MEDIUM"), (-0.99, "MEDIUM"), (-1.0, "LOW"), (-7.0, "LOW")]
)
def test_labels_are_read_off_the_score(score: float, label: str) -> None:
    assert relevance(score) == label


@pytest.mark.parametrize(
    "broken",
    [
        RerankError("the server answered 500"),
        None,
        [1.0, 2.0],
        [float("nan")] * RERANK_CANDIDATES,
        [float("inf")] * RERANK_CANDIDATES,
    ],
    ids=["error", "timeout", "wrong count", "no number", "infinite"],
)
async def test_a_re_ranker_that_fails_leaves_the_order_and_is_told_once(
    lamps: Index, broken: Sequence[float] | RetrievalError | None, caplog: pytest.LogCaptureFixture
) -> None:
    before = await ordered(lamps, None)
    guarded = GuardedReranker(Scripted(broken), seconds=0.05, rest_seconds=0.0)
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            after = await ordered(lamps, guarded)
            assert [(hit.chunk_id, hit.rerank, hit.relevance) for hit in after.hits] == [
                (hit.chunk_id, None, hit.relevance) for hit in before.hits
            ]
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 1
    assert "the re-ranker scripted failed, the fused order stays" in messages[0]


async def test_one_that_failed_rests_for_half_a_minute() -> None:
    seconds = 0.0
    scripted = Scripted(RerankError("down"))
    resting = GuardedReranker(scripted, clock=lambda: seconds)
    assert await resting.score("q", ["a"]) is None
    scripted.scores = [1.0]
    seconds = 29.9
    assert await resting.score("q", ["a"]) is None
    assert len(scripted.asked) == 1
    seconds = 30.0
    assert await resting.score("q", ["a"]) == [1.0]


async def test_a_failure_is_told_again_after_it_has_worked(caplog: pytest.LogCaptureFixture) -> None:
    scripted = Scripted(None)
    eager = GuardedReranker(scripted, rest_seconds=0.0)
    for scores in (RerankError("down"), RerankError("down"), [1.0], RerankError("down")):
        scripted.scores = scores
        await eager.score("q", ["a"])
    assert len(caplog.records) == 2


async def test_nothing_found_asks_nobody(index: Index) -> None:
    scripted = Scripted([])
    found = await ordered(index, GuardedReranker(scripted))
    assert (found.hits, scripted.asked) == ((), [])
