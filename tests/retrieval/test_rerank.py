"""The stage that re-ranks: the cross-encoder orders and labels the first candidates, and its failures change nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

import pytest

from retrieval.document import Document, Found
from retrieval.errors import RerankError, RetrievalError
from retrieval.index.index import Entry, Index
from retrieval.search.floor import Levels
from retrieval.search.rerank.rerank import MOST, Guarded, relevance
from retrieval.search.search import Options, search
from retrieval.split.by_headings import split

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
            await asyncio.sleep(60)
        if isinstance(self.scores, RetrievalError):
            raise self.scores
        return self.scores or []


@pytest.fixture
async def lamps(index: Index) -> Index:
    for number in range(60):
        text = (
            f"# Lamps\n\n## Part {number}\n\n**Lamp** "
            + "lamp " * (60 - number)
            + f"[shop](https://x.example/{number})"
        )
        document = Document(f"https://x.example/{number}", "Lamps", text, "en")
        await index.replace(Entry("test", document, str(number), split(document)))
    await index.refresh()
    return index


async def ordered(index: Index, reranker: Guarded | None) -> Found:
    return await search(index, "lamp", OPTIONS, Levels(), "en", reranker)


async def test_the_first_fifty_are_ordered_by_the_cross_encoder_and_the_others_follow(lamps: Index) -> None:
    before = await ordered(lamps, None)
    assert len(before.hits) == 50, "a leg has fifty candidates"
    scripted = Scripted([float(at) for at in range(50)])
    after = await ordered(lamps, Guarded(scripted))
    assert [hit.chunk_id for hit in after.hits] == [hit.chunk_id for hit in before.hits][::-1]
    assert [hit.rerank for hit in after.hits] == [float(at) for at in range(49, -1, -1)]
    assert {hit.chunk_id: (hit.score, hit.keyword) for hit in after.hits} == {
        hit.chunk_id: (hit.score, hit.keyword) for hit in before.hits
    }
    assert after.confidence == before.confidence


async def test_it_reads_title_heading_path_and_text_as_a_reader_does(lamps: Index) -> None:
    scripted = Scripted([0.0] * MOST)
    await ordered(lamps, Guarded(scripted))
    question, texts = scripted.asked[0]
    assert (question, len(texts)) == ("lamp", MOST)
    assert texts[0].startswith("Lamps > Part 0\n")
    assert "**" not in texts[0]
    assert "https://" not in texts[0]


async def test_equal_scores_keep_the_fused_order(lamps: Index) -> None:
    before = await ordered(lamps, None)
    after = await ordered(lamps, Guarded(Scripted([0.7] * MOST)))
    assert [hit.chunk_id for hit in after.hits] == [hit.chunk_id for hit in before.hits]
    assert {hit.relevance for hit in after.hits} == {"HIGH"}


@pytest.mark.parametrize(
    ("score", "label"), [(0.51, "HIGH"), (0.5, "MEDIUM"), (-0.99, "MEDIUM"), (-1.0, "LOW"), (-7.0, "LOW")]
)
def test_labels_are_read_off_the_score(score: float, label: str) -> None:
    assert relevance(score) == label


@pytest.mark.parametrize(
    "broken",
    [RerankError("the server answered 500"), None, [1.0, 2.0], [float("nan")] * MOST, [float("inf")] * MOST],
    ids=["error", "timeout", "wrong count", "no number", "infinite"],
)
async def test_a_re_ranker_that_fails_leaves_the_order_and_is_told_once(
    lamps: Index, broken: Sequence[float] | RetrievalError | None, caplog: pytest.LogCaptureFixture
) -> None:
    before = await ordered(lamps, None)
    guarded = Guarded(Scripted(broken), seconds=0.05, pause=0.0)
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            after = await ordered(lamps, guarded)
            assert [(hit.chunk_id, hit.rerank, hit.relevance) for hit in after.hits] == [
                (hit.chunk_id, None, hit.relevance) for hit in before.hits
            ]
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 1
    assert "the re-ranker scripted failed, the fused order stays" in told[0]


async def test_one_that_failed_is_left_alone_for_a_while_and_told_again_after_it_has_worked(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scripted = Scripted(RerankError("down"))
    resting = Guarded(scripted, pause=60.0)
    assert [await resting.score("q", ["a"]) for _ in range(3)] == [None] * 3
    assert len(scripted.asked) == 1
    eager = Guarded(scripted, pause=0.0)
    caplog.clear()
    for scores in (RerankError("down"), RerankError("down"), [1.0], RerankError("down")):
        scripted.scores = scores
        await eager.score("q", ["a"])
    assert len(caplog.records) == 2


async def test_nothing_found_asks_nobody(index: Index) -> None:
    scripted = Scripted([])
    found = await ordered(index, Guarded(scripted))
    assert (found.hits, scripted.asked) == ((), [])
