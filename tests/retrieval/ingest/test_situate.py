"""Contexts: a summary a document, a sentence or two a chunk, written once and searched ever after."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from retrieval.document import Document
from retrieval.index.index import Entry, Index
from retrieval.ingest.situate import CONTEXT_PROMPT, SUMMARY_PROMPT, Estimate, Prompts, Situator
from retrieval.split.splitting import Splitting, chunks_of
from retrieval.text.analyse import terms
from tests.retrieval.hashing import HashingEmbedder
from tests.retrieval.split.rewriting import late

DEFAULT = Prompts()
WORDS = ["heron", "otter", "badger", "plover", "marten"]
TEXT = "\n\n".join(f"## Of the {word}?\n\nIt lives here, and it is number {at}." for at, word in enumerate(WORDS))
PAGE = Document("u", "Wildlife", TEXT, "en")


def tells(text: str) -> str:
    """A model that tells summaries and contexts apart by what it is given."""
    if "<piece>" not in text:
        return "A page on animals of the estuary."
    found = re.search(r"<piece>\n.*number (\d+)", text)
    assert found
    return f"This belongs to the\nzoological part {found[1]}."


class Scribe:
    """Counts what it is asked; `fails` says for which texts it can't write."""

    def __init__(self, answer: Callable[[str], str] = tells, fails: Callable[[str], bool] = lambda _: False) -> None:
        self.answer, self.fails = answer, fails
        self.asked: list[tuple[str, str]] = []

    async def write(self, instruction: str, text: str, most_tokens: int) -> str:
        self.asked.append((instruction, text))
        return late(text) if self.fails(text) else self.answer(text)


async def put(index: Index, document: Document = PAGE, strategy: Any = "headings") -> None:
    splitting = Splitting(strategy, child_words=20, parent_words=40)
    await index.replace(Entry("test", document, "h", chunks_of(document, splitting)))


async def contexts(index: Index) -> list[str]:
    return [row["context"] for row in await index.db.read("SELECT context FROM chunks ORDER BY document_id, position")]


async def cosines(index: Index, question: str) -> dict[int, float]:
    near = await index.nearest(question, 99)
    ids, scores = near.ids, near.cosines
    return dict(zip(ids.tolist(), scores.tolist(), strict=True))


async def run(index: Index, scribe: Scribe, prompts: Prompts = DEFAULT) -> str:
    return await Situator(index, scribe, prompts).run()


async def test_each_chunk_gets_its_context_from_the_summary_and_its_neighbours(index: Index) -> None:
    scribe = Scribe()
    await put(index)
    assert await run(index, scribe) == ""
    assert await contexts(index) == [f"This belongs to the zoological part {at}." for at in range(5)]
    (prompt, text), *others = scribe.asked
    assert prompt == SUMMARY_PROMPT
    assert PAGE.markdown in text
    assert [prompt for prompt, _ in others] == [CONTEXT_PROMPT] * 5
    assert "<before>\nIt lives here, and it is number 0.\n</before>" in others[1][1]
    assert "<after>\nIt lives here, and it is number 2.\n</after>" in others[1][1]
    assert "animals of the estuary" in others[1][1]


async def test_a_context_is_found_by_both_legs_and_shown_by_none(index: Index, embedder: HashingEmbedder) -> None:
    await put(index)
    await run(index, Scribe())
    found = (await index.keyword_scores(terms("zoological", "en", ["en"]))).best(99)
    assert len(found) == 5
    assert (
        "Wildlife\nOf the otter?\nThis belongs to the zoological part 1.\nIt lives here, and it is number 1."
        in embedder.asked
    )
    rows = await index.chunks(list(found))
    assert not [row for row in rows.values() if "zoological" in row["text"]]
    fresh = Index(index.db, embedder)
    await fresh.load()
    assert await cosines(fresh, "zoological part 3") == await cosines(index, "zoological part 3")


