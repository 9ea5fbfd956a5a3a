"""Features of a chunk's words, by their values."""

from __future__ import annotations

import pytest

from retrieval.search.features import WeightedTerms, occurrences, share_held, share_side_by_side
from retrieval.text.analyse import Term

ASKED = WeightedTerms.of(
    {Term("red", ("red", "rot")): 1.0, Term("kayak", ("kayak",)): 2.0, Term("price", ("price",)): 1.0}
)


def test_a_heading_holds_a_share_of_the_question() -> None:
    assert share_held(ASKED, "the rot kayak".split()) == 0.75
    assert share_held(ASKED, []) == share_held(WeightedTerms.of({}), ["kayak"]) == 0.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("red kayak price", 1.0),
        ("a kayak that is red", 0.5),
        ("red one two three kayak", 0.0),
        ("red price", 0.0),
        ("price of this kayak", 0.5),
        ("", 0.0),
    ],
)
def test_neighbours_of_the_question_that_stand_near_count_by_their_weights(text: str, expected: float) -> None:
    assert share_side_by_side(ASKED, occurrences(ASKED, text.split())) == expected


def test_a_question_of_one_word_has_no_neighbours() -> None:
    assert share_side_by_side(WeightedTerms.of({Term("red", ("red",)): 1.0}), [(0, 0)]) == 0.0
