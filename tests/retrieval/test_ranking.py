"""Fusion, cut-offs, floor, packing and measures: by their values, and over a small index."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from retrieval.db import Database
from retrieval.document import Document, Found, Hit
from retrieval.errors import RetrievalError
from retrieval.index.index import Entry, Index
from retrieval.search.evaluate import Outcome, Question, evaluate, measures, placed, read_questions
from retrieval.search.floor import Levels, Signs, above, calibrate, confidence, stored, verdict
from retrieval.search.fuse import rrf, standard, weighted
from retrieval.search.search import Options, pack, search
from retrieval.search.spread import spread
from retrieval.split.by_headings import split
from tests.retrieval.hashing import HashingEmbedder

PAGES = {
    "bags": "# Dry bags\n\n## 20 litres\n\nThe bag TT-DB-20 costs £24.\n\n## 30 litres\n\nThe bag TT-DB-30 costs £29.",
    "dogs": "# Dogs\n\nDogs may ride in a canoe when they wear a life jacket.",
    "hours": "# Opening hours\n\nWe open at nine and close at six from April to October.",
}


@pytest.fixture
async def filled(index: Index) -> Index:
    for name, text in PAGES.items():
        document = Document(f"https://x.example/{name}", text.split("\n")[0][2:], text, "en")
        await index.replace(Entry("test", document, name, split(document)))
    await index.refresh()
    return index


def test_reciprocal_ranks_are_summed_with_k_60_and_ranks_from_1() -> None:
    assert rrf([[7, 8], [8]]) == pytest.approx({7: 1 / 61, 8: 1 / 62 + 1 / 61})


def test_score_fusion_weighs_both_legs_and_trusts_words_as_far_as_they_cover_the_question() -> None:
    words, coverage, vectors = np.array([2.0, -1.0]), np.array([0.5, 0.0]), np.array([1.0, 3.0])
    assert weighted(words, coverage, vectors, share=0.25) == pytest.approx([0.25 + 0.75, 2.25])
    assert standard(np.array([3.0, 1.0]), 1.0, 2.0) == pytest.approx([1.0, 0.0])
    assert standard(np.array([1.0]), 1.0, 0.0) == pytest.approx([0.0]), "an index where all are alike"


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "keyword"])
async def test_each_mode_shows_its_own_legs(filled: Index, mode: str) -> None:
    found = await search(filled, "dogs in a canoe", Options(mode=mode, threshold=0.1), Levels())  # type: ignore[arg-type]
    first = found.hits[0]
    assert first.url.endswith("/dogs")
    assert (first.keyword is None) == (mode == "semantic")
    assert (first.semantic is None) == (mode == "keyword")


async def test_identifiers_tell_near_twins_apart(filled: Index) -> None:
    for size, price in (("20", "£24"), ("30", "£29")):
        found = await search(filled, f"price of TT-DB-{size}", Options(mode="keyword"), Levels())
        assert price in found.hits[0].text


async def test_each_leg_has_its_own_cut_off(filled: Index) -> None:
    loose = await search(filled, "dogs bag", Options(mode="keyword", threshold=0.0), Levels())
    strict = await search(filled, "dogs bag", Options(mode="keyword", threshold=1.0), Levels())
    assert len(loose.hits) > len(strict.hits) == 1
    none = await search(filled, "zebra", Options(mode="semantic", threshold=1.0), Levels())
    assert (none.hits, none.verdict) == ((), "nothing")


async def test_fusion_orders_and_never_overwrites_the_legs_scores(filled: Index) -> None:
    scores = await search(filled, "dogs in a canoe", Options(fusion="zscore"), Levels())
    ranks = await search(filled, "dogs in a canoe", Options(fusion="rrf"), Levels())
    legs = [{hit.chunk_id: (hit.semantic, hit.keyword) for hit in one.hits} for one in (scores, ranks)]
    assert legs[0] == legs[1]
    assert scores.confidence == ranks.confidence


async def test_a_typo_finds_what_was_meant(filled: Index) -> None:
    found = await search(filled, "canoo for dogs", Options(mode="keyword"), Levels())
    assert found.hits[0].url.endswith("/dogs")
    assert found.hits[0].coverage > 0.9


async def test_an_empty_index_finds_nothing(index: Index) -> None:
    found = await search(index, "anything", Options(), Levels())
    assert (found.hits, found.verdict, found.confidence) == ((), "nothing", 0.0)


async def test_the_floor_is_measured_on_the_index_and_stored_with_the_model(filled: Index) -> None:
    assert await stored(filled) == Levels()
    measured = await calibrate(filled)
    assert 0 < measured.of("en") < 1
    assert measured.of("de") != measured.of("en")
    assert measured.of("xx") == pytest.approx(sum(measured.by_language.values()) / len(measured.by_language))
    assert await stored(filled) == measured


def test_confidence_rises_with_meaning_with_words_and_with_codes_that_are_held() -> None:
    def sure(mode: str, cosine: float, coverage: float, exact: int = 0) -> float:
        return confidence(mode, Signs(cosine, coverage, exact), 0.2)

    assert sure("hybrid", 0.5, 0.9) > sure("hybrid", 0.3, 0.9)
    assert sure("hybrid", 0.5, 0.9) > sure("hybrid", 0.5, 0.1)
    assert sure("hybrid", 0.5, 0.5, 1) > sure("hybrid", 0.5, 0.5) > sure("hybrid", 0.5, 0.5, -1)
    assert sure("keyword", 0.0, 1.0) > 0.9 > 0.3 > sure("keyword", 0.9, 0.0)
    assert sure("semantic", 0.2, 0.0) < 0.5 < sure("semantic", 0.5, 0.0)


def test_a_level_that_lies_high_leaves_less_room_above_it() -> None:
    assert above(0.2, 0.2) == 0.0
    assert above(0.9, 0.8) == pytest.approx(above(0.6, 0.2))
    assert above(1.0, 1.0) == 0.0


@pytest.mark.parametrize(
    ("sure", "word"), [(0.49, "nothing"), (0.5, "uncertain"), (0.64, "uncertain"), (0.65, "answerable")]
)
def test_a_verdict_has_three_zones(sure: float, word: str) -> None:
    assert verdict(sure, 0.5) == word
    assert verdict(sure, 0.5, exact=-1) in ("nothing", "uncertain"), "a code that stands nowhere is never answerable"


def hit(tokens: int, number: int, document: str = "d") -> Hit:
    return Hit(number, document, "u", "t", (), "text", tokens, 1.0)


def test_one_page_has_its_share_of_the_first_hits_while_others_are_left() -> None:
    order = [hit(1, at, document) for at, document in enumerate("aaaabacb")]
    for k, per_page, expected in (
        (5, 2, [0, 1, 4, 6, 7]),  # a a b c b
        (7, 2, [0, 1, 4, 6, 7, 2, 3]),
        (8, 1, [0, 4, 6, 1, 2, 3, 5, 7]),
        (3, 9, [0, 1, 2]),
    ):
        assert [item.chunk_id for item in spread(order, k, per_page)] == expected, (k, per_page)


async def test_a_page_alone_keeps_all_its_hits(filled: Index) -> None:
    for number in range(6):
        text = f"# Lamp\n\n## Part {number}\n\nThe lamp shines, says part {number}."
        document = Document(f"https://x.example/{number if number > 4 else 'lamps'}", "Lamps", text, "en")
        chunks = split(document) * (1 if number > 4 else 5)
        await filled.replace(Entry("test", document, str(number), chunks))
    await filled.refresh()
    options = Options(mode="keyword", k=4, per_page=2, threshold=0.0)
    found = await search(filled, "lamp shines", options, Levels())
    assert [hit.url.rpartition("/")[2] for hit in found.hits] == ["lamps", "lamps", "5", "lamps"]


def test_packing_skips_what_does_not_fit_and_tries_the_next() -> None:
    assert [item.chunk_id for item in pack([hit(50, 1), hit(70, 2), hit(40, 3), hit(10, 4)], 100)] == [1, 3, 4]
    assert pack([hit(50, 1)], 10) == []


def outcome(relevant: tuple[str, ...], ranked: tuple[str, ...], *, passed: bool = True, sure: float = 0.9) -> Outcome:
    return Outcome(Question("q", "q", relevant, answerable=bool(relevant)), ranked, sure, passed)


def test_measures_count_documents_and_judge_the_floor() -> None:
    figures = measures(
        [
            outcome(("a",), ("a", "b")),
            outcome(("b",), ("a", "b"), sure=0.6),
            outcome(("c",), ("a", "b"), passed=False, sure=0.3),
            outcome((), ("a",), passed=False, sure=0.1),
            outcome((), ("a",), sure=0.5),
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
    question = placed([Question("1", "q", ("/a/index.html", "id-7"))], ["https://x.example/demo/"])[0]
    assert question.relevant == ("https://x.example/demo/a/index.html", "id-7")
    one = Outcome(question, ("https://x.example/demo/b/index.html", "https://x.example/demo/a/"), 1.0, True)
    assert one.rank == 2


async def test_questions_are_read_and_asked_with_the_one_before(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text(
        json.dumps({"id": "1", "question": "and two?", "after": "how much?", "relevant": ["u"]}) + "\n\n",
        encoding="utf-8",
    )

    async def asked(question: str, before: str) -> Found:
        assert (question, before) == ("and two?", "how much?")
        return Found(question, (hit(5, 1),), "answerable", 0.8, 0.5, "hybrid", 1.0)

    assert [item.rank for item in await evaluate(read_questions(file), asked)] == [1]
    file.write_text('{"id": 1}\n', encoding="utf-8")
    with pytest.raises(RetrievalError, match=r"q\.jsonl:1"):
        read_questions(file)


async def test_without_vectors_words_decide_what_is_found(db: Database) -> None:
    index = Index(db, HashingEmbedder())
    await index.load()
    document = Document("https://x.example/dogs", "Dogs", PAGES["dogs"], "en")
    bare = Index(db, None)
    await bare.load()
    await bare.replace(Entry("test", document, "dogs", split(document)))
    await index.load()
    found = await search(index, "dogs in a canoe with a life jacket", Options(), Levels())
    alone = await search(bare, "dogs in a canoe with a life jacket", Options(mode="keyword"), Levels())
    assert (found.verdict, found.confidence) == (alone.verdict, alone.confidence)
    assert found.verdict == "answerable"


async def test_while_vectors_are_made_a_page_without_one_is_answered_by_its_words(db: Database) -> None:
    index, bare = Index(db, HashingEmbedder()), Index(db, None)
    for at, (name, text) in enumerate(PAGES.items()):
        document = Document(f"https://x.example/{name}", name, text, "en")
        await (index if at else bare).replace(Entry("test", document, name, split(document)))
    await index.load()
    assert 0 < len(index.meaning) < len(index)
    question = "what does the bag TT-DB-20 cost"
    some = await search(index, question, Options(), Levels({"en": 0.9}))
    assert some.verdict == "answerable"
    assert some.hits[0].url.endswith("/bags")
