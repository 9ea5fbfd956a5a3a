"""A cross-encoder in a folder: model.onnx and tokenizer.json, as Hugging Face's exporters write them. Needs the extra `onnx`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrieval.errors import RerankError
from retrieval.search.rerank.local import LocalReranker, ScoreTexts, check_extra, local_reranker

# What most models of this kind take at most.
PAIR_TOKENS = 512
"""Question and text together; the text is cut, the question isn't."""
MODEL_FILE, TOKENIZER_FILE = "model.onnx", "tokenizer.json"


class OnnxCrossEncoder:
    """One model, loaded. Raises RerankError for files that are none."""

    def __init__(self, folder: Path) -> None:
        import onnxruntime

        # onnxruntime names the exceptions that it raises nowhere else.
        from onnxruntime.capi import onnxruntime_pybind11_state as state
        from tokenizers import Tokenizer

        self._errors = (state.Fail, state.InvalidArgument, state.RuntimeException, state.NotImplemented)
        broken = (*self._errors, state.InvalidGraph, state.InvalidProtobuf, state.NoSuchFile)
        try:
            self._session = onnxruntime.InferenceSession(folder / MODEL_FILE, providers=["CPUExecutionProvider"])
        except broken as error:
            raise RerankError(f"{folder / MODEL_FILE}: is no model that can be run ({type(error).__name__})") from error
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
        except Exception as error:  # the library raises nothing narrower
            raise RerankError(f"{folder / TOKENIZER_FILE}: is no tokenizer ({error})") from error
        self._tokenizer.enable_truncation(PAIR_TOKENS, strategy="only_second")
        self._tokenizer.enable_padding()
        self._inputs = [item.name for item in self._session.get_inputs()]

    def score_texts(self, question: str, texts: Sequence[str]) -> list[float]:
        """A logit for each text, in their order; raises RerankError."""
        pairs = self._tokenizer.encode_batch([(question, text) for text in texts])
        given = {
            "input_ids": [pair.ids for pair in pairs],
            "attention_mask": [pair.attention_mask for pair in pairs],
            "token_type_ids": [pair.type_ids for pair in pairs],
        }
        if unknown := set(self._inputs) - set(given):
            raise RerankError(f"the model asks for {', '.join(sorted(unknown))}: it is no cross-encoder")
        try:
            output = self._session.run(None, {name: np.array(given[name], np.int64) for name in self._inputs})[0]
        except self._errors as error:
            raise RerankError(f"the model can't be run ({type(error).__name__})") from error
        return _logits(np.asarray(output), len(texts))


def _logits(output: NDArray[Any], count: int) -> list[float]:
    """One logit a text, from an array whose rows are the texts: the only column; of two classes the second less the first."""
    columns = output.reshape(count, -1) if output.size and output.shape[0] == count else output[:0].reshape(0, 1)
    if columns.shape[1] == 2:
        return [float(score) for score in columns[:, 1] - columns[:, 0]]
    if len(columns) != count or columns.shape[1] != 1:
        raise RerankError(f"the model gives an array {output.shape} for {count} texts: it is no cross-encoder")
    return [float(score) for score in columns[:, 0]]


@asynccontextmanager
async def onnx_reranker(folder: Path) -> AsyncIterator[LocalReranker]:
    """The cross-encoder in a folder, loaded at the first question; RerankError says which file or extra is missing."""
    check_extra("onnx", "onnxruntime", "tokenizers")
    for name in (MODEL_FILE, TOKENIZER_FILE):
        if not (folder / name).is_file():
            raise RerankError(
                f"{folder / name}: there is no such file; rerank_path is a folder with {MODEL_FILE} and {TOKENIZER_FILE}"
            )

    def load() -> ScoreTexts:
        return OnnxCrossEncoder(folder).score_texts

    async with local_reranker(folder.name, load) as reranker:
        yield reranker
