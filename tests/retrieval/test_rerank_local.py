"""Cross-encoders that run here: a tiny model made on the spot, files that are missing or broken, extras that aren't there."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from retrieval.errors import RerankError
from retrieval.search.rerank.fastembed import MODEL, fastembed_reranker
from retrieval.search.rerank.onnx import onnx_reranker

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "dogs", "canoes", "boats"]


def tokenizer(folder: Path) -> None:
    """Words to their numbers; a pair is [CLS] question [SEP] text [SEP]."""
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    made.save(str(folder / "tokenizer.json"))


def model(folder: Path, classes: int = 1, name: str = "input_ids") -> None:
    """A graph whose logit is how often "dogs" stands in a pair, less one half; with two classes the first is nought."""
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    make, number = onnx.helper, onnx.TensorProto
    columns = [0.0] * (classes - 1) + [1.0]
    nodes = [
        make.make_node("Equal", [name, "dogs"], ["same"]),
        make.make_node("Cast", ["same"], ["ones"], to=number.FLOAT),
        make.make_node("ReduceSum", ["ones", "axis"], ["sum"], keepdims=1),
        make.make_node("Sub", ["sum", "half"], ["one"]),
        make.make_node("Mul", ["one", "columns"], ["logits"]),
    ]
    held = [
        make.make_tensor("dogs", number.INT64, [], [WORDS.index("dogs")]),
        make.make_tensor("axis", number.INT64, [1], [1]),
        make.make_tensor("half", number.FLOAT, [], [0.5]),
        make.make_tensor("columns", number.FLOAT, [classes], columns),
    ]
    given = [make.make_tensor_value_info(name, number.INT64, ["batch", "length"])]
    gives = [make.make_tensor_value_info("logits", number.FLOAT, ["batch", classes])]
    graph = make.make_graph(nodes, "tiny", given, gives, held)
    onnx.save(make.make_model(graph, opset_imports=[make.make_opsetid("", 17)], ir_version=8), folder / "model.onnx")


@pytest.mark.parametrize("classes", [1, 2])
async def test_a_model_in_a_folder_gives_a_logit_a_text_in_their_order(tmp_path: Path, classes: int) -> None:
    tokenizer(tmp_path)
    model(tmp_path, classes)
    texts = ["boats " * at + "dogs " * (at % 3) for at in range(25)]
    async with onnx_reranker(tmp_path) as reranker:
        assert await reranker.score("canoes", texts) == [at % 3 - 0.5 for at in range(25)]
        assert reranker.name == tmp_path.name


async def test_a_long_text_is_cut_and_the_question_is_not(tmp_path: Path) -> None:
    tokenizer(tmp_path)
    model(tmp_path)
    async with onnx_reranker(tmp_path) as reranker:
        scores = await reranker.score("dogs dogs", ["dogs " * 2000, "boats"])
    assert scores == [512 - 3 - 0.5, 1.5]


async def test_a_model_that_is_no_cross_encoder_is_told(tmp_path: Path) -> None:
    tokenizer(tmp_path)
    model(tmp_path, classes=3)
    async with onnx_reranker(tmp_path) as reranker:
        with pytest.raises(RerankError, match="no cross-encoder"):
            await reranker.score("dogs", ["boats"])
    model(tmp_path, name="pixels")
    async with onnx_reranker(tmp_path) as reranker:
        with pytest.raises(RerankError, match="asks for pixels"):
            await reranker.score("dogs", ["boats"])


async def test_broken_files_are_told(tmp_path: Path) -> None:
    tokenizer(tmp_path)
    model(tmp_path)
    for name, told in (("tokenizer.json", "is no tokenizer"), ("model.onnx", "is no model")):
        (tmp_path / name).write_text("{", encoding="utf-8")
        async with onnx_reranker(tmp_path) as reranker:
            with pytest.raises(RerankError, match=rf"{name}: {told}"):
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


async def test_a_missing_onnx_extra_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(RerankError, match=r"frontdesk\[onnx\]"):
        async with onnx_reranker(tmp_path):
            pass


async def test_a_missing_fastembed_extra_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("fastembed", "fastembed.rerank", "fastembed.rerank.cross_encoder"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(RerankError, match=r"frontdesk\[fastembed\]"):
        async with fastembed_reranker("", tmp_path):
            pass


async def test_fastembed_reads_a_model_that_is_there(tmp_path: Path) -> None:
    pytest.importorskip("fastembed")
    tokenizer(tmp_path)
    (tmp_path / "onnx").mkdir()
    model(tmp_path / "onnx")
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    (tmp_path / "config.json").write_text(json.dumps({"pad_token_id": 0}), encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(special | {"model_max_length": 512}), encoding="utf-8")
    (tmp_path / "special_tokens_map.json").write_text(json.dumps(special), encoding="utf-8")
    async with fastembed_reranker("", tmp_path / "cache", tmp_path) as reranker:
        assert reranker.name == MODEL
        assert await reranker.score("canoes", ["dogs dogs", "boats", "dogs"]) == [1.5, -0.5, 0.5]


async def test_fastembed_says_what_it_does_not_know(tmp_path: Path) -> None:
    pytest.importorskip("fastembed")
    async with fastembed_reranker("nobody/knows-this", tmp_path) as reranker:
        with pytest.raises(RerankError, match=r"nobody/knows-this: the model can't be loaded"):
            await reranker.score("dogs", ["boats"])
