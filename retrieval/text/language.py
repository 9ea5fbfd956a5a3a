"""The language of a text: by script, by its little words, and by a trained detector for longer texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from functools import lru_cache
from typing import Any

from retrieval.text.stopwords import STOPWORDS

SCRIPTS = (
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
LETTERS = {
    "de": "äöüß",
    "es": "ñ¿¡áéíóú",
    "fr": "çœàâêèëîôû",
    "pt": "ãõçáéíóú",
    "it": "àèìòù",
    "pl": "ąćęłńśźż",
    "tr": "ğışİ",
}
VOTING = ("en", "de", "es", "fr", "it", "pt", "nl")
"""Languages whose little words are long enough lists to decide by themselves."""
NO_LANGUAGE = "zxx"
WORD = re.compile(r"[^\W\d_]+")
LONG = 60
"""Characters from which the trained detector is believed on its own."""


@lru_cache(maxsize=1)
def _detector() -> Any:
    import py3langid.langid as langid

    return langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)


def detect(text: str, hint: str = "", among: Collection[str] = ()) -> str:
    """The primary subtag of the text's language; `hint` where the text doesn't say, else "en".

    `hint`: what a page or platform claims. `among`: languages that are likelier, for instance those of the corpus.
    """
    hint = hint.partition("-")[0].lower()
    sample = text[:4000]
    words = [word.lower() for word in WORD.findall(sample)]
    for code, letters in () if sample.isascii() else SCRIPTS:
        if len(letters.findall(sample)) * 4 > len(words) + 2:
            return hint if code == "ar" and hint in ("fa", "ur") else code
    votes = _votes(sample.lower(), words)
    best = max(votes, key=lambda code: (votes[code], code in among, code == hint), default="")
    if best and votes[best] > 0 and (len(sample) < LONG or _clear(votes, best, len(words), hint)):
        return best
    if len(sample) < LONG:
        return _short(sample, hint, among)
    if hint in votes and votes[hint] >= max(0.4 * votes[best], 0.05 * len(words)):
        return hint  # names and labels of many languages, and the page's own word is as likely as any
    found = str(_detector().classify(sample)[0])
    return found if found != NO_LANGUAGE else hint or best or "en"


def _clear(votes: dict[str, float], best: str, words: int, hint: str) -> bool:
    """Whether little words alone decide: enough of them, clearly more than in any other language.

    Fewer are enough when the lead is greater, or when they only bear out what the page says of itself.
    """
    second = max((votes[code] for code in votes if code != best), default=0.0)
    share, lead = votes[best] / max(1, words), votes[best] / max(0.5, second)
    return (
        (share >= 0.2 and lead >= 1.3)
        or (share >= 0.125 and lead >= 2)
        or (best == hint and share >= 0.06 and lead >= 1.3)
    )


def _short(sample: str, hint: str, among: Collection[str]) -> str:
    if any(len(word) > 3 for word in WORD.findall(sample)):
        code, probability = _detector().classify(sample)
        if probability > 0.9 and (code in among or not among):
            return str(code)
    return hint or ("en" if "en" in among or not among else next(iter(among)))


def _votes(sample: str, words: list[str]) -> dict[str, float]:
    counts = Counter(words)
    votes = {code: float(sum(counts[word] for word in counts.keys() & STOPWORDS[code])) for code in VOTING}
    for code, letters in () if sample.isascii() else LETTERS.items():
        if code in votes and any(letter in sample for letter in letters):
            votes[code] += 0.6
    return votes
