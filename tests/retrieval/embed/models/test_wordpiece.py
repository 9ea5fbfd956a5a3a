"""BERT's word pieces, by their values."""

from __future__ import annotations

import pytest

from retrieval.embed.models.wordpiece import token_numbers, vocabulary


def pieces(text: str) -> list[str]:
    names = {number: piece for piece, number in vocabulary().items()}
    return [names[number] for number in token_numbers(text, 256)[1:-1]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Kayaking", ["kay", "##aking"]),
        ("Opening HOURS?", ["opening", "hours", "?"]),
        ("Café £5.00", ["cafe", "£5", ".", "00"]),
        ("東京", ["東", "京"]),
        ("tab\tand\u200bzero", ["tab", "and", "##zer", "##o"]),
        ("x" * 101, ["[UNK]"]),
        ("", []),
    ],
)
def test_a_text_becomes_word_pieces(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


def test_a_long_text_is_cut_between_the_marks_of_beginning_and_end() -> None:
    numbers = token_numbers("word " * 500, 256)
    assert len(numbers) == 256
    assert [numbers[0], numbers[-1]] == token_numbers("", 256)
