"""Text as the words of the keyword index, by the same rules for pages and for questions: folded, stemmed, identifiers kept.

Identifiers (SKUs, error codes, versions, file names, names_like_this and likeThis, sizes with their unit) are kept whole and
in parts. Scripts without spaces become overlapping runs of two letters (Chinese, Japanese) or three (Thai, Lao, Khmer,
Burmese). Vietnamese syllables stand alone and in pairs. Why so: README.md.
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

from retrieval.text.stopwords import STOPWORDS, UNSPACED_STOPWORDS

STEMMER_BY_LANGUAGE = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hi": "hindi", "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
COMBINING_MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff\u0e31-\u0eff"
    "\u1000-\u109f\u1780-\u17ff"
)
"""Signs that belong to a word though Python's \\w leaves them out: accents, points, vowel signs; for a character class."""
PLAIN_WORD = re.compile(rf"[\w{COMBINING_MARKS}]+")
# The signs inside of a token are those of codes (TT-DB-20), paths, times, addresses and C++: an identifier is found whole.
WORD_OR_IDENTIFIER = re.compile(rf"[\w{COMBINING_MARKS}]+(?:[-./:@#+][\w{COMBINING_MARKS}]+)*")
IDEOGRAPHIC_LETTERS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
# Thai, Lao, Burmese, Khmer: one written syllable is several letters, so their runs are longer than those of ideographs.
SYLLABIC_LETTERS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
UNSPACED_RUN = re.compile(f"[{IDEOGRAPHIC_LETTERS}]+|[{SYLLABIC_LETTERS}]+")
# The longest first, or of ですか only its で would go.
UNSPACED_STOPWORD = re.compile("|".join(sorted(UNSPACED_STOPWORDS, key=len, reverse=True)))
LETTERS_OR_DIGITS = re.compile(r"[^\W\d_]+|\d+")
# Between maxSpeed's two words, and between HTTP and Server in HTTPServer.
CAMEL_HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
MOST_FORMS_OF_TERM = 3
"""Stems of one word that are searched for, the asker's language first; chosen by hand, no command measures it."""
WORDS_CACHED = 1 << 17
"""Words that each cache holds, about the vocabulary of a large site; chosen by hand, no command measures it."""
SYLLABLE_PAIR_LANGUAGES = frozenset({"vi"})
"""Languages whose words are often two syllables written apart, so that pairs of syllables are indexed too."""


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a question: `text` as asked, `forms` as the index may hold it, and whether it is an identifier."""

    text: str
    forms: tuple[str, ...]
    identifier: bool = False

    @property
    def code(self) -> bool:
        """Whether it is an identifier with a letter in it (TT-DB-20); a mere number (20) may stand in any text by chance."""
        return self.identifier and any(letter.isalpha() for letter in self.text)


@lru_cache(maxsize=32)
def _stemmer(language: str) -> Any:
    name = STEMMER_BY_LANGUAGE.get(language)
    return snowballstemmer.stemmer(name) if name else None


@lru_cache(maxsize=WORDS_CACHED)
def stemmed(word: str, language: str) -> str:
    """A folded word's stem in a language, without diacritics; words with digits and unknown languages are not stemmed."""
    stemmer = _stemmer(language)
    if stemmer is None or any(letter.isdigit() for letter in word):
        return _without_diacritics(word)
    return _without_diacritics(str(stemmer.stemWord(word)))


def _without_diacritics(word: str) -> str:
    """The word without accents and umlauts (the combining marks U+0300 to U+036F), and with ss for ß."""
    if word.isascii():
        return word
    letters = "".join(c for c in unicodedata.normalize("NFD", word) if not 0x300 <= ord(c) <= 0x36F)
    return unicodedata.normalize("NFC", letters).replace("ß", "ss")


def folded(text: str) -> str:
    """The text with one spelling for each letter: NFKC and case folding (ß becomes ss)."""
    return unicodedata.normalize("NFKC", text).casefold()


def words(text: str, language: str) -> list[str]:
    """The text's words as the index keeps them, in order; identifiers stand whole before their parts."""
    indexed: list[str] = []
    for token in WORD_OR_IDENTIFIER.findall(unicodedata.normalize("NFKC", text)):
        indexed += _words_of_token(token, language)
    return [*indexed, *map("_".join, pairwise(indexed))] if language in SYLLABLE_PAIR_LANGUAGES else indexed


@lru_cache(maxsize=WORDS_CACHED)
def _words_of_token(token: str, language: str) -> tuple[str, ...]:
    whole, parts = taken_apart(token)
    indexed = [whole] if whole else []
    if "_" in whole and any(c.isdigit() for c in whole) and any(c.isalpha() for c in whole):
        indexed.append(whole.replace("_", ""))  # people leave the dashes out
    for part in parts:
        indexed += _letter_runs(part) if UNSPACED_RUN.search(part) else [stemmed(part, language)]
    return tuple(indexed)


