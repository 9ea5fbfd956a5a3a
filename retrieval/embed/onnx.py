"""An embedding model of one's own, as an ONNX file in a folder with its tokenizer (extra `onnx`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrieval.embed.embedder import EmbeddingModel, Vectors, extra_missing, unit
from retrieval.errors import EmbedError

# What most models of this kind take at most; the rest of a text is left to the keyword leg.
ONNX_TEXT_TOKENS = 512
MODEL_FILES = ("model.onnx", "onnx/model.onnx")
TOKENIZER_FILE = "tokenizer.json"
PROMPTS_FILE = "prompts.json"


def onnx_model(folder: Path) -> EmbeddingModel:
    """The model in a folder with `model.onnx` and `tokenizer.json`, as sentence-transformers lays them out.

    Its vectors are the mean over the tokens, or the model's own second output where it has one of a vector a text. e5 and BGE
    want words before questions and texts: `prompts.json` with `{"query": …, "text": …}` in the folder gives them.
    Raises EmbedError when the extra isn't installed, a file is missing, or the file isn't an embedding model.
    """
    path = next((folder / name for name in MODEL_FILES if (folder / name).is_file()), None)
    if path is None or not (folder / TOKENIZER_FILE).is_file():
        raise EmbedError(f"[embedding] path: {folder} holds no model.onnx with a tokenizer.json", permanent=True)
    try:
        import onnxruntime
        import tokenizers
    except ImportError as error:
        raise extra_missing("onnx") from error
    session = _session(onnxruntime, path)
    dimension = session.get_outputs()[0].shape[-1]
    if not isinstance(dimension, int):
        raise EmbedError(f"{path.name}: its output has no fixed width, so it isn't an embedding model", permanent=True)
    return EmbeddingModel(
        f"onnx:{folder.name}", dimension, 1.0, lambda: _OnnxEncoder(session, tokenizers.Tokenizer, folder).encode
    )


def _session(onnxruntime: Any, path: Path) -> Any:
    options = onnxruntime.SessionOptions()
    # One thread each: LocalEmbedder runs as many at once as there are cores, and a thread that spins takes a core from them.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library raises a kind of its own for each thing that is wrong with a file
        raise EmbedError(
            f"{path.name} can't be read as an ONNX model ({type(error).__name__})", permanent=True
        ) from error


class _OnnxEncoder:
    def __init__(self, session: Any, tokenizer_class: Any, folder: Path) -> None:
        self._session = session
        self._inputs = {one.name for one in session.get_inputs()}
        self._tokenizer = tokenizer_class.from_file(str(folder / TOKENIZER_FILE))
        self._tokenizer.enable_truncation(ONNX_TEXT_TOKENS)
        self._tokenizer.enable_padding()
        self._prompts = _prompts(folder)

    def encode(self, texts: Sequence[str], _language: str, question: bool) -> Vectors:
        prompt = self._prompts.get("query" if question else "text", "")
        tokens = self._tokenizer.encode_batch([prompt + text for text in texts])
        given = {
            "input_ids": np.array([one.ids for one in tokens], np.int64),
            "attention_mask": np.array([one.attention_mask for one in tokens], np.int64),
            "token_type_ids": np.array([one.type_ids for one in tokens], np.int64),
        }
        outputs = self._session.run(None, {name: value for name, value in given.items() if name in self._inputs})
        return unit(_pooled(outputs, given["attention_mask"]))


def _prompts(folder: Path) -> dict[str, str]:
    """The words that the model wants before questions (`query`) and texts (`text`)."""
    path = folder / PROMPTS_FILE
    if not path.is_file():
        return {}
    try:
        prompts = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise EmbedError(f"{path}: isn't JSON ({error})", permanent=True) from error
    return {key: str(value) for key, value in prompts.items()} if isinstance(prompts, dict) else {}


def _pooled(outputs: Sequence[Any], mask: NDArray[np.int64]) -> Vectors:
    """A vector a text: an output that has that shape, else the mean over each text's own tokens.

    `mask`, of shape (texts, tokens): 1 for a text's own tokens, 0 for what fills it up.
    """
    pooled = next((np.asarray(one, np.float32) for one in outputs if np.ndim(one) == 2), None)
    if pooled is not None:
        return pooled
    states, weights = np.asarray(outputs[0], np.float32), mask[..., None].astype(np.float32)
    return np.asarray((states * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1), np.float32)
