"""Questions that have nothing to do with any business: the scores that they reach on an index are those of chance."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files


@lru_cache(maxsize=1)
def off_topic() -> dict[str, tuple[str, ...]]:
    """The questions by language code: a hundred in English, twenty in each of nineteen other languages."""
    by_language: dict[str, list[str]] = {}
    for line in files("retrieval.text").joinpath("off_topic.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            language, _, question = line.partition("\t")
            by_language.setdefault(language, []).append(question)
    return {language: tuple(questions) for language, questions in by_language.items()}
