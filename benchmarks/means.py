"""Makes what retrieval/embed/bundled.py reads beside the models: means of generic questions by language, and their vectors.

`e5_means.npz`: for each language, the mean of e5's vectors of the same twenty questions, asked and held as texts.
`off_topic.npz`: for each language, the bundled vectors of all questions, so that the floor is measured without the models.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from retrieval.embed import bundled
from retrieval.text.off_topic import off_topic

ALIKE_QUESTIONS = 20
"""The first twenty questions ask the same in every language, so that the means differ by language alone."""
Arrays = dict[str, NDArray[np.float16]]


def means(models: bundled.BundledModels) -> Arrays:
    """Arrays of 384 by `LANGUAGE.question` and `LANGUAGE.text`, and the mean of all as `all`."""
    found: Arrays = {}
    for kind in ("question", "text"):
        every = {
            code: models.e5_vectors(questions[:ALIKE_QUESTIONS], kind == "question").mean(axis=0)
            for code, questions in off_topic().items()
        }
        every["all"] = np.mean(list(every.values()), axis=0)
        found |= {f"{code}.{kind}": mean.astype(np.float16) for code, mean in every.items()}
    return found


def vectors(models: bundled.BundledModels) -> Arrays:
    """Arrays (questions, 768) by language."""
    return {code: models.encode(questions, code, True).astype(np.float16) for code, questions in off_topic().items()}


def main() -> None:
    """Write the files; the vectors are made with the means as they then are."""
    models, folder = bundled.BundledModels(), Path(bundled.__file__).parent / "models"
    for name, made in (("e5_means.npz", means), ("off_topic.npz", vectors)):
        np.savez_compressed(folder / name, allow_pickle=False, **made(models))
        print(name, (folder / name).stat().st_size, "bytes")


if __name__ == "__main__":
    main()
