"""Parts of tiny ONNX models that tests make on the spot: a tokenizer of seven words, and a graph written to a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "dogs", "canoes", "boats"]


def write_tokenizer(folder: Path) -> None:
    """Words to their numbers; a text is [CLS] text [SEP], a pair is [CLS] question [SEP] text [SEP]."""
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))


def write_graph(
    folder: Path, nodes: Sequence[Any], constants: Sequence[Any], output: tuple[str, list[Any]], name: str = "input_ids"
) -> None:
    """A graph with one input of token numbers, called `name`, and one output: its name and shape."""
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    make, number = onnx.helper, onnx.TensorProto
    given = [make.make_tensor_value_info(name, number.INT64, ["batch", "length"])]
    gives = [make.make_tensor_value_info(output[0], number.FLOAT, output[1])]
    graph = make.make_graph(nodes, "tiny", given, gives, constants)
    onnx.save(make.make_model(graph, opset_imports=[make.make_opsetid("", 17)], ir_version=8), folder / "model.onnx")
