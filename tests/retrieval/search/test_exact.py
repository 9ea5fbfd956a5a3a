"""Exact values: what a text's numbers and letters stand beside, and whether a chunk says the same."""

from __future__ import annotations

import pytest

from retrieval.search.exact import ExactValue, exact_values, exactness


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a bracket of 40 mm", ExactValue("", "40", "mm")),
        ("40mm bracket", ExactValue("", "40", "mm")),
        ("bracket, **40** Millimeter", ExactValue("", "40", "mm")),
        ("costs £1,200", ExactValue("£", "1200", "")),
        ("kostet 1.200 €", ExactValue("", "1200", "€")),
        ("1,5 Liter", ExactValue("", "1.5", "l")),
        ("TT-DB-20", ExactValue("db", "20", "")),
        ("ESP32", ExactValue("esp", "32", "")),
        ("Schraube M8", ExactValue("m", "8", "")),
        ("version 2.1", ExactValue("versio", "2.1", "")),
        ("on 3 May", ExactValue("", "3", "may")),
        ("en talla XL", ExactValue("talla", "xl", "")),
        ("size M", ExactValue("size", "m", "")),
        ("vitamin A", ExactValue("vitami", "a", "")),
    ],
)
def test_a_number_or_letter_is_told_by_the_words_beside_it(text: str, value: ExactValue) -> None:
    assert exact_values(text) == (value,)


@pytest.mark.parametrize("text", ["can I have a boat", "there is a dog", "", "[shop](https://x.example/40)", "tú y yo"])
def test_words_and_addresses_are_no_exact_values(text: str) -> None:
    assert exact_values(text) == ()


@pytest.mark.parametrize(
    ("asked", "head", "text", "expected"),
    [
        ("40 mm", "Bracket 40 mm", "It is 40 mm long.", 1.0),
        ("40 mm", "Bracket 50 mm", "It is 50 mm long.", -1.0),
        ("40 mm", "Bracket 50 mm", "Also of 40 mm.", 0.0),
        ("40 mm", "Bracket", "40 mm costs £3, 50 mm £4.", 0.5),
        ("40 mm", "Bracket", "It carries 40 kg.", 0.25),
        ("40 mm", "Bracket", "It carries 60 kg.", 0.0),
        ("£24", "Bag", "24 € or 24 £", 0.5),
        ("size M", "Shirt size S", "", -0.5),
        ("room 12", "Room 14", "Room 14 has 12 lamps.", -0.25),
        ("any shirt", "Shirt size S", "£24", 0.0),
        ("3 May, 8 persons", "", "On 3 May for 8 people", 0.5),
    ],
)
def test_a_chunk_says_the_same_or_another_one_or_nothing(asked: str, head: str, text: str, expected: float) -> None:
    assert exactness(exact_values(asked), exact_values(head), exact_values(text)) == expected
