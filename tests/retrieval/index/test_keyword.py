"""The keyword leg: its scores are those of FTS5's own OR query, whatever was read ahead and whatever came later."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.db import Database, Row
from retrieval.document import Chunk, Document
from retrieval.index.index import Entry, Index
from retrieval.index.keyword import COLUMN_WEIGHTS, KeywordLimits, KeywordScores, is_among
from retrieval.knowledge import MIGRATIONS
from retrieval.text.analyse import Term, quoted, terms
from tests.retrieval.index.entries import entry

WORDS = ("kayak", "paddle", "harbour", "tide", "anchor", "lantern")
LARGE = KeywordLimits(small_index_chunks=0)
"""Any index counts as large."""


def asked(*words: str) -> list[Term]:
    return [Term(word, (word,)) for word in words]


async def index_of(db: Database, *texts: str, limits: KeywordLimits | None = None) -> Index:
    """An index without vectors, of one document whose chunks are these texts."""
    index = Index(db, None, keyword_limits=limits or KeywordLimits())
    await index.load()
    await index.replace(entry("u", *texts, language=""))
    await index.refresh()
    return index


async def scores_of_fts5(index: Index, words: list[str]) -> dict[int, float]:
    if not words:
        return {}
    rows = await index.db.read(
        f"SELECT rowid AS id, -bm25(chunk_words, {COLUMN_WEIGHTS}) AS score FROM chunk_words WHERE chunk_words MATCH $1",  # noqa: S608
        quoted(words),
    )
    return {row["id"]: row["score"] for row in rows}


def by_id(scores: KeywordScores) -> dict[int, float]:
    return dict(zip(scores.ids.tolist(), scores.scores.tolist(), strict=True))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), min_size=1, max_size=8),
    st.sets(st.sampled_from([*WORDS, "zebra"]), min_size=1),
    st.booleans(),
)
async def test_the_scores_are_those_of_an_or_query(
    db: Database, texts: list[list[str]], words: set[str], large: bool
) -> None:
    index = await index_of(db, *(" ".join(text) for text in texts), limits=LARGE if large else KeywordLimits())
    await index.keyword_leg.read_ahead()
    frequency = index.keyword_leg.chunk_frequency
    telling = [word for word in sorted(words) if not large or frequency.get(word, 0) <= 0.5 * len(index)]
    assert by_id(await index.keyword_scores(asked(*telling))) == pytest.approx(
        await scores_of_fts5(index, telling), rel=1e-5, abs=1e-5
    )


async def test_chunks_that_came_after_the_last_count_are_found_in_a_large_index_too(db: Database) -> None:
    index = await index_of(db, "kayak one", "paddle", "tide", "anchor", limits=LARGE)
    before = await index.keyword_scores(asked("kayak"))
    await index.replace(entry("v", "kayak two"))
    after = await index.keyword_scores(asked("kayak"))
    assert len(before.ids) == 1
    assert len(after.ids) == 2
    assert list(after.ids) == sorted(after.ids)


async def test_in_a_small_index_a_change_is_seen_at_once(db: Database) -> None:
    index = await index_of(db, "kayak")
    assert len((await index.keyword_scores(asked("kayak"))).ids) == 1
    await index.replace(entry("u", "canoe"))
    assert len((await index.keyword_scores(asked("kayak"))).ids) == 0


async def test_a_word_of_most_chunks_says_nothing_in_a_large_index(db: Database) -> None:
    index = await index_of(db, "boat kayak", "boat tide", "boat anchor", limits=KeywordLimits(small_index_chunks=2))
    assert len((await index.keyword_scores(asked("boat"))).ids) == 0
    assert len((await index.keyword_scores(asked("kayak"))).ids) == 1


async def test_coverage_is_the_share_of_the_words_by_rarity(db: Database) -> None:
    index = await index_of(db, "kayak paddle", "kayak", "tide")
    scores = await index.keyword_scores(asked("kayak", "paddle"))
    weights = {term.text: weight for term, weight in scores.weights.items()}
    assert weights["paddle"] > weights["kayak"]
    rare = weights["paddle"] / sum(weights.values())
    assert scores.coverage(scores.ids).tolist() == pytest.approx([1.0, 1 - rare])
    assert scores.coverage(np.array([999])).tolist() == [0.0]


async def test_a_term_is_held_in_any_of_its_forms(db: Database) -> None:
    index = await index_of(db, "kayak", "canoe", "tide")
    scores = await index.keyword_scores([Term("boat", ("kayak", "canoe"))])
    assert scores.coverage(scores.ids).tolist() == [1.0, 1.0]


async def test_mean_and_deviation_count_all_chunks(db: Database) -> None:
    index = await index_of(db, "kayak", "tide", "anchor", "lantern")
    scores = await index.keyword_scores(asked("kayak"))
    score = float(scores.scores[0])
    assert scores.mean == pytest.approx(score / 4)
    assert scores.deviation == pytest.approx((score**2 / 4 - (score / 4) ** 2) ** 0.5)


async def test_no_words_reach_nothing(index: Index) -> None:
    scores = await index.keyword_scores([])
    assert (len(scores.ids), scores.best(5), scores.of(np.array([1])).tolist()) == (0, {}, [0.0])


def test_the_best_come_first_and_ties_by_id() -> None:
    scores = KeywordScores(np.array([3, 5, 9]), np.array([1.0, 2.0, 1.0], np.float32), 0.0, 1.0, {}, {})
    assert list(scores.best(2)) == [5, 3]
    assert scores.of(np.array([9, 4, 5])).tolist() == [1.0, 0.0, 2.0]
    assert by_id(scores.only(np.array([5, 7, 9]))) == {5: 2.0, 9: 1.0}
    assert is_among(np.array([5, 6]), np.array([3, 5])).tolist() == [True, False]


async def test_what_is_kept_stays_within_its_bound(db: Database) -> None:
    limits = KeywordLimits(kept_postings=3, forms_a_question=1)
    index = await index_of(db, *WORDS, *WORDS, limits=limits)
    for word in WORDS:
        assert len((await index.keyword_scores(asked(word))).ids) == 2
    assert 0 < index.keyword_leg.nbytes <= 3 * 12


async def test_words_that_are_read_in_one_question_do_not_push_each_other_out(db: Database) -> None:
    limits = KeywordLimits(kept_postings=3, forms_a_question=4)
    index = await index_of(db, *WORDS, *WORDS, limits=limits)
    for word in WORDS[:2]:
        await index.keyword_scores(asked(word))
    scores = await index.keyword_scores(asked(WORDS[0], *WORDS[2:5]))
    assert {term.text: len(ids) for term, ids in scores.holding.items()} == dict.fromkeys((WORDS[0], *WORDS[2:5]), 2)


class PausedDatabase(Database):
    """A database whose scores are read at once but given only when they are let go."""

    def pause(self) -> None:
        self.scores_read, self.let_go = asyncio.Event(), asyncio.Event()

    async def read(self, sql: str, *args: object) -> list[Row]:
        rows = await super().read(sql, *args)
        if "bm25" in sql:
            self.scores_read.set()
            await self.let_go.wait()
        return rows


async def test_what_was_read_before_a_change_is_not_kept_after_it(tmp_path: Path) -> None:
    async with PausedDatabase.opened(tmp_path / "k.db", MIGRATIONS, "retrieval") as paused:
        assert isinstance(paused, PausedDatabase)
        paused.pause()
        async with paused.write() as tx:
            await tx.run("INSERT INTO sources (id, kind, added_at) VALUES ('test', 'upload', '')")
        index = await index_of(paused, "kayak")
        reading = asyncio.create_task(index.keyword_scores(asked("kayak")))
        await paused.scores_read.wait()
        await index.replace(entry("v", "kayak"))
        paused.let_go.set()
        await reading
        assert len((await index.keyword_scores(asked("kayak"))).ids) == 2


async def test_a_question_of_the_corpus_is_found_by_its_own_analysis(index: Index) -> None:
    await index.replace(Entry("test", Document("u", "", "", "en"), "1", [Chunk("Paddling kayaks in harbours", (), 9)]))
    await index.refresh()
    assert len((await index.keyword_scores(terms("harbour paddle", "en", ["en"]))).ids) == 1


async def test_a_code_at_the_end_of_a_long_question_is_looked_up(db: Database) -> None:
    index = await index_of(db, "tt_db_20 dry bag", "kayak")
    long = [Term(f"word{at}", (f"word{at}a", f"word{at}b", f"word{at}c")) for at in range(40)]
    code = Term("tt_db_20", ("tt_db_20",), identifier=True)
    scores = await index.keyword_scores([*long, code])
    assert len(scores.holding[code]) == 1
    assert sum(len(term.forms) for term in scores.weights) <= 32, "what isn't looked up counts for nothing"
    assert set(scores.holding) == set(scores.weights)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    st.text(max_size=80)
    | st.sampled_from(['"', "a AND", "NEAR(a b)", "*", "title:x", "-x", "^a", "a*b", "x OR", "()", "'; --"])
)
async def test_whatever_a_visitor_types_is_never_read_as_syntax(index: Index, text: str) -> None:
    (await index.keyword_scores(terms(text, "en", ["en"]))).best(99)
