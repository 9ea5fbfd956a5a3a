"""What sizes are in: tokens as the model counts them, or words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from retrieval.text.tokens import ends, tokens

WORD = re.compile(
    r"[\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]{1,2}"
    r"|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]{1,4}"
    r"|[^\s\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
"""What stands between spaces; two Chinese or Japanese letters, four Thai, Lao, Burmese or Khmer ones, are about a word."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A text's units, tokens or words, and where in it each of them ends."""

    units: Callable[[str], list[int]]
    ends: Callable[[str, list[int]], list[int]]


def _words(text: str) -> list[int]:
    return [found.end() for found in WORD.finditer(text)]


TOKENS = Measure(tokens, ends)
WORDS = Measure(_words, lambda _, made: made)
