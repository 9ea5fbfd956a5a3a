"""The semantic leg by size: CPU time a question, recall, time to build and memory, beside plain numpy in the same run.

Rows are made up with the structure of real embeddings: a covariance of few effective dimensions (participation ratio
about 100 of 384) in no particular direction, documents around subjects, chunks around documents, and all a little to one
side. Questions are further points of the same kind, of documents that the index doesn't hold: the best cosine is
about 0.6. Other engines (faiss, hnswlib, sqlite-vec) are measured where they are installed. One thread throughout.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from retrieval.embed.embedder import Vectors
from retrieval.index.matrix.vectors import Matrix

DIMENSION = 384
EFFECTIVE_DIMENSIONS = 104
HITS = 20
QUESTIONS = 60
ROUNDS = 3
SUBJECTS = 3000
CHUNKS_A_DOCUMENT = 8
BATCH_ROWS = 4096
SLOW_BUILD_ROWS = 20_000
"""Rows up to which engines are built whose building takes minutes beyond."""

Find = Callable[[Vectors], NDArray[np.int64]]


@dataclass
class Engine:
    """A way to search: its name, how to ask it, what building it took in CPU seconds, bytes a row beside the vectors."""

    name: str
    find: Find
    build: float = 0.0
    beside: float = 0.0


class World:
    """Where embeddings come from: always the same for the same seed."""

    def __init__(self, rows: int) -> None:
        self._random = np.random.default_rng(7)
        turn = np.linalg.qr(self._random.normal(size=(DIMENSION, DIMENSION)))[0]
        self._shape = (np.sqrt(spectrum())[:, None] * turn).astype(np.float32)
        self._side = 0.2 * self._noise(1)
        self._subjects = self._noise(SUBJECTS)
        self._documents = self._near(max(rows // CHUNKS_A_DOCUMENT, 1))

    def _noise(self, count: int) -> Vectors:
        return np.asarray(self._random.standard_normal((count, DIMENSION), np.float32) @ self._shape)

    def _near(self, count: int) -> Vectors:
        return np.asarray(self._subjects[self._random.integers(SUBJECTS, size=count)] + 0.8 * self._noise(count))

    def _unit(self, points: Vectors) -> Vectors:
        points = points + 0.6 * self._noise(len(points)) + self._side
        return np.asarray(points / np.linalg.norm(points, axis=1, keepdims=True), np.float32)

    def rows(self, count: int) -> Vectors:
        """Chunks of the documents."""
        made = np.empty((count, DIMENSION), np.float32)
        for at in range(0, count, BATCH_ROWS):
            some = min(BATCH_ROWS, count - at)
            made[at : at + some] = self._unit(self._documents[self._random.integers(len(self._documents), size=some)])
        return made

    def questions(self, count: int) -> Vectors:
        """Points of new documents on the same subjects."""
        return self._unit(self._near(count))


def spectrum() -> NDArray[np.float64]:
    """Variances i^-a that add up to 1, with (Σ λ)² / Σ λ² = EFFECTIVE_DIMENSIONS."""
    low, high = 0.0, 3.0
    for _ in range(60):
        middle = (low + high) / 2
        values = np.arange(1.0, DIMENSION + 1) ** -middle
        low, high = (middle, high) if values.sum() ** 2 / (values @ values) > EFFECTIVE_DIMENSIONS else (low, middle)
    return np.asarray(values / values.sum())


def plain(rows: Vectors) -> Engine:
    """A matrix-vector product and the HITS largest."""

    def find(vector: Vectors) -> NDArray[np.int64]:
        cosines = rows @ vector
        best = np.argpartition(cosines, len(cosines) - HITS)[-HITS:]
        return np.asarray(best[np.argsort(-cosines[best])])

    return Engine("numpy, plain", find)


def ours(rows: Vectors) -> Engine:
    """Loaded in batches, as the index does."""
    began = time.process_time()
    matrix = Matrix(DIMENSION)
    matrix.reserve(len(rows))
    for at in range(0, len(rows), BATCH_ROWS):
        matrix.extend(np.arange(at, min(at + BATCH_ROWS, len(rows))), rows[at : at + BATCH_ROWS])
    built = time.process_time() - began
    matrix.cosines(rows[0], [1])  # the ids are sorted at the first look-up, which belongs to the memory
    return Engine("Matrix.nearest", lambda vector: matrix.nearest(vector, HITS).ids, built, matrix.nbytes / len(rows))


def others(rows: Vectors) -> Iterator[Engine]:
    """What else is installed; a sentence for what isn't."""
    for name, engines in (("faiss", faiss), ("hnswlib", hnswlib), ("sqlite_vec", sqlite_vec)):
        if importlib.util.find_spec(name):
            yield from engines(importlib.import_module(name), rows)
        else:
            print(f"  {name} isn't installed and was left out")


