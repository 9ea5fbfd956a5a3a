"""Words that the corpus doesn't know, corrected from the corpus' own vocabulary, in its own script."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from rapidfuzz import process
from rapidfuzz.distance import OSA

from retrieval.text.analyse import Term, stemmed
from retrieval.text.transliterate import readings

# All four chosen by hand, no command compares others. test_short_words_are_never_corrected_since_everything_is_near_them
# keeps the first.
LEAST_LETTERS = 5
"""Letters from which a word is corrected."""
TWO_SLIPS_LETTERS = 8
"""Letters from which two slips are allowed rather than one."""
LEAST_LETTERS_OF_ANOTHER_SCRIPT = 3
"""Letters from which a word is looked for in another script."""
MOST_FORMS = 3
"""Known words that a corrected one may stand for."""


class SpellingCorrector:
    """Corrects terms from a vocabulary: analysed words, and in how many chunks each stands.

    `languages`: those of the corpus, whose stems a word from another script is looked up by.
    """

    def __init__(self, frequency: Mapping[str, int], languages: Collection[str] = ()) -> None:
        self._frequency = frequency
        self._languages = languages
        self._words_by_end: dict[str, list[str]] = {}
        for word in frequency:
            if len(word) >= LEAST_LETTERS - 1 and word.isalpha():
                for end in _ends(word):
                    self._words_by_end.setdefault(end, []).append(word)

    def corrected(self, term: Term) -> Term:
        """The term with the nearest known words as its forms when none of its own is known; else as it is.

        One slip is allowed in short words, two from eight letters on (optimal string alignment distance). A word that is
        like none is looked for in the letters of other scripts.
        """
        if term.identifier or any(form in self._frequency for form in term.forms):
            return term
        best = self._nearest(term.forms) if len(term.text) >= LEAST_LETTERS else ()
        best = best or self._in_other_letters(term.text)  # last: a slip is likelier than another script
        return replace(term, forms=tuple(best[:MOST_FORMS])) if best else term

    def _nearest(self, forms: Iterable[str]) -> Sequence[str]:
        """The known words with the fewest slips from any of the forms, the commonest first."""
        slips_by_word: dict[str, int] = {}
        for form in forms:
            if len(form) >= LEAST_LETTERS:
                slips_by_word |= dict(self._near(form, 2 if len(form) >= TWO_SLIPS_LETTERS else 1))
        fewest = min(slips_by_word.values(), default=0)
        near = (word for word, slips in slips_by_word.items() if slips == fewest)
        return sorted(near, key=lambda word: (-self._frequency[word], word))

    def _near(self, word: str, most_slips: int) -> Sequence[tuple[str, int]]:
        """Known words with at most so many slips from a word, and how many.

        A slip leaves one of a word's ends as it is, so only words that share one are compared.
        """
        candidates = {
            known
            for end in _ends(word)
            for known in self._words_by_end.get(end, ())
            if abs(len(known) - len(word)) <= most_slips
        }
        near = process.extract(word, sorted(candidates), scorer=OSA.distance, score_cutoff=most_slips, limit=8)
        return [(known, int(slips)) for known, slips, _ in near]

    def _in_other_letters(self, word: str) -> Sequence[str]:
        """How pages in another script would write the word: as it sounds, else nearly so."""
        if len(word) < LEAST_LETTERS_OF_ANOTHER_SCRIPT:
            return ()
        forms = [stemmed(reading, code) for reading in readings(word) for code in self._languages]
        known = [form for form in dict.fromkeys(forms) if form in self._frequency]
        return known or self._nearest(forms)


def _ends(word: str) -> tuple[str, str]:
    return f"{word[:2]}…", f"…{word[-3:]}"
