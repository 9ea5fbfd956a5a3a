"""The floor: what it is measured by, and what it makes of the evidence."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.document import Document
from retrieval.embed.embedder import Embedder
from retrieval.index.index import Index
from retrieval.knowledge import Knowledge
from retrieval.search.floor import (
    FloorEvidence,
    OffTopicLevels,
    above_level,
    calibrate,
    confidence,
    stored_levels,
    verdict,
)
from retrieval.search.search import Options
from tests.retrieval.hashing import HashingEmbedder


async def test_the_floor_is_measured_on_the_index_and_stored_with_the_model(boat_hire: Index) -> None:
    assert await stored_levels(boat_hire) == OffTopicLevels()
    measured = await calibrate(boat_hire)
    assert 0 < measured.of("en") < 1
    assert measured.of("de") != measured.of("en")
    assert measured.of("xx") == pytest.approx(sum(measured.by_language.values()) / len(measured.by_language))
    assert await stored_levels(boat_hire) == measured


async def test_the_floor_is_measured_anew_when_another_model_has_taken_over(tmp_path: Path) -> None:
    async def earlier(name: str) -> Embedder | None:
        return HashingEmbedder(name)

    path = tmp_path / "k.db"
    async with Knowledge.opened(path, HashingEmbedder("old"), Options()) as knowledge:
        await knowledge.put([Document("u", "", "Kayaks.", "en")])
        assert knowledge.levels.model == "old"
    async with Knowledge.opened(path, HashingEmbedder("new"), Options(), earlier=earlier) as knowledge:
        assert knowledge.levels.model == "old"
        async with knowledge.db.write() as tx:  # killed between the last vector and the take-over
            await tx.run("INSERT INTO embeddings SELECT chunk_id, 'new', dimension, text_hash, vector FROM embeddings")
        await knowledge.catch_up()
        assert knowledge.levels.model == "new"


def test_confidence_rises_with_meaning_with_words_and_with_codes_that_are_held() -> None:
    def sure(mode: str, cosine: float, coverage: float, exact: int = 0) -> float:
        return confidence(mode, FloorEvidence(cosine, coverage, exact), 0.2)

    assert sure("hybrid", 0.5, 0.9) > sure("hybrid", 0.3, 0.9)
    assert sure("hybrid", 0.5, 0.9) > sure("hybrid", 0.5, 0.1)
    assert sure("hybrid", 0.5, 0.5, 1) > sure("hybrid", 0.5, 0.5) > sure("hybrid", 0.5, 0.5, -1)
    assert sure("keyword", 0.0, 1.0) > 0.9 > 0.3 > sure("keyword", 0.9, 0.0)
    assert sure("semantic", 0.2, 0.0) < 0.5 < sure("semantic", 0.5, 0.0)


def test_a_level_that_lies_high_leaves_less_room_above_it() -> None:
    assert above_level(0.2, 0.2) == 0.0
    assert above_level(0.9, 0.8) == pytest.approx(above_level(0.6, 0.2))
    assert above_level(1.0, 1.0) == 0.0


@pytest.mark.parametrize(
    ("sure", "word"), [(0.49, "nothing"), (0.5, "uncertain"), (0.64, "uncertain"), (0.65, "answerable")]
)
def test_a_verdict_has_three_zones(sure: float, word: str) -> None:
    assert verdict(sure, 0.5) == word
    assert verdict(sure, 0.5, exact=-1) in ("nothing", "uncertain"), "a code that stands nowhere is never answerable"
