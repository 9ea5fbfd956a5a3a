"""The bundled models: their vectors by what they are near to, and the files that come with the code."""

from __future__ import annotations

import numpy as np
import pytest

from retrieval.embed.bundled import BundledModels, language_means, off_topic_vectors
from retrieval.text.off_topic import off_topic


@pytest.fixture(scope="module")
def models() -> BundledModels:
    return BundledModels()


def test_vectors_of_english_and_of_other_languages(models: BundledModels) -> None:
    english = models.encode(["How do I return my order?"], "en", True)
    german = models.encode(["Wie schicke ich meine Bestellung zurück?"], "de", True)
    texts = ["You may send your order back within 30 days.", "The harbour office is open on Mondays."]
    chunks = models.encode(texts, "en", False)
    assert np.linalg.norm(np.concatenate([english, german, chunks]), axis=1) == pytest.approx(1.0, abs=1e-5)
    assert not german[0, :384].any(), "the English model has no part in other languages"
    for question in (english, german):
        right, wrong = chunks @ question[0]
        assert right > wrong + 0.1


def test_the_vectors_that_come_with_the_code_are_those_of_the_models(models: BundledModels) -> None:
    known = off_topic_vectors()
    assert len(known) == len({question for questions in off_topic().values() for question in questions})
    for language, at in (("en", 57), ("de", 3), ("ja", 7)):
        question = off_topic()[language][at]
        assert known[question] @ models.encode([question], language, True)[0] == pytest.approx(1.0, abs=1e-3)


def test_the_means_that_come_with_the_code_are_those_of_the_model(models: BundledModels) -> None:
    for kind in ("question", "text"):
        mean = models.e5_vectors(off_topic()["es"][:20], kind == "question").mean(axis=0)
        assert language_means()[f"es.{kind}"] == pytest.approx(mean, abs=1e-3)
