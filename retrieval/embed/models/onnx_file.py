"""The model's weights, read from the ONNX file that a package brings: the few fields of protobuf that hold them.

An ONNX file is a protobuf message. ModelProto.graph is field 7; GraphProto.node 1, .initializer 5; NodeProto.input 1,
.output 2, .op_type 4; TensorProto.dims 1, .data_type 2, .name 8, .raw_data 9 (onnx.proto, ONNX IR 8). Large matrices are
stored as int8 with one float32 scale a column; the graph multiplies them out, and so does this.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from retrieval.errors import EmbedError

Array = NDArray[np.float32]
TYPES = {1: np.float32, 3: np.int8, 7: np.int64}
WORDS = "embeddings.word_embeddings.weight"
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


@dataclass(slots=True)
class Node:
    """One step of the graph, as far as names go."""

    operation: str = ""
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Every parameter of the encoder by its own name, such as `encoder.layer.0.output.dense.weight` (input × output).

    The word vectors stay in int8, with a scale a row, since a text needs only some of them.
    """

    named: dict[str, Array]
    words: NDArray[np.int8]
    scales: Array

    def rows(self, numbers: NDArray[np.int64]) -> Array:
        """The word vectors of these tokens."""
        return np.asarray(self.words[numbers].astype(np.float32) * self.scales[numbers], np.float32)


def read(path: Path) -> Weights:
    """The model in the file.

    Raises EmbedError when the file isn't such a model.
    """
    try:
        nodes, tensors = _graph(path.read_bytes())
        found = _named(nodes, _multiplied_out(nodes, tensors))
        words = tensors[f"inner.{WORDS}_q"].astype(np.int8)
        return Weights(found, words, tensors[f"inner.{WORDS}_scale"].astype(np.float32))
    except (OSError, IndexError, ValueError, KeyError) as error:
        raise EmbedError(f"{path.name} isn't a MiniLM model in ONNX ({error})", permanent=True) from error


def _fields(data: memoryview) -> Iterator[tuple[int, memoryview | int]]:
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == VARINT:
            value, at = _varint(data, at)
            yield number, value
            continue
        if kind == BYTES:
            size, at = _varint(data, at)
        elif kind in (FIXED32, FIXED64):
            size = 4 if kind == FIXED32 else 8
        else:
            raise ValueError(f"wire type {kind}")
        yield number, data[at : at + size]
        at += size


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _graph(data: bytes) -> tuple[list[Node], dict[str, NDArray[np.generic]]]:
    graph = next((value for number, value in _fields(memoryview(data)) if number == 7), None)
    if not isinstance(graph, memoryview):
        raise ValueError("it holds no graph")
    nodes, tensors = [], {}
    for number, value in _fields(graph):
        if number == 1:
            nodes.append(_node(value))  # type: ignore[arg-type]
        elif number == 5:
            name, tensor = _tensor(value)  # type: ignore[arg-type]
            tensors[name] = tensor
    return nodes, tensors


def _node(data: memoryview) -> Node:
    node = Node()
    for number, value in _fields(data):
        if number in (1, 2):
            (node.inputs if number == 1 else node.outputs).append(str(value, "utf-8"))  # type: ignore[arg-type]
        elif number == 4:
            node.operation = str(value, "utf-8")  # type: ignore[arg-type]
    return node


def _tensor(data: memoryview) -> tuple[str, NDArray[np.generic]]:
    shape: list[int] = []
    name, kind, raw = "", 0, memoryview(b"")
    for number, value in _fields(data):
        if number == 1:
            shape += [value] if isinstance(value, int) else _packed(value)
        elif number == 2:
            kind = int(value)
        elif number == 8:
            name = str(value, "utf-8")  # type: ignore[arg-type]
        elif number == 9:
            raw = memoryview(value)  # type: ignore[arg-type]
    if kind not in TYPES or not len(raw):
        return name, np.empty(0, np.float32)
    return name, np.frombuffer(raw, TYPES[kind]).reshape(shape)


def _packed(data: memoryview) -> list[int]:
    found, at = [], 0
    while at < len(data):
        value, at = _varint(data, at)
        found.append(value)
    return found


def _multiplied_out(nodes: list[Node], tensors: dict[str, NDArray[np.generic]]) -> dict[str, NDArray[np.generic]]:
    """With the int8 matrices as float32 under the name that the graph gives the product."""
    whole = dict(tensors)
    for node in nodes:
        words = node.outputs[0].endswith(WORDS)
        if node.operation == "Mul" and not words and node.inputs[0].endswith("_f") and node.inputs[1] in tensors:
            quantised = tensors[node.inputs[0].removesuffix("_f") + "_q"]
            whole[node.outputs[0]] = quantised.astype(np.float32) * tensors[node.inputs[1]].astype(np.float32)
    return whole


def _named(nodes: list[Node], tensors: dict[str, NDArray[np.generic]]) -> dict[str, Array]:
    """The exporter names matrices by number; the bias that is added to a product tells whose it is."""
    found = {
        name.partition("inner.")[2]: tensor.astype(np.float32, copy=False)
        for name, tensor in tensors.items()
        if name.startswith("inner.") and tensor.dtype == np.float32
    }
    products = {node.outputs[0]: node.inputs[1] for node in nodes if node.operation == "MatMul"}
    for node in nodes:
        if node.operation != "Add":
            continue
        for product, bias in (node.inputs, reversed(node.inputs)):
            if product in products and bias.startswith("inner."):
                name = bias.partition("inner.")[2].removesuffix("bias") + "weight"
                found[name] = np.ascontiguousarray(tensors[products[product]], np.float32)
    return found
