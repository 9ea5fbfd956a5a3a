"""How fast documents become chunks, beside counting their tokens once: `python -m benchmarks.split CORPUS.jsonl`.

Processor seconds, the best of several rounds; the ratio is what the splitter costs besides its exact counts.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from retrieval.document import Document
from retrieval.split.by_headings import split
from retrieval.text.tokens import count

ROUNDS = 5


def main(path: Path) -> None:
    """Print chunks a second and the ratio."""
    lines = path.read_text(encoding="utf-8").splitlines()
    documents = [Document(record["id"], record["title"], record["text"]) for record in map(json.loads, lines)]
    made = [chunk for document in documents for chunk in split(document)]
    splitting = _best(lambda: [split(document) for document in documents])
    counting = _best(lambda: [count(document.markdown) for document in documents])
    letters = sum(len(document.markdown) for document in documents)
    sys.stdout.write(
        f"{len(documents)} documents, {letters:,} letters, {len(made)} chunks\n"
        f"split {splitting:.2f} s, {len(made) / splitting:,.0f} chunks/s; counted once {counting:.2f} s;"
        f" {splitting / counting:.1f} times counting once\n"
    )


def _best(run: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        run()
        times.append(time.process_time() - began)
    return min(times)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
