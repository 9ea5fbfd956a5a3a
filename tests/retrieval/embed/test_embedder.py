"""Running a model in threads: order, what is known or kept, and the helpers that all providers share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import numpy as np
import pytest

from retrieval.embed.embedder import (
    KEPT_QUESTIONS,
    EmbeddingModel,
    Encode,
    LocalEmbedder,
    Vectors,
    batches,
    by_length,
    local_embedder,
    unit,
)


class Lengths:
    """A model whose vector of a text is its length and nought; it keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, bool]] = []

    def __call__(self, texts: Sequence[str], language: str, question: bool) -> Vectors:
        self.asked += [(text, language, question) for text in texts]
        return np.array([[len(text), 0.0] for text in texts], np.float32)


@asynccontextmanager
async def embedder_of(encode: Encode, known: Mapping[str, Vectors] | None = None) -> AsyncIterator[LocalEmbedder]:
    async with local_embedder(EmbeddingModel("lengths", 2, 1.0, lambda: encode, lambda: known or {})) as embedder:
        yield embedder


async def test_texts_come_back_in_their_order_whatever_their_length() -> None:
    lengths = Lengths()
    async with embedder_of(lengths) as embedder:
        texts = ["x" * size for size in (5, 1, 9, 3, 7, 2, 8, 4, 6, 30, 20, 10)]
        vectors = await embedder.embed(texts, language="de")
        assert vectors[:, 0].tolist() == [float(len(text)) for text in texts]
        assert sorted(lengths.asked) == sorted((text, "de", False) for text in texts)
        assert (await embedder.embed([])).shape == (0, 2)


async def test_known_questions_need_no_model() -> None:
    def load() -> Encode:
        raise AssertionError("the model was loaded")

    known = {"a?": np.array([1.0, 0.0], np.float32), "b?": np.array([0.0, 1.0], np.float32)}
    with ThreadPoolExecutor(1) as threads:
        embedder = LocalEmbedder(EmbeddingModel("known", 2, 1.0, load, lambda: known), threads, threads)
        assert (await embedder.embed(["b?", "a?"], question=True)).tolist() == [[0.0, 1.0], [1.0, 0.0]]
        with pytest.raises(AssertionError, match="was loaded"):
            await embedder.embed(["b?", "c?"], question=True)


async def test_a_question_that_is_asked_again_is_embedded_once() -> None:
    lengths = Lengths()
    async with embedder_of(lengths) as embedder:
        for _ in range(3):
            await embedder.embed(["open?"], language="en", question=True)
        await embedder.embed(["open?"], language="de", question=True)
        await embedder.embed(["open?"], language="en")
        assert lengths.asked == [("open?", "en", True), ("open?", "de", True), ("open?", "en", False)]
        for at in range(KEPT_QUESTIONS):
            await embedder.embed([f"{at}?"], language="en", question=True)
        await embedder.embed(["open?"], language="en", question=True)
        assert lengths.asked.count(("open?", "en", True)) == 2, "only the last ones are kept"


def test_vectors_are_brought_to_unit_length_and_zeros_stay() -> None:
    vectors = unit(np.array([[3.0, 4.0], [0.0, 0.0]], np.float32))
    assert vectors.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0.0, 0.0]]
    assert vectors.dtype == np.float32


def test_batches_hold_at_most_so_many_in_order() -> None:
    assert list(batches("abcde", 2)) == ["ab", "cd", "e"]
    assert list(batches([], 2)) == []
    assert by_length(["ccc", "a", "bb"]) == [1, 2, 0]
