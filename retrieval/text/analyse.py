"""Text as words for the keyword leg: Unicode words, folded, stemmed by language; the same code for pages and questions.

Identifiers (SKUs, error codes, versions, file names, names_like_this and likeThis, sizes with their unit) are kept whole and
in parts; scripts without spaces become runs of two letters (Chinese, Japanese) or three (Thai, Lao, Khmer, Burmese), and
Vietnamese syllables stand in pairs as well.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import snowballstemmer

from retrieval.text.stopwords import STOPWORDS, UNSPACED_LITTLE

STEMMERS = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hi": "hindi", "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff\u0e31-\u0eff"
    "\u1000-\u109f\u1780-\u17ff"
)
"""Signs that belong to a word though Python's \\w leaves them out: accents, points, vowel signs."""
WORD = re.compile(rf"[\w{MARKS}]+")
TOKEN = re.compile(rf"[\w{MARKS}]+(?:[-./:@#+][\w{MARKS}]+)*")
IDEOGRAPHIC = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
SYLLABIC = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
UNSPACED = re.compile(f"[{IDEOGRAPHIC}]+|[{SYLLABIC}]+")
LITTLE = re.compile("|".join(sorted(UNSPACED_LITTLE, key=len, reverse=True)))
PART = re.compile(r"[^\W\d_]+|\d+")
HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
ALTERNATIVES = 3
REMEMBERED = 1 << 17
PAIRED = frozenset({"vi"})
"""Languages whose words are several syllables written apart."""


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a question: every form that counts as it, and whether it is rather an identifier than a word."""

    text: str
    forms: tuple[str, ...]
    identifier: bool = False

    @property
    def code(self) -> bool:
        """Whether it is an identifier that has letters: a name that is either there or not, unlike a mere number."""
        return self.identifier and any(letter.isalpha() for letter in self.text)


@lru_cache(maxsize=32)
def _stemmer(language: str) -> Any:
    name = STEMMERS.get(language)
    return snowballstemmer.stemmer(name) if name else None


@lru_cache(maxsize=REMEMBERED)
def stemmed(word: str, language: str) -> str:
    """A folded word's stem in a language, without diacritics; words with digits and unknown languages have none."""
    stemmer = _stemmer(language)
    if stemmer is None or any(letter.isdigit() for letter in word):
        return _bare(word)
    return _bare(str(stemmer.stemWord(word)))


def _bare(word: str) -> str:
    """Without diacritics, where the script is Latin, Greek or Cyrillic."""
    if word.isascii():
        return word
    kept = "".join(c for c in unicodedata.normalize("NFD", word) if not 0x300 <= ord(c) <= 0x36F)
    return unicodedata.normalize("NFC", kept).replace("ß", "ss")


def folded(text: str) -> str:
    """One spelling of letters: NFKC and case folding (ß becomes ss)."""
    return unicodedata.normalize("NFKC", text).casefold()


def words(text: str, language: str) -> list[str]:
    """The text's words as the index keeps them, in order; identifiers stand whole before their parts."""
    found: list[str] = []
    for token in TOKEN.findall(unicodedata.normalize("NFKC", text)):
        found += _token(token, language)
    return [*found, *map("_".join, pairwise(found))] if language in PAIRED else found


@lru_cache(maxsize=REMEMBERED)
def _token(token: str, language: str) -> tuple[str, ...]:
    whole, parts = taken_apart(token)
    found = [whole] if whole else []
    if "_" in whole and any(c.isdigit() for c in whole) and any(c.isalpha() for c in whole):
        found.append(whole.replace("_", ""))  # people leave the dashes out
    for part in parts:
        found += _runs(part) if UNSPACED.search(part) else [stemmed(part, language)]
    return tuple(found)


