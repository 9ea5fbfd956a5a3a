"""Text as SentencePiece's unigram pieces (Kudo 2018): the likeliest way to cut each word, by Viterbi."""

from __future__ import annotations

import re
from array import array
from functools import lru_cache

from retrieval.embed.models.packed_file import UnigramVocabulary

WORD_START = "\u2581"
"""Stands for a space, at the beginning of a word's first piece."""
# SentencePiece's own (kUnkPenalty): how much less likely than the least likely piece an unknown letter is.
UNKNOWN_PENALTY = 10.0
# Chosen by hand, no command compares others: some tens of thousands of words make up nearly all of a site's text.
CACHED_WORDS = 65536
# The longest piece of e5 has 16 letters: what lies beyond is left out before it is cut, since it would be left out after.
LETTERS_A_TOKEN = 16


class UnigramTokenizer:
    """The tokenizer of a packed model. Pieces never hold a space inside, so a text is cut word by word."""

    def __init__(self, vocabulary: UnigramVocabulary) -> None:
        self._start, self._end, self._unknown = vocabulary.start, vocabulary.end, vocabulary.unknown
        self._numbers = {text: number for number, text in enumerate(vocabulary.pieces) if number != vocabulary.unknown}
        self._scores = array("f", vocabulary.scores)
        self._replaced = vocabulary.replaced
        self._longest = max(map(len, vocabulary.pieces))
        self._unknown_score = min(vocabulary.scores) - UNKNOWN_PENALTY
        self._pieces_of = lru_cache(maxsize=CACHED_WORDS)(self._best_cut)

    def token_numbers(self, text: str, most: int) -> list[int]:
        """The text's token numbers between those of beginning and end, at most `most` with these two."""
        numbers = [self._start]
        plain = re.sub(" {2,}", " ", text[: most * LETTERS_A_TOKEN].translate(self._replaced))
        for word in plain.removeprefix(" ").split(" "):
            numbers += self._pieces_of(WORD_START + word)
            if len(numbers) >= most - 1:
                break
        return [*numbers[: most - 1], self._end]

    def _best_cut(self, word: str) -> tuple[int, ...]:
        """The pieces whose scores add up to the most."""
        best: list[tuple[float, int, int]] = [(0.0, 0, -1)]  # by end: score, where the last piece begins, its number
        for end in range(1, len(word) + 1):
            best.append((best[end - 1][0] + self._unknown_score, end - 1, self._unknown))
            for start in range(max(0, end - self._longest), end):
                number = self._numbers.get(word[start:end])
                if number is not None and best[start][0] + self._scores[number] > best[end][0]:
                    best[end] = (best[start][0] + self._scores[number], start, number)
        pieces: list[int] = []
        end = len(word)
        while end:
            _, start, number = best[end]
            pieces.append(number)
            end = start
        return tuple(reversed(pieces))
