"""A cross-encoder in a folder: model.onnx and tokenizer.json, as Hugging Face's exporters write them. Needs the extra `onnx`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrieval.errors import RerankError
from retrieval.search.rerank.local import LocalReranker, Score, local_reranker

MOST_TOKENS = 512
BATCH = 10
FILES = ("model.onnx", "tokenizer.json")


class OnnxCrossEncoder:
    """One model, loaded. Raises RerankError for files that are none."""

    def __init__(self, folder: Path) -> None:
        import onnxruntime
        from onnxruntime.capi import onnxruntime_pybind11_state as state
        from tokenizers import Tokenizer

        self._errors = (state.Fail, state.InvalidArgument, state.RuntimeException, state.NotImplemented)
        broken = (*self._errors, state.InvalidGraph, state.InvalidProtobuf, state.NoSuchFile)
        try:
            self._session = onnxruntime.InferenceSession(folder / FILES[0], providers=["CPUExecutionProvider"])
        except broken as error:
            raise RerankError(f"{folder / FILES[0]}: is no model that can be run ({type(error).__name__})") from error
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / FILES[1]))
        except Exception as error:  # the library raises nothing narrower
            raise RerankError(f"{folder / FILES[1]}: is no tokenizer ({error})") from error
        self._tokenizer.enable_truncation(MOST_TOKENS, strategy="only_second")
        self._tokenizer.enable_padding()
        self._inputs = [item.name for item in self._session.get_inputs()]

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """A logit for each text, texts of like lengths together."""
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        scores = [0.0] * len(texts)
        for start in range(0, len(order), BATCH):
            part = order[start : start + BATCH]
            for at, score in zip(part, self._batch(question, [texts[at] for at in part]), strict=True):
                scores[at] = score
        return scores

    def _batch(self, question: str, texts: Sequence[str]) -> list[float]:
        made = self._tokenizer.encode_batch([(question, text) for text in texts])
        known = {
            "input_ids": [one.ids for one in made],
            "attention_mask": [one.attention_mask for one in made],
            "token_type_ids": [one.type_ids for one in made],
        }
        if unknown := set(self._inputs) - set(known):
            raise RerankError(f"the model asks for {', '.join(sorted(unknown))}: it is no cross-encoder")
        try:
            output = self._session.run(None, {name: np.array(known[name], np.int64) for name in self._inputs})[0]
        except self._errors as error:
            raise RerankError(f"the model can't be run ({type(error).__name__})") from error
        return _logits(np.asarray(output), len(texts))


def _logits(output: NDArray[Any], count: int) -> list[float]:
    """One logit a text: the only column; of two classes the second one against the first."""
    columns = output.reshape(count, -1) if output.size and output.shape[0] == count else output[:0].reshape(0, 1)
    if columns.shape[1] == 2:
        return [float(score) for score in columns[:, 1] - columns[:, 0]]
    if len(columns) != count or columns.shape[1] != 1:
        raise RerankError(f"the model gives an array {output.shape} for {count} texts: it is no cross-encoder")
    return [float(score) for score in columns[:, 0]]


@asynccontextmanager
async def onnx_reranker(folder: Path) -> AsyncIterator[LocalReranker]:
    """The cross-encoder in a folder; RerankError says which file or extra is missing."""
    if not (find_spec("onnxruntime") and find_spec("tokenizers")):
        raise RerankError(
            'retrieval.search.rerank.rerank is onnx, but the extra isn\'t installed: pip install "frontdesk[onnx]"'
        )
    for name in FILES:
        if not (folder / name).is_file():
            raise RerankError(
                f"{folder / name}: there is no such file; rerank_path is a folder with {' and '.join(FILES)}"
            )

    def load() -> Score:
        return OnnxCrossEncoder(folder).score

    async with local_reranker(folder.name, load) as reranker:
        yield reranker
