"""The whole search over a small index: legs, cut-offs, what decides without vectors, and packing."""

from __future__ import annotations

import pytest

from retrieval.db import Database
from retrieval.document import Hit
from retrieval.index.index import Index
from retrieval.search.floor import OffTopicLevels
from retrieval.search.search import Mode, Options, pack, search
from tests.retrieval.hashing import HashingEmbedder
from tests.retrieval.search.pages import BOAT_HIRE, name_of, page, put

UNMEASURED = OffTopicLevels()


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "keyword"])
async def test_each_mode_shows_its_own_legs(boat_hire: Index, mode: Mode) -> None:
    found = await search(boat_hire, "dogs in a canoe", Options(mode=mode, threshold=0.1), UNMEASURED)
    first = found.hits[0]
    assert name_of(first) == "dogs"
    assert (first.keyword is None) == (mode == "semantic")
    assert (first.semantic is None) == (mode == "keyword")


async def test_identifiers_tell_near_twins_apart(boat_hire: Index) -> None:
    for size, price in (("20", "£24"), ("30", "£29")):
        found = await search(boat_hire, f"price of TT-DB-{size}", Options(mode="keyword"), UNMEASURED)
        assert price in found.hits[0].text


async def test_each_leg_has_its_own_cut_off(boat_hire: Index) -> None:
    loose = await search(boat_hire, "dogs bag", Options(mode="keyword", threshold=0.0), UNMEASURED)
    strict = await search(boat_hire, "dogs bag", Options(mode="keyword", threshold=1.0), UNMEASURED)
    assert len(loose.hits) > len(strict.hits) == 1
    none = await search(boat_hire, "zebra", Options(mode="semantic", threshold=1.0), UNMEASURED)
    assert (none.hits, none.verdict) == ((), "nothing")


async def test_fusion_orders_and_never_overwrites_the_legs_scores(boat_hire: Index) -> None:
    scores = await search(boat_hire, "dogs in a canoe", Options(fusion="zscore"), UNMEASURED)
    ranks = await search(boat_hire, "dogs in a canoe", Options(fusion="rrf"), UNMEASURED)
    legs = [{hit.chunk_id: (hit.semantic, hit.keyword) for hit in one.hits} for one in (scores, ranks)]
    assert legs[0] == legs[1]
    assert scores.confidence == ranks.confidence


async def test_a_typo_finds_what_was_meant(boat_hire: Index) -> None:
    found = await search(boat_hire, "canoo for dogs", Options(mode="keyword"), UNMEASURED)
    assert name_of(found.hits[0]) == "dogs"
    assert found.hits[0].coverage > 0.9


async def test_an_empty_index_finds_nothing(index: Index) -> None:
    found = await search(index, "anything", Options(), UNMEASURED)
    assert (found.hits, found.verdict, found.confidence) == ((), "nothing", 0.0)


async def test_without_vectors_words_decide_what_is_found(db: Database) -> None:
    index, bare = Index(db, HashingEmbedder()), Index(db, None)
    await index.load()
    await bare.load()
    await bare.replace(page("dogs", BOAT_HIRE["dogs"]))
    await index.load()
    question = "dogs in a canoe with a life jacket"
    found = await search(index, question, Options(), UNMEASURED)
    alone = await search(bare, question, Options(mode="keyword"), UNMEASURED)
    assert (found.verdict, found.confidence) == (alone.verdict, alone.confidence)
    assert found.verdict == "answerable"


async def test_while_vectors_are_made_a_page_without_one_is_answered_by_its_words(db: Database) -> None:
    index, bare = Index(db, HashingEmbedder()), Index(db, None)
    await put(bare, {"bags": BOAT_HIRE["bags"]})
    await put(index, {name: BOAT_HIRE[name] for name in ("dogs", "hours")})
    await index.load()
    assert 0 < len(index.semantic_leg) < len(index)
    question = "what does the bag TT-DB-20 cost"
    some = await search(index, question, Options(), OffTopicLevels({"en": 0.9}))
    assert some.verdict == "answerable"
    assert name_of(some.hits[0]) == "bags"


def test_packing_skips_what_does_not_fit_and_tries_the_next() -> None:
    def hit(tokens: int, number: int) -> Hit:
        return Hit(number, "d", "u", "t", (), "text", tokens, 1.0)

    assert [item.chunk_id for item in pack([hit(50, 1), hit(70, 2), hit(40, 3), hit(10, 4)], 100)] == [1, 3, 4]
    assert pack([hit(50, 1)], 10) == []