async def test_what_is_written_is_never_asked_again_and_a_changed_page_only_for_what_is_new(index: Index) -> None:
    await put(index)
    await run(index, Scribe())
    idle = Scribe()
    await put(index)
    assert await run(index, idle) == ""
    assert idle.asked == []
    await put(index, replace(PAGE, markdown=f"## Of the newt?\n\nIt is number 9.\n\n{PAGE.markdown}"))
    again = Scribe()
    await run(index, again)
    assert len(again.asked) == 2
    assert await contexts(index) == [f"This belongs to the zoological part {at}." for at in (9, 0, 1, 2, 3, 4)]


async def test_a_run_that_is_broken_off_goes_on_where_it_was(index: Index) -> None:
    await put(index)
    scribe = Scribe(
        fails=lambda text: "<piece>" in text and "number 3" in text.partition("<piece>")[2].partition("</piece>")[0]
    )
    note = await run(index, scribe)
    assert note.startswith("1 chunks have no context yet, the next crawl asks again: ")
    assert "TimeoutError" in note
    again = Scribe()
    assert await run(index, again) == ""
    assert len(again.asked) == 1
    assert all(await contexts(index))


async def test_a_run_that_is_cancelled_keeps_what_it_had(index: Index) -> None:
    many = "\n\n".join(f"## Of the {at}?\n\nIt is number {at}." for at in range(40))
    await put(index, replace(PAGE, markdown=many))
    reached = asyncio.Event()

    class Slow(Scribe):
        async def write(self, instruction: str, text: str, most_tokens: int) -> str:
            if len(self.asked) > 20:
                reached.set()
                await asyncio.Event().wait()
            return await super().write(instruction, text, most_tokens)

    task = asyncio.create_task(run(index, Slow()))
    await reached.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert len(list(filter(None, await contexts(index)))) == 16
    again = Scribe()
    await run(index, again)
    assert len(again.asked) == 24
    assert all(await contexts(index))


async def test_a_model_out_of_reach_is_left_alone_after_three_documents(index: Index) -> None:
    for at in range(6):
        await put(index, replace(PAGE, url=f"u{at}"))
    scribe = Scribe(fails=lambda _: True)
    assert (await run(index, scribe)).startswith("30 chunks")
    assert len(scribe.asked) == 3


@pytest.mark.parametrize("answer", ["", "  ", "word " * 400])
async def test_an_answer_that_is_no_context_is_not_stored(index: Index, answer: str) -> None:
    await put(index)
    note = await run(index, Scribe(lambda text: answer if "<piece>" in text else "A summary."))
    assert note.startswith("5 chunks")
    assert await contexts(index) == [""] * 5


async def test_other_prompts_write_everything_anew(index: Index) -> None:
    await put(index)
    await run(index, Scribe())
    scribe = Scribe(lambda text: "Other words.")
    await run(index, scribe, Prompts(summary="Sum up.", context="Place it."))
    assert {prompt for prompt, _ in scribe.asked} == {"Sum up.", "Place it."}
    assert await contexts(index) == ["Other words."] * 5
    assert (await index.keyword_scores(terms("zoological", "en", ["en"]))).best(99) == {}


async def test_the_cost_is_told_before_the_first_call(index: Index) -> None:
    await put(index)
    scribe = Scribe()
    told: list[tuple[Estimate, int]] = []
    situator = Situator(index, scribe, Prompts())
    await situator.run(lambda estimate: told.append((estimate, len(scribe.asked))))
    ((estimate, before),) = told
    assert before == 0
    assert estimate.calls == len(scribe.asked) == 6
    assert estimate.tokens_in > 6 * 50
    assert re.fullmatch(r"needs 6 calls, about [\d,]+ tokens in, [\d,]+ out", str(estimate))
    await situator.run(lambda estimate: told.append((estimate, len(scribe.asked))))
    assert len(told) == 1


@pytest.mark.parametrize("strategy", ["headings", "small2big"])
async def test_contexts_work_with_each_splitter(index: Index, strategy: str) -> None:
    text = " ".join(f"Sentence number {at} tells of it." for at in range(30))
    await put(index, replace(PAGE, markdown=text), strategy)
    await run(index, Scribe(lambda text: "Of the heron." if "<piece>" in text else "A summary."))
    assert set(await contexts(index)) == {"Of the heron."}
    rows = await index.db.read("SELECT parent_id FROM chunks")
    assert all(row["parent_id"] for row in rows) == (strategy == "small2big")
