"""The language of a text: told by its script, by its stopwords, and by a trained detector (py3langid) where it is longer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from functools import lru_cache
from typing import Any

from retrieval.text.stopwords import STOPWORDS

# The first that fits counts: Japanese before Chinese (both write kanji), Ukrainian before Russian.
LANGUAGE_BY_SCRIPT = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("uk", re.compile(r"[іїєґ]", re.I)),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
)
# A letter of these adds 0.6 to the votes of its language: less than one stopword, enough to break a tie.
TELLING_LETTERS = {
    "de": "äöüß",
    "es": "ñ¿¡áéíóú",
    "fr": "çœàâêèëîôû",
    "pt": "ãõçáéíóú",
    "it": "àèìòù",
    "pl": "ąćęłńśźż",
    "tr": "ğışİ",
}
STOPWORD_LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "nl")
"""Languages whose lists of stopwords are long enough to decide by themselves."""
NO_LANGUAGE = "zxx"
"""What the detector answers for a text without linguistic content (ISO 639-2)."""
LETTER_RUN = re.compile(r"[^\W\d_]+")
LEAST_DETECTED_CHARACTERS = 60
"""Characters from which the trained detector is believed on its own; chosen by hand, no command measures it."""


@lru_cache(maxsize=1)
def _detector() -> Any:
    import py3langid.langid as langid  # here, since loading its model takes half a second

    return langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)


def detect(text: str, hint: str = "", among: Collection[str] = ()) -> str:
    """The language of a text as a two-letter code; `hint` where the text doesn't tell, else "en".

    Only the first 4,000 characters are read. `hint`: what a page or platform claims ("de-AT" is read as "de"). `among`:
    languages that are likelier, for instance those of the corpus.
    """
    hint = hint.partition("-")[0].lower()
    sample = text[:4000]
    words = [word.lower() for word in LETTER_RUN.findall(sample)]
    for code, letters in () if sample.isascii() else LANGUAGE_BY_SCRIPT:
        if len(letters.findall(sample)) * 4 > len(words) + 2:  # a few foreign names don't make a text foreign
            return hint if code == "ar" and hint in ("fa", "ur") else code
    votes = _stopword_votes(sample.lower(), words)
    best = max(votes, key=lambda code: (votes[code], code in among, code == hint), default="")
    if (
        best
        and votes[best] > 0
        and (len(sample) < LEAST_DETECTED_CHARACTERS or _stopwords_decide(votes, best, len(words), hint))
    ):
        return best
    if len(sample) < LEAST_DETECTED_CHARACTERS:
        return _of_short_text(sample, hint, among)
    if hint in votes and votes[hint] >= max(0.4 * votes[best], 0.05 * len(words)):
        return hint  # names and labels of many languages, and the page's own word is as likely as any
    detected = str(_detector().classify(sample)[0])
    return detected if detected != NO_LANGUAGE else hint or best or "en"


def _stopwords_decide(votes: dict[str, float], best: str, words: int, hint: str) -> bool:
    """Whether stopwords alone decide: they are a good share of all words, and clearly more than any other language's.

    A smaller share is enough when the lead is greater, or when it agrees with what the page says of itself. The shares
    were chosen by hand; tests/retrieval/text/test_language.py holds the cases.
    """
    second = max((votes[code] for code in votes if code != best), default=0.0)
    share, lead = votes[best] / max(1, words), votes[best] / max(0.5, second)
    return (
        (share >= 0.2 and lead >= 1.3)
        or (share >= 0.125 and lead >= 2)
        or (best == hint and share >= 0.06 and lead >= 1.3)
    )


def _of_short_text(sample: str, hint: str, among: Collection[str]) -> str:
    """The language of a text without stopwords: the detector's only if it is sure, since it guesses wildly on names."""
    if any(len(word) > 3 for word in LETTER_RUN.findall(sample)):
        code, probability = _detector().classify(sample)
        if probability > 0.9 and (code in among or not among):
            return str(code)
    return hint or ("en" if "en" in among or not among else next(iter(among)))


def _stopword_votes(sample: str, words: list[str]) -> dict[str, float]:
    """For each language how many of the words are its stopwords; `sample`: the text in lower case."""
    counts = Counter(words)
    votes = {code: float(sum(counts[word] for word in counts.keys() & STOPWORDS[code])) for code in STOPWORD_LANGUAGES}
    for code, letters in () if sample.isascii() else TELLING_LETTERS.items():
        if code in votes and any(letter in sample for letter in letters):
            votes[code] += 0.6
    return votes
