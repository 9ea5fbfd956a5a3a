"""Questions without any relation to a business, by language: what they reach on an index is what chance reaches."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files


@lru_cache(maxsize=1)
def off_topic() -> dict[str, tuple[str, ...]]:
    """A hundred in English and twenty in each of nineteen other languages, by language code."""
    found: dict[str, list[str]] = {}
    for line in files("retrieval.text").joinpath("off_topic.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            language, _, question = line.partition("\t")
            found.setdefault(language, []).append(question)
    return {language: tuple(questions) for language, questions in found.items()}
