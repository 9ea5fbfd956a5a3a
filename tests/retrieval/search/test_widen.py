"""Searching with more than the question: an imagined answer, other words for it, and a model that fails at either."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

import numpy as np
import pytest

from retrieval.document import Found
from retrieval.errors import WriteError
from retrieval.index.index import Index
from retrieval.search.floor import OffTopicLevels
from retrieval.search.search import Options, search
from retrieval.search.widen import Widened, moved_toward, widened
from retrieval.writer import Writer
from tests.retrieval.search.pages import page

PAGES = {
    "waiver": "The damage waiver for a canoe is nine pounds a day.",
    "dogs": "Dogs may come along when they wear a vest.",
    "hours": "We open at nine and close at six.",
}
QUESTION = "what if I break the boat"


class Scripted:
    """A model whose answers are looked up by what the instruction asks for; it fails, or hangs, where it is told to."""

    def __init__(self, answer: str = "", queries: str = "", *, fails: bool = False, hangs: bool = False) -> None:
        self.answer, self.queries, self.fails, self.hangs = answer, queries, fails, hangs
        self.asked: list[tuple[str, str]] = []

    async def write(self, instruction: str, text: str, most_tokens: int) -> str:
        self.asked.append((instruction, text))
        if self.hangs:
            await asyncio.Event().wait()
        if self.fails:
            raise WriteError("the model's server answered 500")
        return self.answer if "paragraph" in instruction else self.queries


@pytest.fixture
async def filled(index: Index) -> Index:
    for name, text in PAGES.items():
        await index.replace(page(name, text, name.title()))
    await index.refresh()
    return index


BARE = Options(light=False, threshold=-1.0, floor=0.0)


async def asked(index: Index, options: Options, writer: Writer | None) -> Found:
    return await search(index, QUESTION, options, OffTopicLevels(), language="en", writer=writer)


def order(found: Found) -> list[tuple[str, float]]:
    return [(hit.url, hit.score) for hit in found.hits]


async def test_without_being_told_to_no_model_is_asked(filled: Index) -> None:
    writer = Scripted("x", "y")
    assert order(await asked(filled, BARE, writer)) == order(await asked(filled, BARE, None))
    assert writer.asked == []


async def test_an_imagined_answer_finds_what_the_question_does_not(filled: Index) -> None:
    writer = Scripted(PAGES["waiver"])
    options = replace(BARE, mode="semantic", hyde=True)
    plain, found = await asked(filled, options, None), await asked(filled, options, writer)
    assert plain.hits[0].url != "https://x.example/waiver"
    assert found.hits[0].url == "https://x.example/waiver"
    assert (found.confidence, found.best["semantic"]) == (plain.confidence, plain.best["semantic"])
    assert [text for _, text in writer.asked] == [QUESTION]
    assert found.question == QUESTION


async def test_the_vector_is_the_mean_of_both_and_of_unit_length(filled: Index) -> None:
    vector = await filled.semantic_leg.question_vector(QUESTION, "en")
    assert vector is not None
    assert filled.embedder
    moved = await moved_toward(filled, vector, PAGES["dogs"], "en")
    imagined = (await filled.embedder.embed([PAGES["dogs"]]))[0]
    assert np.linalg.norm(moved) == pytest.approx(1.0)
    assert float(moved @ vector) == pytest.approx(float(moved @ imagined), abs=1e-6)
    assert await moved_toward(filled, vector, "", "en") is vector


async def test_words_alone_need_no_imagined_answer(filled: Index) -> None:
    writer = Scripted("x")
    await asked(filled, replace(BARE, mode="keyword", hyde=True), writer)
    assert writer.asked == []


@pytest.mark.parametrize("fusion", ["zscore", "rrf"])
async def test_each_question_in_other_words_is_searched_and_its_hits_are_joined(filled: Index, fusion: str) -> None:
    writer = Scripted(
        queries="1. damage waiver for a canoe\n- Dogs with a vest\n\nwhat if I BREAK the boat\n4) one too many"
    )
    options = replace(BARE, mode="keyword", queries=3, fusion=fusion)  # type: ignore[arg-type]
    found = await asked(filled, options, writer)
    assert {hit.url.rpartition("/")[2] for hit in found.hits} >= {"waiver", "dogs"}
    assert all(hit.keyword for hit in found.hits)
    assert {hit.coverage for hit in found.hits} == {0.0}, "of the question's own words, which the floor reads"
    assert found.confidence < 0.5
    assert "in 2 ways" in writer.asked[0][0]
    assert (await asked(filled, options, None)).hits == (), "none of its words stands on any page"


@pytest.mark.parametrize(
    "broken", [Scripted(fails=True), Scripted("", ""), Scripted(queries=QUESTION + "\n" + "x" * 301)]
)
async def test_a_model_that_fails_or_says_nothing_leaves_a_plain_search(filled: Index, broken: Scripted) -> None:
    options = replace(BARE, hyde=True, queries=2)
    assert order(await asked(filled, options, broken)) == order(await asked(filled, BARE, None))
    assert len(broken.asked) == 2


async def test_a_model_that_is_slow_is_not_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert await widened(Scripted(hangs=True), QUESTION, hyde=True, queries=1, seconds=0.01) == Widened()
    assert "took too long" in caplog.text
    assert QUESTION not in caplog.text
