"""Embedding models of one's own: a tiny one made on the spot, files that are missing or broken, extras that aren't there."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
import pytest

from retrieval.embed.embedder import EmbeddingModel, LocalEmbedder, Vectors
from retrieval.embed.fastembed import fastembed_model
from retrieval.embed.onnx import onnx_model
from retrieval.errors import EmbedError
from tests.retrieval.tiny_onnx import WORDS, write_graph, write_tokenizer

TABLE = np.eye(len(WORDS), 4, dtype=np.float32) + np.array([0.0, 0.0, 0.1, 0.2], np.float32)
TABLE[WORDS.index("dogs")], TABLE[WORDS.index("boats")] = [1, 0, 0, 0], [0, 1, 0, 0]


def write_model(folder: Path, *, pooled: bool = False) -> None:
    """A graph that looks each token up in a table; with a vector a text as its output, or one a token."""
    make, number = onnx.helper, onnx.TensorProto
    nodes = [make.make_node("Gather", ["table", "input_ids"], ["states"], axis=0)]
    nodes += [make.make_node("ReduceMax", ["states"], ["pooled"], axes=[1], keepdims=0)] if pooled else []
    table = make.make_tensor("table", number.FLOAT, TABLE.shape, TABLE.ravel().tolist())
    write_graph(folder, nodes, [table], ("pooled", ["batch", 4]) if pooled else ("states", ["batch", "length", 4]))


async def embedded(model: EmbeddingModel, texts: list[str], *, question: bool = False) -> Vectors:
    with ThreadPoolExecutor(1) as thread:
        return await LocalEmbedder(model, thread, thread).embed(texts, question=question)


def mean_vector(*words: str) -> list[float]:
    mean = np.mean([TABLE[WORDS.index(word)] for word in ("[CLS]", *words, "[SEP]")], axis=0)
    return [float(value) for value in mean / np.linalg.norm(mean)]


async def test_vectors_are_the_mean_over_each_texts_own_tokens(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    write_model(tmp_path)
    model = onnx_model(tmp_path)
    assert (model.name, model.dimension) == (f"onnx:{tmp_path.name}", 4)
    vectors = await embedded(model, ["dogs boats boats boats", "dogs"])
    assert vectors[0].tolist() == pytest.approx(mean_vector("dogs", "boats", "boats", "boats"), abs=1e-6)
    assert vectors[1].tolist() == pytest.approx(mean_vector("dogs"), abs=1e-6), "padding counts for nothing"


async def test_a_model_may_give_one_vector_a_text_itself(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    write_model(tmp_path, pooled=True)
    vectors = await embedded(onnx_model(tmp_path), ["dogs"])
    most = TABLE[[WORDS.index(word) for word in ("[CLS]", "dogs", "[SEP]")]].max(axis=0)
    assert vectors[0].tolist() == pytest.approx((most / np.linalg.norm(most)).tolist(), abs=1e-6)


async def test_words_in_front_of_questions_and_of_texts(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    write_model(tmp_path)
    (tmp_path / "prompts.json").write_text(json.dumps({"query": "boats ", "text": ""}), encoding="utf-8")
    model = onnx_model(tmp_path)
    question = await embedded(model, ["dogs"], question=True)
    assert question[0].tolist() == pytest.approx(mean_vector("boats", "dogs"), abs=1e-6)
    assert (await embedded(model, ["dogs"]))[0].tolist() == pytest.approx(mean_vector("dogs"), abs=1e-6)


async def test_what_is_missing_or_broken_is_told(tmp_path: Path) -> None:
    with pytest.raises(EmbedError, match=r"holds no model\.onnx with a tokenizer\.json"):
        onnx_model(tmp_path)
    write_tokenizer(tmp_path)
    (tmp_path / "model.onnx").write_text("{", encoding="utf-8")
    with pytest.raises(EmbedError, match=r"model\.onnx can't be read as an ONNX model"):
        onnx_model(tmp_path)
    write_model(tmp_path)
    (tmp_path / "prompts.json").write_text("{", encoding="utf-8")
    with pytest.raises(EmbedError, match="isn't JSON"):
        await embedded(onnx_model(tmp_path), ["dogs"])


def test_without_its_extra_each_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tokenizer(tmp_path)
    write_model(tmp_path)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EmbedError, match=r"pip install 'frontdesk\[onnx\]'"):
        onnx_model(tmp_path)
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(EmbedError, match=r"pip install 'frontdesk\[fastembed\]'"):
        fastembed_model("some/model")
