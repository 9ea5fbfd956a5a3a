"""Words that the corpus doesn't know, corrected from the corpus' own vocabulary, in its own script."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from rapidfuzz import process
from rapidfuzz.distance import OSA

from retrieval.text.analyse import Term, stemmed
from retrieval.text.transliterate import readings

LEAST_LENGTH = 5
LEAST_NAME = 3
"""Letters of a word that is looked for in another script."""
MOST_FORMS = 3


class Speller:
    """Knows the vocabulary of the keyword leg: analysed words and in how many chunks each stands."""

    def __init__(self, frequency: Mapping[str, int], languages: Collection[str] = ()) -> None:
        self._frequency = frequency
        self._languages = languages
        self._alike: dict[str, list[str]] = {}
        for word in frequency:
            if len(word) >= LEAST_LENGTH - 1 and word.isalpha():
                for end in _ends(word):
                    self._alike.setdefault(end, []).append(word)

    def corrected(self, term: Term) -> Term:
        """The term with the nearest known words as its forms when none of its own is known; else as it is.

        One slip is allowed in short words, two from eight letters on (optimal string alignment distance). A word that is
        like none is looked for in the letters of other scripts.
        """
        if term.identifier or any(form in self._frequency for form in term.forms):
            return term
        best = self._nearest(term.forms) if len(term.text) >= LEAST_LENGTH else ()
        best = best or self._in_other_letters(term.text)
        return replace(term, forms=tuple(best[:MOST_FORMS])) if best else term

    def _nearest(self, forms: Iterable[str]) -> Sequence[str]:
        found: dict[str, int] = {}
        for form in forms:
            if len(form) >= LEAST_LENGTH:
                found |= dict(self._near(form, 2 if len(form) >= 8 else 1))
        least = min(found.values(), default=0)
        near = (word for word, slips in found.items() if slips == least)
        return sorted(near, key=lambda word: (-self._frequency[word], word))

    def _near(self, word: str, most: int) -> Sequence[tuple[str, int]]:
        """A slip leaves one of a word's ends as it is, so only words that share one are compared."""
        candidates = {
            known for end in _ends(word) for known in self._alike.get(end, ()) if abs(len(known) - len(word)) <= most
        }
        hits = process.extract(word, sorted(candidates), scorer=OSA.distance, score_cutoff=most, limit=8)
        return [(known, int(slips)) for known, slips, _ in hits]

    def _in_other_letters(self, word: str) -> Sequence[str]:
        """How pages in another script would write the word: as it sounds, else nearly so."""
        if len(word) < LEAST_NAME:
            return ()
        forms = [stemmed(reading, code) for reading in readings(word) for code in self._languages]
        known = [form for form in dict.fromkeys(forms) if form in self._frequency]
        return known or self._nearest(forms)


def _ends(word: str) -> tuple[str, str]:
    return f"{word[:2]}…", f"…{word[-3:]}"
