"""all-MiniLM-L6-v2's weights, read from the ONNX file that a package brings: the few fields of protobuf that hold them.

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

from retrieval.embed.models.encoder import Array
from retrieval.errors import EmbedError

TENSOR_TYPES = {1: np.float32, 3: np.int8, 7: np.int64}
"""TensorProto.DataType, as far as it is met."""
WORD_VECTORS = "embeddings.word_embeddings.weight"
NAME_PREFIX = "inner."
"""What the exporter put before the parameters' own names."""
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
"""Protobuf's wire types."""


@dataclass(slots=True)
class GraphNode:
    """One step of the graph: its operation, and the names of what goes in and comes out."""

    operation: str = ""
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class MiniLmWeights:
    """Every parameter of the encoder by its own name, such as `encoder.layer.0.output.dense.weight` (input × output).

    The word vectors stay in int8, with a scale a row, since a text needs only some of them.
    """

    named: dict[str, Array]
    packed_words: NDArray[np.int8]
    scales: Array

    def word_vectors(self, numbers: NDArray[np.int64]) -> Array:
        """The word vectors of these tokens, shape (tokens, width)."""
        return np.asarray(self.packed_words[numbers].astype(np.float32) * self.scales[numbers], np.float32)


def read(path: Path) -> MiniLmWeights:
    """The model in the file; raises EmbedError when it isn't one."""
    try:
        nodes, tensors = _graph(path.read_bytes())
        named = _named(nodes, _multiplied_out(nodes, tensors))
        words = tensors[f"{NAME_PREFIX}{WORD_VECTORS}_q"].astype(np.int8)
        return MiniLmWeights(named, words, tensors[f"{NAME_PREFIX}{WORD_VECTORS}_scale"].astype(np.float32))
    except (OSError, IndexError, ValueError, KeyError) as error:
        raise EmbedError(f"{path.name} isn't a MiniLM model in ONNX ({error})", permanent=True) from error


def _fields(data: memoryview) -> Iterator[tuple[int, memoryview | int]]:
    """A message's fields in their order: number and value, a whole number or bytes."""
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
    """The number that begins at an offset, seven bits a byte, the lowest first; and the offset behind it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _graph(data: bytes) -> tuple[list[GraphNode], dict[str, NDArray[np.generic]]]:
    """The graph's nodes in order, and its tensors by name."""
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


def _node(data: memoryview) -> GraphNode:
    node = GraphNode()
    for number, value in _fields(data):
        if number in (1, 2):
            (node.inputs if number == 1 else node.outputs).append(str(value, "utf-8"))  # type: ignore[arg-type]
        elif number == 4:
            node.operation = str(value, "utf-8")  # type: ignore[arg-type]
    return node


def _tensor(data: memoryview) -> tuple[str, NDArray[np.generic]]:
    """A tensor's name and numbers; an empty one for types that no weight has."""
    shape: list[int] = []
    name, kind, raw = "", 0, memoryview(b"")
    for number, value in _fields(data):
        if number == 1:
            shape += [value] if isinstance(value, int) else _varints(value)
        elif number == 2:
            kind = int(value)
        elif number == 8:
            name = str(value, "utf-8")  # type: ignore[arg-type]
        elif number == 9:
            raw = memoryview(value)  # type: ignore[arg-type]
    if kind not in TENSOR_TYPES or not len(raw):
        return name, np.empty(0, np.float32)
    return name, np.frombuffer(raw, TENSOR_TYPES[kind]).reshape(shape)


def _varints(data: memoryview) -> list[int]:
    numbers, at = [], 0
    while at < len(data):
        value, at = _varint(data, at)
        numbers.append(value)
    return numbers


def _multiplied_out(nodes: list[GraphNode], tensors: dict[str, NDArray[np.generic]]) -> dict[str, NDArray[np.generic]]:
    """The tensors with the int8 matrices as float32 beside them, under the name that the graph gives the product."""
    whole = dict(tensors)
    for node in nodes:
        is_word_vectors = node.outputs[0].endswith(WORD_VECTORS)
        scales = node.operation == "Mul" and node.inputs[0].endswith("_f") and node.inputs[1] in tensors
        if scales and not is_word_vectors:
            # The exporter calls a matrix NAME_q where it is stored and NAME_f where the graph has cast it.
            quantised = tensors[node.inputs[0].removesuffix("_f") + "_q"]
            whole[node.outputs[0]] = quantised.astype(np.float32) * tensors[node.inputs[1]].astype(np.float32)
    return whole


def _named(nodes: list[GraphNode], tensors: dict[str, NDArray[np.generic]]) -> dict[str, Array]:
    """The parameters by their own names: the exporter numbers matrices; the bias added to a product tells whose it is."""
    named = {
        name.partition(NAME_PREFIX)[2]: tensor.astype(np.float32, copy=False)
        for name, tensor in tensors.items()
        if name.startswith(NAME_PREFIX) and tensor.dtype == np.float32
    }
    products = {node.outputs[0]: node.inputs[1] for node in nodes if node.operation == "MatMul"}
    for node in nodes:
        if node.operation != "Add":
            continue
        for product, bias in (node.inputs, reversed(node.inputs)):  # a sum may have them either way round
            if product in products and bias.startswith(NAME_PREFIX):
                name = bias.partition(NAME_PREFIX)[2].removesuffix("bias") + "weight"
                named[name] = np.ascontiguousarray(tensors[products[product]], np.float32)
    return named