def faiss(library: Any, rows: Vectors) -> Iterator[Engine]:
    """Flat; and from 100,000 rows on inverted lists, 32 of one for each 500 rows."""
    library.omp_set_num_threads(1)

    def engine(name: str, index: Any) -> Engine:
        began = time.process_time()
        if not index.is_trained:
            index.train(rows[:: max(1, len(rows) // (40 * index.nlist))])
        index.add(rows)
        built = time.process_time() - began
        return Engine(name, lambda vector: index.search(vector.reshape(1, -1), HITS)[1][0], built)

    yield engine("faiss Flat", library.IndexFlatIP(DIMENSION))
    if len(rows) >= 100_000:
        lists = min(len(rows) // 500, 1536)
        index = library.IndexIVFFlat(library.IndexFlatIP(DIMENSION), DIMENSION, lists, library.METRIC_INNER_PRODUCT)
        for probes in (32, 96):
            index.nprobe = probes
            if probes == 32:
                yield engine(f"faiss IVF{lists} np32", index)
            else:
                yield Engine(f"faiss IVF{lists} np96", _probing(index, probes))


def _probing(index: Any, probes: int) -> Find:
    def find(vector: Vectors) -> NDArray[np.int64]:
        index.nprobe = probes
        found: NDArray[np.int64] = index.search(vector.reshape(1, -1), HITS)[1][0]
        index.nprobe = 32
        return found

    return find


def hnswlib(library: Any, rows: Vectors) -> Iterator[Engine]:
    """M 16, ef 200."""
    if len(rows) > SLOW_BUILD_ROWS:
        print("  hnswlib takes minutes to build at this size and was left out")
        return
    began = time.process_time()
    index = library.Index("ip", DIMENSION)
    index.init_index(len(rows), ef_construction=200, M=16)
    index.add_items(rows, num_threads=1)
    index.set_ef(200)
    built = time.process_time() - began
    yield Engine("hnswlib ef200", lambda v: index.knn_query(v, HITS, num_threads=1)[0][0].astype(np.int64), built)


def sqlite_vec(library: Any, rows: Vectors) -> Iterator[Engine]:
    """A vec0 table of floats."""
    connection: Any = sqlite3.connect(":memory:")
    if len(rows) > 100_000 or not hasattr(connection, "enable_load_extension"):
        print("  sqlite-vec was left out: this Python's sqlite3 loads no extensions, or the size is beyond it")
        return
    began = time.process_time()
    connection.enable_load_extension(True)
    library.load(connection)
    connection.execute(f"CREATE VIRTUAL TABLE v USING vec0(vector float[{DIMENSION}] distance_metric=cosine)")
    connection.executemany(
        "INSERT INTO v (rowid, vector) VALUES (?, ?)", ((i, r.tobytes()) for i, r in enumerate(rows))
    )
    built = time.process_time() - began
    query = "SELECT rowid FROM v WHERE vector MATCH ? AND k = ? ORDER BY distance"
    yield Engine(
        "sqlite-vec",
        lambda v: np.array([i for (i,) in connection.execute(query, (v.tobytes(), HITS))], np.int64),
        built,
    )


def measured(engine: Engine, questions: Vectors) -> tuple[list[float], list[NDArray[np.int64]]]:
    """CPU milliseconds and what was found, for each question."""
    times, found = [], []
    for question in questions:
        began = time.process_time()
        found.append(engine.find(question))
        times.append((time.process_time() - began) * 1000)
    return times, found


def table(size: int, alone: bool) -> None:
    """Build everything over one set of rows and print a line an engine."""
    print(f"\n{size:,} rows of {DIMENSION}")
    world = World(size)
    rows, questions = world.rows(size), world.questions(QUESTIONS)
    engines = [plain(rows), ours(rows), *(() if alone else others(rows))]
    times: dict[str, list[float]] = {engine.name: [] for engine in engines}
    found: dict[str, list[NDArray[np.int64]]] = {}
    for engine in engines:
        measured(engine, questions[:5])  # warm
    for _ in range(ROUNDS):
        for engine in engines:
            took, found[engine.name] = measured(engine, questions)
            times[engine.name] += took
    truth = found[engines[0].name]
    base = float(np.median(times[engines[0].name]))
    print(f"  {'':22}{'p50 ms':>8}{'p95 ms':>8}{'× plain':>9}{'recall@20':>11}{'build s':>9}{'bytes/row':>11}")
    for engine in engines:
        p50, p95 = np.percentile(times[engine.name], [50, 95])
        hit = np.mean([len(np.intersect1d(a, b)) / HITS for a, b in zip(found[engine.name], truth, strict=True)])
        beside = f"{engine.beside:11.1f}" if engine.beside else ""
        print(f"  {engine.name:22}{p50:8.2f}{p95:8.2f}{base / p50:8.1f}×{hit:11.3f}{engine.build:9.1f}{beside}")


def main() -> None:
    """Print a table for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000,100000", help="rows, separated by commas; 1000000 takes 4 GB")
    parser.add_argument("--alone", action="store_true", help="without other engines")
    arguments = parser.parse_args()
    with threadpool_limits(limits=1):
        for size in arguments.sizes.split(","):
            table(int(size), arguments.alone)


if __name__ == "__main__":
    main()
