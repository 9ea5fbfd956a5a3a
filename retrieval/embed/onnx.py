"""An embedding model of one's own, as an ONNX file in a folder with its tokenizer (extra `onnx`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from retrieval.embed.embedder import Model, Vectors
from retrieval.errors import EmbedError

MOST_TOKENS = 512
FILES = ("model.onnx", "onnx/model.onnx")


def onnx_model(folder: Path) -> Model:
    """The model in a folder with `model.onnx` and `tokenizer.json`, as sentence-transformers lays them out.

    Its vectors are the mean over the tokens, or the model's own second output where it has one of a vector a text. e5 and BGE
    want words before questions and texts: `prompts.json` with `{"query": …, "text": …}` in the folder gives them.
    Raises EmbedError when the extra isn't installed or a file is missing.
    """
    path = next((folder / name for name in FILES if (folder / name).is_file()), None)
    if path is None or not (folder / "tokenizer.json").is_file():
        raise EmbedError(f"[embedding] path: {folder} holds no model.onnx with a tokenizer.json", permanent=True)
    try:
        import onnxruntime
        import tokenizers
    except ImportError as error:
        raise EmbedError(
            "[embedding] provider = \"onnx\" needs the extra `onnx`: pip install 'frontdesk[onnx]'", permanent=True
        ) from error
    session = _session(onnxruntime, path)
    dimension = session.get_outputs()[0].shape[-1]
    if not isinstance(dimension, int):
        raise EmbedError(f"{path.name}: its output has no fixed width, so it isn't an embedding model", permanent=True)
    return Model(f"onnx:{folder.name}", dimension, 1.0, lambda: _Onnx(session, tokenizers.Tokenizer, folder).encode)


def _session(onnxruntime: Any, path: Path) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise EmbedError(
            f"{path.name} can't be read as an ONNX model ({type(error).__name__})", permanent=True
        ) from error


class _Onnx:
    def __init__(self, session: Any, tokenizer: Any, folder: Path) -> None:
        self._session = session
        self._inputs = {one.name for one in session.get_inputs()}
        self._tokenizer = tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(MOST_TOKENS)
        self._tokenizer.enable_padding()
        self._lead = _prompts(folder)

    def encode(self, texts: Sequence[str], _language: str, question: bool) -> Vectors:
        lead = self._lead.get("query" if question else "text", "")
        found = self._tokenizer.encode_batch([lead + text for text in texts])
        given = {
            "input_ids": np.array([one.ids for one in found], np.int64),
            "attention_mask": np.array([one.attention_mask for one in found], np.int64),
            "token_type_ids": np.array([one.type_ids for one in found], np.int64),
        }
        outputs = self._session.run(None, {name: value for name, value in given.items() if name in self._inputs})
        return _unit(_pooled(outputs, given["attention_mask"]))


def _prompts(folder: Path) -> dict[str, str]:
    import json

    path = folder / "prompts.json"
    if not path.is_file():
        return {}
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise EmbedError(f"{path}: isn't JSON ({error})", permanent=True) from error
    return {key: str(value) for key, value in held.items()} if isinstance(held, dict) else {}


def _pooled(outputs: Sequence[Any], mask: np.ndarray[Any, np.dtype[np.int64]]) -> Vectors:
    """A vector a text: an output that has that shape, else the mean over each text's own tokens."""
    flat = next((np.asarray(one, np.float32) for one in outputs if np.ndim(one) == 2), None)
    if flat is not None:
        return flat
    states, weights = np.asarray(outputs[0], np.float32), mask[..., None].astype(np.float32)
    return np.asarray((states * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1), np.float32)


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths == 0, 1, lengths), np.float32)