def taken_apart(token: str) -> tuple[str, list[str]]:
    """A token as (its whole, its parts), lower case: the whole joined by `_`, and empty unless it is an identifier.

    `TT-DB-20` gives ("tt_db_20", [tt, db, 20]), `ESP32` ("esp32", [esp, 32]), `well-known` ("", [well, known]).
    """
    plain = PLAIN_WORD.findall(token)
    lowered = [word.casefold() for word in plain]
    if len(plain) == 1:
        parts = _parts(plain[0])
        return (lowered[0], parts) if len(parts) > 1 else ("", lowered)
    coded = any(letter.isdigit() or letter in "_.@" for letter in token)
    parts = [part for word in plain for part in (_whole_and_parts(word) if coded else [word.casefold()])]
    return ("_".join(lowered) if coded else "", parts)


def _whole_and_parts(word: str) -> list[str]:
    """A word inside of an identifier, followed by the parts that it consists of when these are several."""
    parts = _parts(word)
    return [word.casefold(), *parts] if len(parts) > 1 else parts


@lru_cache(maxsize=WORDS_CACHED)
def _parts_of(word: str) -> tuple[str, ...]:  # a tuple, since what is cached must not be changed
    if UNSPACED_RUN.search(word) or not ("_" in word or any(c.isdigit() for c in word) or CAMEL_HUMP.search(word)):
        return (word.casefold(),)
    return tuple(
        part.casefold()
        for piece in word.split("_")
        for hump in CAMEL_HUMP.split(piece)
        for part in LETTERS_OR_DIGITS.findall(hump)
    ) or (word.casefold(),)


def _parts(word: str) -> list[str]:
    return list(_parts_of(word))


def _letter_runs(word: str) -> list[str]:
    """The word with each stretch of an unspaced script as overlapping runs of letters: 東京駅 gives 東京, 京駅."""
    runs: list[str] = []
    at = 0
    for stretch in UNSPACED_RUN.finditer(word):
        runs += [word[at : stretch.start()]] if stretch.start() > at else []
        size = 3 if "\u0e00" <= stretch[0][0] <= "\u17ff" else 2
        run = stretch[0]
        runs += [run[i : i + size] for i in range(len(run) - size + 1)] or [run]
        at = stretch.end()
    return [*runs, word[at:]] if at < len(word) else runs


def terms(question: str, language: str, corpus_languages: Collection[str]) -> list[Term]:
    """The question's words without stopwords, each once, with its stems in the languages of the corpus.

    A question of stopwords alone keeps them. `language`, `corpus_languages`: codes such as "de".
    """
    stopwords = STOPWORDS.get(language, frozenset()) | STOPWORDS["en"]
    tokens = WORD_OR_IDENTIFIER.findall(unicodedata.normalize("NFKC", question))
    asked = list(_terms(tokens, language, corpus_languages, stopwords))
    if not asked:
        asked = list(_terms(tokens, language, corpus_languages, frozenset()))
    if language in SYLLABLE_PAIR_LANGUAGES:
        plain = [stemmed(word.casefold(), language) for word in tokens]
        asked += [Term(f"{a} {b}", (f"{a}_{b}",)) for a, b in pairwise(plain)]
    return list({term.text: term for term in reversed(asked)}.values())[::-1]


def _terms(
    tokens: Collection[str], language: str, corpus_languages: Collection[str], stopwords: Collection[str]
) -> Iterator[Term]:
    for token in tokens:
        whole, parts = taken_apart(token)
        if whole:
            spellings = (whole, whole.replace("_", ""), "_".join(parts))
            yield Term(whole, tuple(dict.fromkeys(spellings)), identifier=True)
        for word in parts:
            if UNSPACED_RUN.search(word):
                for part in (UNSPACED_STOPWORD.sub(" ", word).split() if stopwords else []) or [word]:
                    yield from (Term(run, (run,)) for run in _letter_runs(part))
            elif word not in stopwords and (len(word) > 1 or word.isdigit()):
                yield _term(word, language, corpus_languages)


def _term(word: str, language: str, corpus_languages: Collection[str]) -> Term:
    languages = dict.fromkeys([language, *corpus_languages])
    forms = dict.fromkeys(stemmed(word, code) for code in languages)
    return Term(word, tuple(forms)[:MOST_FORMS_OF_TERM], identifier=word.isdigit() and len(word) > 1)


def quoted(forms: Collection[str]) -> str:
    """An FTS5 query of quoted words joined by OR: nothing of a visitor's text is ever read as syntax."""
    return " OR ".join('"' + form.replace('"', "") + '"' for form in forms)
