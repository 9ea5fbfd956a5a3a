"""Text as MiniLM's token numbers: BERT's uncased word pieces (Devlin et al. 2019; Schuster and Nakajima 2012).

The vocabulary file is BERT's own (Google, Apache License 2.0), one piece a line; a piece's number is its line.
"""

from __future__ import annotations

import gzip
import unicodedata
from functools import lru_cache
from importlib.resources import files

CONTINUED = "##"
"""Stands before a piece that goes on a word."""
UNKNOWN_PIECE, START_PIECE, END_PIECE = "[UNK]", "[CLS]", "[SEP]"
# BERT's own: a longer word counts as unknown.
LONGEST_WORD = 100
# Chosen by hand, no command compares others: hardly any text has more letters a token.
LETTERS_A_TOKEN = 24
# BERT's own list of blocks whose letters stand alone, each a word.
IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


@lru_cache(maxsize=1)
def vocabulary() -> dict[str, int]:
    """Pieces to numbers; 30,522 of them."""
    packed = files("retrieval.embed.models").joinpath("vocabulary.txt.gz").read_bytes()
    return {piece: number for number, piece in enumerate(gzip.decompress(packed).decode().split("\n"))}


def token_numbers(text: str, most: int) -> list[int]:
    """The text's token numbers between those of beginning and end, at most `most` with these two."""
    piece_numbers = vocabulary()
    numbers = [piece_numbers[START_PIECE]]
    for word in _words(text[: most * LETTERS_A_TOKEN]):
        numbers += _pieces(word)
        if len(numbers) >= most - 1:
            break
    return [*numbers[: most - 1], piece_numbers[END_PIECE]]


def _words(text: str) -> list[str]:
    """The words in lower case without accents; punctuation marks and ideographs are words of their own."""
    plain = unicodedata.normalize("NFD", "".join(map(_cleaned, text)).lower())
    return "".join(map(_set_apart, plain)).split()


@lru_cache(maxsize=4096)
def _cleaned(letter: str) -> str:
    """A letter without control characters; with spaces around an ideograph."""
    code = ord(letter)
    if letter in "\t\n\r" or unicodedata.category(letter) == "Zs":
        return " "
    if code in (0, 0xFFFD) or unicodedata.category(letter)[0] == "C":
        return ""
    return f" {letter} " if any(low <= code <= high for low, high in IDEOGRAPHS) else letter


@lru_cache(maxsize=4096)
def _set_apart(letter: str) -> str:
    """Nothing for an accent, spaces around a punctuation mark; for BERT each ASCII sign that is no letter is one."""
    if unicodedata.category(letter) == "Mn":
        return ""
    ascii_mark = letter.isascii() and not letter.isalnum() and not letter.isspace()
    return f" {letter} " if ascii_mark or unicodedata.category(letter)[0] == "P" else letter


@lru_cache(maxsize=32768)
def _pieces(word: str) -> tuple[int, ...]:
    """The numbers of a word's longest known beginning, then of the longest known piece that goes on, and so on."""
    piece_numbers = vocabulary()
    unknown = (piece_numbers[UNKNOWN_PIECE],)
    numbers: list[int] = []
    at = 0
    while at < len(word) <= LONGEST_WORD:
        mark = CONTINUED if at else ""
        end = next((end for end in range(len(word), at, -1) if mark + word[at:end] in piece_numbers), 0)
        if not end:
            return unknown
        numbers.append(piece_numbers[mark + word[at:end]])
        at = end
    return tuple(numbers) or unknown
