"""Text as SentencePiece's unigram pieces (Kudo 2018): the likeliest way to cut each word, by Viterbi."""

from __future__ import annotations

import re
from array import array
from functools import lru_cache

from retrieval.embed.models.packed_file import Pieces

SPACE = "\u2581"
"""Stands for a space, at the beginning of a word's first piece."""
UNKNOWN_PENALTY = 10.0
"""How much worse than the worst piece an unknown letter is."""
REMEMBERED = 65536


class Unigram:
    """The tokenizer of a packed model. Pieces never hold a space inside, so a text is cut word by word."""

    def __init__(self, pieces: Pieces) -> None:
        self._first, self._last, self._unknown = pieces.first, pieces.last, pieces.unknown
        self._known = {text: number for number, text in enumerate(pieces.texts) if number != pieces.unknown}
        self._scores = array("f", pieces.scores)
        self._replaced = pieces.replaced
        self._longest = max(map(len, pieces.texts))
        self._unknown_score = min(pieces.scores) - UNKNOWN_PENALTY
        self.word = lru_cache(maxsize=REMEMBERED)(self._word)

    def tokens(self, text: str, most: int) -> list[int]:
        """Token numbers between the marks of beginning and end, at most `most` with these."""
        found = [self._first]
        plain = re.sub(" {2,}", " ", text[: most * 16].translate(self._replaced))
        for word in plain.removeprefix(" ").split(" "):
            found += self.word(SPACE + word)
            if len(found) >= most - 1:
                break
        return [*found[: most - 1], self._last]

    def _word(self, word: str) -> tuple[int, ...]:
        best: list[tuple[float, int, int]] = [(0.0, 0, -1)]  # score, where the last piece begins, its number
        for end in range(1, len(word) + 1):
            best.append((best[end - 1][0] + self._unknown_score, end - 1, self._unknown))
            for start in range(max(0, end - self._longest), end):
                number = self._known.get(word[start:end])
                if number is not None and best[start][0] + self._scores[number] > best[end][0]:
                    best[end] = (best[start][0] + self._scores[number], start, number)
        found: list[int] = []
        at = len(word)
        while at:
            _, start, number = best[at]
            found.append(number)
            at = start
        return tuple(reversed(found))
