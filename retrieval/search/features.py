"""What the words of a chunk say about a question beyond how many of them it holds: pure functions over analysed words.

Every feature is a share of the question's weight by rarity, 0 to 1. Words are those of the keyword leg, in their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrieval.text.analyse import Term

# Chosen by hand, no command compares others.
NEAR_WORDS = 3
"""How far apart, in words, two words may stand that stood side by side in the question."""


@dataclass(frozen=True, slots=True)
class WeightedTerms:
    """A question's terms by their position in it: the weight of each by rarity, and the position of each form of a word."""

    weights: Sequence[float]
    positions: Mapping[str, int]

    @classmethod
    def of(cls, weighted: Mapping[Term, float]) -> WeightedTerms:
        """From terms in the question's order, with their weights."""
        positions = {form: at for at, term in enumerate(weighted) for form in reversed(term.forms)}
        return cls(list(weighted.values()), positions)

    def share(self, positions: set[int]) -> float:
        """The weight of the terms at some positions, as a part of all."""
        return sum(self.weights[at] for at in positions) / (sum(self.weights) or 1.0)


def occurrences(asked: WeightedTerms, words: Sequence[str]) -> list[tuple[int, int]]:
    """Where the question's terms stand in a text: pairs of position in the text and position in the question, in order."""
    positions = asked.positions
    return [(at, positions[word]) for at, word in enumerate(words) if word in positions]


def share_held(asked: WeightedTerms, words: Sequence[str]) -> float:
    """The share of the question that some words hold, for instance those of a heading."""
    return asked.share({in_question for _, in_question in occurrences(asked, words)})


def share_side_by_side(asked: WeightedTerms, found: Sequence[tuple[int, int]]) -> float:
    """The share of the question's pairs of neighbours, by their weights, that stand near each other in the text.

    `found`: what `occurrences` gives.
    """
    weights, close = asked.weights, set[int]()
    for at, (here, position) in enumerate(found):
        for there, other in found[at + 1 : at + 1 + NEAR_WORDS]:
            if there - here <= NEAR_WORDS and abs(position - other) == 1:
                close.add(min(position, other))
    whole = 2 * sum(weights) - weights[0] - weights[-1] if len(weights) > 1 else 1.0
    return sum(weights[a] + weights[a + 1] for a in close) / (whole or 1.0)
