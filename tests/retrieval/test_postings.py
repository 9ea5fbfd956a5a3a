"""The keyword leg: its scores are those of FTS5's own OR query, whatever was read ahead and whatever came later."""

from __future__ import annotations

import asyncio
import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.db import Database, Row
from retrieval.document import Chunk, Document
from retrieval.index.index import Entry, Index
from retrieval.index.keyword import WEIGHTS, Postings, Words, among
from retrieval.text.analyse import Term, quoted, terms

WORDS = ("kayak", "paddle", "harbour", "tide", "anchor", "lantern")
number = itertools.count()


def entry(url: str, *texts: str) -> Entry:
    chunks = [Chunk(text, (), len(text)) for text in texts]
    return Entry("test", Document(url, "", "", ""), str(next(number)), chunks)


def asked(*words: str) -> list[Term]:
    return [Term(word, (word,)) for word in words]


async def scores_of_fts5(index: Index, words: list[str]) -> dict[int, float]:
    if not words:
        return {}
    rows = await index.db.read(
        f"SELECT rowid AS id, -bm25(chunk_words, {WEIGHTS}) AS score FROM chunk_words WHERE chunk_words MATCH $1",  # noqa: S608
        quoted(words),
    )
    return {row["id"]: row["score"] for row in rows}


def found(words: Words) -> dict[int, float]:
    return dict(zip(words.ids.tolist(), words.scores.tolist(), strict=True))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), min_size=1, max_size=8),
    st.sets(st.sampled_from([*WORDS, "zebra"]), min_size=1),
    st.booleans(),
)
async def test_the_scores_are_those_of_an_or_query(
    index: Index, texts: list[list[str]], words: set[str], ahead: bool
) -> None:
    await index.replace(entry("u", *(" ".join(text) for text in texts)))
    index.postings = Postings(index.db, small=0 if ahead else 5000)
    await index.refresh()
    await index.postings.warm()
    told = [word for word in sorted(words) if not ahead or index.postings.frequency.get(word, 0) <= 0.5 * len(index)]
    assert found(await index.words(asked(*told))) == pytest.approx(
        await scores_of_fts5(index, told), rel=1e-5, abs=1e-5
    )


async def test_chunks_that_came_after_the_last_count_are_found_in_a_large_index_too(index: Index) -> None:
    await index.replace(entry("u", "kayak one", "paddle", "tide", "anchor"))
    index.postings = Postings(index.db, small=0)
    await index.refresh()
    before = await index.words(asked("kayak"))
    await index.replace(entry("v", "kayak two"))
    after = await index.words(asked("kayak"))
    assert len(before.ids) == 1
    assert len(after.ids) == 2
    assert list(after.ids) == sorted(after.ids)


async def test_in_a_small_index_a_change_is_seen_at_once(index: Index) -> None:
    await index.replace(entry("u", "kayak"))
    await index.refresh()
    assert len((await index.words(asked("kayak"))).ids) == 1
    await index.replace(entry("u", "canoe"))
    assert len((await index.words(asked("kayak"))).ids) == 0


async def test_a_word_of_most_chunks_says_nothing_in_a_large_index(index: Index) -> None:
    await index.replace(entry("u", "boat kayak", "boat tide", "boat anchor"))
    index.postings = Postings(index.db, small=2)
    await index.refresh()
    assert len((await index.words(asked("boat"))).ids) == 0
    assert len((await index.words(asked("kayak"))).ids) == 1


async def test_coverage_is_the_share_of_the_words_by_rarity(index: Index) -> None:
    await index.replace(entry("u", "kayak paddle", "kayak", "tide"))
    await index.refresh()
    words = await index.words(asked("kayak", "paddle"))
    ids = np.array(sorted(words.ids.tolist()))
    weights = {term.text: weight for term, weight in words.weights.items()}
    assert weights["paddle"] > weights["kayak"]
    rare = weights["paddle"] / sum(weights.values())
    assert words.coverage(ids).tolist() == pytest.approx([1.0, 1 - rare])
    assert words.coverage(np.array([999])).tolist() == [0.0]


async def test_a_term_is_held_in_any_of_its_forms(index: Index) -> None:
    await index.replace(entry("u", "kayak", "canoe", "tide"))
    await index.refresh()
    words = await index.words([Term("boat", ("kayak", "canoe"))])
    assert words.coverage(words.ids).tolist() == [1.0, 1.0]


