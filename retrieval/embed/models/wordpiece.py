"""Text as the model's token numbers: BERT's uncased word pieces (Devlin et al. 2019; Schuster and Nakajima 2012).

The vocabulary file is BERT's own (Google, Apache License 2.0), one piece a line; a piece's number is its line.
"""

from __future__ import annotations

import gzip
import unicodedata
from functools import lru_cache
from importlib.resources import files

CONTINUED = "##"
UNKNOWN, FIRST, LAST = "[UNK]", "[CLS]", "[SEP]"
LONGEST_WORD = 100
"""Characters of a word beyond which it counts as unknown."""
IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


@lru_cache(maxsize=1)
def vocabulary() -> dict[str, int]:
    """Pieces to numbers; 30,522 of them."""
    packed = files("retrieval.embed.models").joinpath("vocabulary.txt.gz").read_bytes()
    return {piece: number for number, piece in enumerate(gzip.decompress(packed).decode().split("\n"))}


def tokens(text: str, most: int) -> list[int]:
    """Token numbers between the marks of beginning and end, at most `most` with these."""
    known = vocabulary()
    found = [known[FIRST]]
    for word in _words(text[: most * 24]):
        found += _pieces(word)
        if len(found) >= most - 1:
            break
    return [*found[: most - 1], known[LAST]]


def _words(text: str) -> list[str]:
    """Lower case, without accents, punctuation and ideographs standing alone."""
    plain = unicodedata.normalize("NFD", "".join(map(_spaced, text)).lower())
    return "".join(map(_apart, plain)).split()


@lru_cache(maxsize=4096)
def _spaced(letter: str) -> str:
    code = ord(letter)
    if letter in "\t\n\r" or unicodedata.category(letter) == "Zs":
        return " "
    if code in (0, 0xFFFD) or unicodedata.category(letter)[0] == "C":
        return ""
    return f" {letter} " if any(low <= code <= high for low, high in IDEOGRAPHS) else letter


@lru_cache(maxsize=4096)
def _apart(letter: str) -> str:
    if unicodedata.category(letter) == "Mn":
        return ""
    ascii_mark = letter.isascii() and not letter.isalnum() and not letter.isspace()
    return f" {letter} " if ascii_mark or unicodedata.category(letter)[0] == "P" else letter


@lru_cache(maxsize=32768)
def _pieces(word: str) -> tuple[int, ...]:
    """The longest known beginning, then the longest known continuation, and so on."""
    known = vocabulary()
    found: list[int] = []
    at = 0
    while at < len(word) <= LONGEST_WORD:
        mark = CONTINUED if at else ""
        end = next((end for end in range(len(word), at, -1) if mark + word[at:end] in known), 0)
        if not end:
            return (known[UNKNOWN],)
        found.append(known[mark + word[at:end]])
        at = end
    return tuple(found) or (known[UNKNOWN],)
