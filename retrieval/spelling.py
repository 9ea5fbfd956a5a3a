"""Words that the corpus doesn't know, corrected from the corpus' own vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rapidfuzz import process
from rapidfuzz.distance import OSA

from retrieval.analyse import Term

LEAST_LENGTH = 5
MOST_FORMS = 3


class Speller:
    """Knows the vocabulary of the keyword leg: analysed words and in how many chunks each stands."""

    def __init__(self, frequency: dict[str, int]) -> None:
        self._frequency = frequency
        self._by_length: dict[int, list[str]] = {}
        for word in frequency:
            if len(word) >= LEAST_LENGTH - 1 and word.isalpha():
                self._by_length.setdefault(len(word), []).append(word)

    def corrected(self, term: Term) -> Term:
        """The term with the nearest known words as its forms when none of its own is known; else as it is.

        One slip is allowed in short words, two from eight letters on (optimal string alignment distance).
        """
        if term.identifier or len(term.text) < LEAST_LENGTH or any(form in self._frequency for form in term.forms):
            return term
        most = 2 if len(term.text) >= 8 else 1
        forms = [form for form in term.forms if len(form) >= LEAST_LENGTH]
        found = {word: slips for form in forms for word, slips in self._near(form, most)}
        if not found:
            return term
        nearest = min(found.values())
        best = sorted(
            (word for word, slips in found.items() if slips == nearest),
            key=lambda word: -self._frequency[word],
        )
        return replace(term, forms=tuple(best[:MOST_FORMS]))

    def _near(self, word: str, most: int) -> Sequence[tuple[str, int]]:
        lengths = range(len(word) - most, len(word) + most + 1)
        candidates = [known for length in lengths for known in self._by_length.get(length, ())]
        hits = process.extract(word, candidates, scorer=OSA.distance, score_cutoff=most, limit=8)
        return [(known, int(slips)) for known, slips, _ in hits]