async def test_mean_and_deviation_count_all_chunks(index: Index) -> None:
    await index.replace(entry("u", "kayak", "tide", "anchor", "lantern"))
    await index.refresh()
    words = await index.words(asked("kayak"))
    score = float(words.scores[0])
    assert words.mean == pytest.approx(score / 4)
    assert words.deviation == pytest.approx((score**2 / 4 - (score / 4) ** 2) ** 0.5)


async def test_no_words_reach_nothing(index: Index) -> None:
    words = await index.words([])
    assert (len(words.ids), words.best(5), words.of(np.array([1])).tolist()) == (0, {}, [0.0])


def test_the_best_come_first_and_ties_by_id() -> None:
    words = Words(np.array([3, 5, 9]), np.array([1.0, 2.0, 1.0], np.float32), 0.0, 1.0, {}, {})
    assert list(words.best(2)) == [5, 3]
    assert words.of(np.array([9, 4, 5])).tolist() == [1.0, 0.0, 2.0]
    assert among(np.array([5, 6]), np.array([3, 5])).tolist() == [True, False]


async def test_what_is_kept_stays_within_its_bound(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval.index.keyword.MOST_POSTINGS", 3)
    monkeypatch.setattr("retrieval.index.keyword.MOST_FORMS", 1)
    await index.replace(entry("u", *WORDS, *WORDS))
    await index.refresh()
    for word in WORDS:
        assert len((await index.words(asked(word))).ids) == 2
    assert index.postings.nbytes <= 3 * 12


async def test_a_question_of_the_corpus_is_found_by_its_own_analysis(index: Index) -> None:
    await index.replace(Entry("test", Document("u", "", "", "en"), "1", [Chunk("Paddling kayaks in harbours", (), 9)]))
    await index.refresh()
    assert len((await index.words(terms("harbour paddle", "en", ["en"]))).ids) == 1


async def test_words_that_are_read_in_one_question_do_not_push_each_other_out(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrieval.index.keyword.MOST_POSTINGS", 3)
    monkeypatch.setattr("retrieval.index.keyword.MOST_FORMS", 4)
    await index.replace(entry("u", *WORDS, *WORDS))
    await index.refresh()
    for word in WORDS[:2]:
        await index.words(asked(word))
    words = await index.words(asked(WORDS[0], *WORDS[2:5]))
    assert {term.text: len(ids) for term, ids in words.held.items()} == dict.fromkeys((WORDS[0], *WORDS[2:5]), 2)


class Paused:
    """A database that gives scores only when it is told to; reading has happened by then."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.read_so_far = asyncio.Event()
        self.go_on = asyncio.Event()

    async def read(self, sql: str, *args: object) -> list[Row]:
        rows = await self._db.read(sql, *args)
        if "bm25" in sql:
            self.read_so_far.set()
            await self.go_on.wait()
        return rows

    async def one(self, sql: str, *args: object) -> Row | None:
        return await self._db.one(sql, *args)


async def test_what_was_read_before_a_change_is_not_kept_after_it(index: Index) -> None:
    await index.replace(entry("u", "kayak"))
    paused = Paused(index.db)
    index.postings = Postings(paused)  # type: ignore[arg-type]
    await index.refresh()
    reading = asyncio.create_task(index.words(asked("kayak")))
    await paused.read_so_far.wait()
    await index.replace(entry("v", "kayak"))
    paused.go_on.set()
    await reading
    assert len((await index.words(asked("kayak"))).ids) == 2


async def test_a_code_at_the_end_of_a_long_question_is_looked_up(index: Index) -> None:
    await index.replace(entry("u", "tt_db_20 dry bag", "kayak"))
    await index.refresh()
    long = [Term(f"word{at}", (f"word{at}a", f"word{at}b", f"word{at}c")) for at in range(40)]
    code = Term("tt_db_20", ("tt_db_20",), identifier=True)
    words = await index.words([*long, code])
    assert len(words.held[code]) == 1
    assert sum(len(term.forms) for term in words.weights) <= 32, "what isn't looked up counts for nothing"
    assert set(words.held) == set(words.weights)
