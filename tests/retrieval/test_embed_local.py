"""Embedding models of one's own: a tiny one made on the spot, files that are missing or broken, extras that aren't there."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
import pytest

from retrieval.embed.embedder import LocalEmbedder, Model, Vectors
from retrieval.embed.fastembed import fastembed_model
from retrieval.embed.onnx import onnx_model
from retrieval.errors import EmbedError
from tests.retrieval.test_rerank_local import WORDS, tokenizer

TABLE = np.eye(len(WORDS), 4, dtype=np.float32) + np.array([0.0, 0.0, 0.1, 0.2], np.float32)
TABLE[WORDS.index("dogs")], TABLE[WORDS.index("boats")] = [1, 0, 0, 0], [0, 1, 0, 0]


def model(folder: Path, *, pooled: bool = False) -> None:
    """A graph that looks each token up in a table; with a vector a text as its output, or one a token."""
    make, number = onnx.helper, onnx.TensorProto
    nodes = [make.make_node("Gather", ["table", "input_ids"], ["states"], axis=0)]
    nodes += [make.make_node("ReduceMax", ["states"], ["pooled"], axes=[1], keepdims=0)] if pooled else []
    name = "pooled" if pooled else "states"
    shape: list[str | int | None] = ["batch", 4] if pooled else ["batch", "length", 4]
    graph = make.make_graph(
        nodes,
        "tiny",
        [make.make_tensor_value_info("input_ids", number.INT64, ["batch", "length"])],
        [make.make_tensor_value_info(name, number.FLOAT, shape)],
        [make.make_tensor("table", number.FLOAT, TABLE.shape, TABLE.ravel().tolist())],
    )
    onnx.save(make.make_model(graph, opset_imports=[make.make_opsetid("", 17)], ir_version=8), folder / "model.onnx")


async def embedded(made: Model, texts: list[str], *, question: bool = False) -> Vectors:
    with ThreadPoolExecutor(1) as thread:
        return await LocalEmbedder(made, thread, thread).embed(texts, question=question)


def unit(*words: str) -> list[float]:
    mean = np.mean([TABLE[WORDS.index(word)] for word in ("[CLS]", *words, "[SEP]")], axis=0)
    return [float(value) for value in mean / np.linalg.norm(mean)]


async def test_vectors_are_the_mean_over_each_texts_own_tokens(tmp_path: Path) -> None:
    tokenizer(tmp_path)
    model(tmp_path)
    made = onnx_model(tmp_path)
    assert (made.name, made.dimension) == (f"onnx:{tmp_path.name}", 4)
    vectors = await embedded(made, ["dogs boats boats boats", "dogs"])
    assert vectors[0].tolist() == pytest.approx(unit("dogs", "boats", "boats", "boats"), abs=1e-6)
    assert vectors[1].tolist() == pytest.approx(unit("dogs"), abs=1e-6), "padding counts for nothing"


async def test_a_model_may_give_one_vector_a_text_itself(tmp_path: Path) -> None:
    tokenizer(tmp_path)
    model(tmp_path, pooled=True)
    vectors = await embedded(onnx_model(tmp_path), ["dogs"])
    most = TABLE[[WORDS.index(word) for word in ("[CLS]", "dogs", "[SEP]")]].max(axis=0)
    assert vectors[0].tolist() == pytest.approx((most / np.linalg.norm(most)).tolist(), abs=1e-6)


async def test_words_in_front_of_questions_and_of_texts(tmp_path: Path) -> None:
    tokenizer(tmp_path)
    model(tmp_path)
    (tmp_path / "prompts.json").write_text(json.dumps({"query": "boats ", "text": ""}), encoding="utf-8")
    made = onnx_model(tmp_path)
    assert (await embedded(made, ["dogs"], question=True))[0].tolist() == pytest.approx(unit("boats", "dogs"), abs=1e-6)
    assert (await embedded(made, ["dogs"]))[0].tolist() == pytest.approx(unit("dogs"), abs=1e-6)


async def test_what_is_missing_or_broken_is_told(tmp_path: Path) -> None:
    with pytest.raises(EmbedError, match=r"holds no model\.onnx with a tokenizer\.json"):
        onnx_model(tmp_path)
    tokenizer(tmp_path)
    (tmp_path / "model.onnx").write_text("{", encoding="utf-8")
    with pytest.raises(EmbedError, match=r"model\.onnx can't be read as an ONNX model"):
        onnx_model(tmp_path)
    model(tmp_path)
    (tmp_path / "prompts.json").write_text("{", encoding="utf-8")
    with pytest.raises(EmbedError, match="isn't JSON"):
        await embedded(onnx_model(tmp_path), ["dogs"])


def test_without_its_extra_each_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer(tmp_path)
    model(tmp_path)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EmbedError, match=r"pip install 'frontdesk\[onnx\]'"):
        onnx_model(tmp_path)
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(EmbedError, match=r"pip install 'frontdesk\[fastembed\]'"):
        fastembed_model("some/model")
