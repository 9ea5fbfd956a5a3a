"""Cross-encoders that run here: a tiny model made on the spot, files that are missing or broken, extras that aren't there."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from retrieval.errors import RerankError
from retrieval.search.rerank.fastembed import DEFAULT_CROSS_ENCODER, fastembed_reranker
from retrieval.search.rerank.local import SCORED_TEXTS, local_reranker
from retrieval.search.rerank.onnx import onnx_reranker
from tests.retrieval.tiny_onnx import WORDS, write_graph, write_tokenizer


def write_model(folder: Path, classes: int = 1, name: str = "input_ids") -> None:
    """A graph whose logit is how often "dogs" stands in a pair, less one half; with two classes the first is nought."""
    onnx = pytest.importorskip("onnx")
    make, number = onnx.helper, onnx.TensorProto
    nodes = [
        make.make_node("Equal", [name, "dogs"], ["same"]),
        make.make_node("Cast", ["same"], ["ones"], to=number.FLOAT),
        make.make_node("ReduceSum", ["ones", "axis"], ["sum"], keepdims=1),
        make.make_node("Sub", ["sum", "half"], ["one"]),
        make.make_node("Mul", ["one", "columns"], ["logits"]),
    ]
    constants = [
        make.make_tensor("dogs", number.INT64, [], [WORDS.index("dogs")]),
        make.make_tensor("axis", number.INT64, [1], [1]),
        make.make_tensor("half", number.FLOAT, [], [0.5]),
        make.make_tensor("columns", number.FLOAT, [classes], [0.0] * (classes - 1) + [1.0]),
    ]
    write_graph(folder, nodes, constants, ("logits", ["batch", classes]), name)


async def test_texts_are_scored_in_batches_of_like_lengths_and_come_back_in_their_order() -> None:
    batches: list[list[int]] = []

    def score_texts(question: str, texts: Sequence[str]) -> list[float]:
        batches.append([len(text) for text in texts])
        return [float(len(text)) for text in texts]

    texts = ["x" * (at * 7 % 25) for at in range(25)]
    async with local_reranker("lengths", lambda: score_texts) as reranker:
        assert await reranker.score("q", texts) == [float(len(text)) for text in texts]
    assert [len(batch) for batch in batches] == [SCORED_TEXTS, SCORED_TEXTS, 5]
    assert [length for batch in batches for length in batch] == sorted(len(text) for text in texts)


@pytest.mark.parametrize("classes", [1, 2])
async def test_a_model_in_a_folder_gives_a_logit_a_text_in_their_order(tmp_path: Path, classes: int) -> None:
    write_tokenizer(tmp_path)
    write_model(tmp_path, classes)
    texts = ["boats " * at + "dogs " * (at % 3) for at in range(25)]
    async with onnx_reranker(tmp_path) as reranker:
        assert await reranker.score("canoes", texts) == [at % 3 - 0.5 for at in range(25)]
        assert reranker.name == tmp_path.name


async def test_a_long_text_is_cut_and_the_question_is_not(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    write_model(tmp_path)
    async with onnx_reranker(tmp_path) as reranker:
        scores = await reranker.score("dogs dogs", ["dogs " * 2000, "boats"])
    assert scores == [512 - 3 - 0.5, 1.5]


async def test_a_model_that_is_no_cross_encoder_is_told(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    write_model(tmp_path, classes=3)
    async with onnx_reranker(tmp_path) as reranker:
        with pytest.raises(RerankError, match="no cross-encoder"):
            await reranker.score("dogs", ["boats"])
    write_model(tmp_path, name="pixels")
    async with onnx_reranker(tmp_path) as reranker:
        with pytest.raises(RerankError, match="asks for pixels"):
            await reranker.score("dogs", ["boats"])


async def test_broken_files_are_told(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    write_model(tmp_path)
    for name, sentence in (("tokenizer.json", "is no tokenizer"), ("model.onnx", "is no model")):
        (tmp_path / name).write_text("{", encoding="utf-8")
        async with onnx_reranker(tmp_path) as reranker:
            with pytest.raises(RerankError, match=rf"{name}: {sentence}"):
                await reranker.score("dogs", ["boats"])


async def test_a_missing_file_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    with pytest.raises(RerankError, match=r"model\.onnx: there is no such file; rerank_path is a folder"):
        async with onnx_reranker(tmp_path):
            pass
    (tmp_path / "model.onnx").write_bytes(b"")
    with pytest.raises(RerankError, match=r"tokenizer\.json: there is no such file"):
        async with onnx_reranker(tmp_path):
            pass


async def test_a_missing_onnx_extra_is_told_by_the_settings_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(RerankError, match=r"^retrieval\.rerank is onnx, but .*frontdesk\[onnx\]"):
        async with onnx_reranker(tmp_path):
            pass


async def test_a_missing_fastembed_extra_is_told_by_the_settings_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(RerankError, match=r"^retrieval\.rerank is fastembed, but .*frontdesk\[fastembed\]"):
        async with fastembed_reranker("", tmp_path):
            pass


async def test_fastembed_reads_a_model_that_is_there(tmp_path: Path) -> None:
    pytest.importorskip("fastembed")
    write_tokenizer(tmp_path)
    (tmp_path / "onnx").mkdir()
    write_model(tmp_path / "onnx")
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    (tmp_path / "config.json").write_text(json.dumps({"pad_token_id": 0}), encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(special | {"model_max_length": 512}), encoding="utf-8")
    (tmp_path / "special_tokens_map.json").write_text(json.dumps(special), encoding="utf-8")
    async with fastembed_reranker("", tmp_path / "cache", tmp_path) as reranker:
        assert reranker.name == DEFAULT_CROSS_ENCODER
        assert await reranker.score("canoes", ["dogs dogs", "boats", "dogs"]) == [1.5, -0.5, 0.5]


async def test_fastembed_says_what_it_does_not_know(tmp_path: Path) -> None:
    pytest.importorskip("fastembed")
    async with fastembed_reranker("nobody/knows-this", tmp_path) as reranker:
        with pytest.raises(RerankError, match=r"nobody/knows-this: the model can't be loaded"):
            await reranker.score("dogs", ["boats"])
