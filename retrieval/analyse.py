"""Text as words for the keyword leg: Unicode words, folded, stemmed by language; the same code for pages and questions.

Identifiers (SKUs, error codes, versions) are kept whole and in parts; scripts without spaces become two-letter words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import snowballstemmer

from retrieval.stopwords import STOPWORDS

STEMMERS = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hi": "hindi", "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
IDENTIFIER = re.compile(r"\w+(?:[-_./:@#+]\w+)+", re.UNICODE)
WORD = re.compile(r"[\w\u0300-\u036f\u0900-\u097f]+", re.UNICODE)
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f\u0e80-\u0eff\u1780-\u17ff]+")
ALTERNATIVES = 3


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a question: every form that counts as it, and whether it is rather an identifier than a word."""

    text: str
    forms: tuple[str, ...]
    identifier: bool = False


@lru_cache(maxsize=32)
def _stemmer(language: str) -> Any:
    name = STEMMERS.get(language)
    return snowballstemmer.stemmer(name) if name else None


@lru_cache(maxsize=65536)
def _stem(word: str, language: str) -> str:
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
    lowered = folded(text)
    found = [_whole(match[0]) for match in IDENTIFIER.finditer(lowered) if any(letter.isdigit() for letter in match[0])]
    for word in WORD.findall(lowered):
        found += _bigrams(word) if UNSPACED.search(word) else [_stem(word, language)]
    return found


def _whole(identifier: str) -> str:
    return "_".join(WORD.findall(identifier))


def _bigrams(word: str) -> list[str]:
    found: list[str] = []
    for run in re.split(f"({UNSPACED.pattern})", word):
        if UNSPACED.fullmatch(run):
            found += [run[i : i + 2] for i in range(len(run) - 1)] or [run]
        elif run:
            found.append(run)
    return found


def terms(question: str, language: str, corpus_languages: Collection[str]) -> list[Term]:
    """The question's words that carry its subject, each with its forms in the languages of the corpus.

    Little words are left out; when nothing else is there, they are kept.
    """
    lowered = folded(question)
    found: dict[str, Term] = {}
    for match in IDENTIFIER.finditer(lowered):
        if any(letter.isdigit() for letter in match[0]):
            found[match[0]] = Term(match[0], (_whole(match[0]),), identifier=True)
    little = STOPWORDS.get(language, frozenset()) | STOPWORDS["en"]
    plain = [word for word in WORD.findall(lowered) if len(word) > 1 or word.isdigit()]
    for word in [word for word in plain if word not in little] or plain:
        if UNSPACED.search(word):
            found.update({pair: Term(pair, (pair,)) for pair in _bigrams(word)})
        else:
            found.setdefault(word, _term(word, language, corpus_languages))
    return list(found.values())


def _term(word: str, language: str, corpus_languages: Collection[str]) -> Term:
    languages = dict.fromkeys([language, *corpus_languages])
    forms = dict.fromkeys(_stem(word, code) for code in languages)
    code = any(c.isdigit() for c in word) and any(c.isalpha() for c in word)
    return Term(word, tuple(forms)[:ALTERNATIVES], identifier=code)


def match_query(found: Collection[Term], most: int = 32) -> str:
    """An FTS5 query of quoted words joined by OR: nothing of the visitor's text is ever read as syntax."""
    forms = dict.fromkeys(form for term in found for form in term.forms)
    return " OR ".join('"' + form.replace('"', "") + '"' for form in list(forms)[:most])
