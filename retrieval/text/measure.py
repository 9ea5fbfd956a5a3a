"""The unit that chunk sizes are counted in: tokens as the model counts them, or words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from retrieval.text.tokens import token_ends, tokens

WORD_UNIT = re.compile(
    r"[\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]{1,2}"
    r"|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]{1,4}"
    r"|[^\s\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
"""What counts as one word: a run without spaces; of Chinese and Japanese two letters, of Thai, Lao, Burmese and Khmer four.

The two and four are rough averages, chosen by hand.
"""


@dataclass(frozen=True, slots=True)
class Measure:
    """How a text is counted: `units` gives its tokens or words, `ends` where in the text each of those ends, in characters."""

    units: Callable[[str], list[int]]
    ends: Callable[[str, list[int]], list[int]]


def _word_ends(text: str) -> list[int]:
    return [found.end() for found in WORD_UNIT.finditer(text)]


IN_TOKENS = Measure(tokens, token_ends)
IN_WORDS = Measure(_word_ends, lambda _, made: made)  # a word is represented by its own end