def taken_apart(token: str) -> tuple[str, list[str]]:
    """An identifier as one word (empty: it's none) and its parts, folded; a plain word is its only part.

    A word that ends in digits or begins with them (ESP32, 40mm) counts as whole, with letters and digits as its parts.
    """
    plain = WORD.findall(token)
    lowered = [word.casefold() for word in plain]
    if len(plain) == 1:
        parts = _parts(plain[0])
        return (lowered[0], parts) if len(parts) > 1 else ("", lowered)
    coded = any(letter.isdigit() or letter in "_.@" for letter in token)
    parts = [part for word in plain for part in (_with_parts(word) if coded else [word.casefold()])]
    return ("_".join(lowered) if coded else "", parts)


def _with_parts(word: str) -> list[str]:
    """A word of an identifier, and what it consists of."""
    parts = _parts(word)
    return [word.casefold(), *parts] if len(parts) > 1 else parts


@lru_cache(maxsize=REMEMBERED)
def _parts_of(word: str) -> tuple[str, ...]:
    if UNSPACED.search(word) or not ("_" in word or any(c.isdigit() for c in word) or HUMP.search(word)):
        return (word.casefold(),)
    return tuple(
        part.casefold() for piece in word.split("_") for hump in HUMP.split(piece) for part in PART.findall(hump)
    ) or (word.casefold(),)


def _parts(word: str) -> list[str]:
    return list(_parts_of(word))


def _runs(word: str) -> list[str]:
    """The word with its unspaced stretches as overlapping runs of letters."""
    found: list[str] = []
    at = 0
    for stretch in UNSPACED.finditer(word):
        found += [word[at : stretch.start()]] if stretch.start() > at else []
        size = 3 if "\u0e00" <= stretch[0][0] <= "\u17ff" else 2
        run = stretch[0]
        found += [run[i : i + size] for i in range(len(run) - size + 1)] or [run]
        at = stretch.end()
    return [*found, word[at:]] if at < len(word) else found


def terms(question: str, language: str, corpus_languages: Collection[str]) -> list[Term]:
    """The question's words that carry its subject, each with its forms in the languages of the corpus.

    Little words are left out; when nothing else is there, they are kept.
    """
    little = STOPWORDS.get(language, frozenset()) | STOPWORDS["en"]
    tokens = TOKEN.findall(unicodedata.normalize("NFKC", question))
    found = list(_terms(tokens, language, corpus_languages, little))
    if not found:
        found = list(_terms(tokens, language, corpus_languages, frozenset()))
    if language in PAIRED:
        plain = [stemmed(word.casefold(), language) for word in tokens]
        found += [Term(f"{a} {b}", (f"{a}_{b}",)) for a, b in pairwise(plain)]
    return list({term.text: term for term in reversed(found)}.values())[::-1]


def _terms(
    tokens: Collection[str], language: str, corpus_languages: Collection[str], little: Collection[str]
) -> Iterator[Term]:
    for token in tokens:
        whole, parts = taken_apart(token)
        if whole:
            spellings = (whole, whole.replace("_", ""), "_".join(parts))
            yield Term(whole, tuple(dict.fromkeys(spellings)), identifier=True)
        for word in parts:
            if UNSPACED.search(word):
                for part in (LITTLE.sub(" ", word).split() if little else []) or [word]:
                    yield from (Term(run, (run,)) for run in _runs(part))
            elif word not in little and (len(word) > 1 or word.isdigit()):
                yield _term(word, language, corpus_languages)


def _term(word: str, language: str, corpus_languages: Collection[str]) -> Term:
    languages = dict.fromkeys([language, *corpus_languages])
    forms = dict.fromkeys(stemmed(word, code) for code in languages)
    return Term(word, tuple(forms)[:ALTERNATIVES], identifier=word.isdigit() and len(word) > 1)


def quoted(forms: Collection[str]) -> str:
    """An FTS5 query of quoted words joined by OR: nothing of a visitor's text is ever read as syntax."""
    return " OR ".join('"' + form.replace('"', "") + '"' for form in forms)
