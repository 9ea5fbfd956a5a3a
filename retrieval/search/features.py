"""What the words of a chunk say about a question beyond how many of them it holds: pure functions over analysed words.

Every feature is a share of the question's weight by rarity, 0 to 1. Words are those of the keyword leg, in their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrieval.text.analyse import Term

NEAR = 3
"""How far apart, in words, two words may stand that stood side by side in the question."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question's terms in order, with their weights by rarity; `places` leads from each form to its term's place."""

    weights: Sequence[float]
    places: Mapping[str, int]

    @classmethod
    def of(cls, weighted: Mapping[Term, float]) -> Asked:
        """From terms in the question's order."""
        places = {form: at for at, term in enumerate(weighted) for form in reversed(term.forms)}
        return cls(list(weighted.values()), places)

    def share(self, found: set[int]) -> float:
        """The weight of some terms, as a part of all."""
        return sum(self.weights[at] for at in found) / (sum(self.weights) or 1.0)


def standing(asked: Asked, words: Sequence[str]) -> list[tuple[int, int]]:
    """Where in a text the question's terms stand: (place in the text, place in the question), in order."""
    places = asked.places
    return [(at, places[word]) for at, word in enumerate(words) if word in places]


def held(asked: Asked, words: Sequence[str]) -> float:
    """The share of the question that some words hold, for instance those of a heading."""
    return asked.share({place for _, place in standing(asked, words)})


def side_by_side(asked: Asked, found: Sequence[tuple[int, int]]) -> float:
    """The share of the question's pairs of neighbours, by their weights, that stand near each other in the text."""
    weights, close = asked.weights, set[int]()
    for at, (here, place) in enumerate(found):
        for there, other in found[at + 1 : at + 1 + NEAR]:
            if there - here <= NEAR and abs(place - other) == 1:
                close.add(min(place, other))
    whole = 2 * sum(weights) - weights[0] - weights[-1] if len(weights) > 1 else 1.0
    return sum(weights[a] + weights[a + 1] for a in close) / (whole or 1.0)
