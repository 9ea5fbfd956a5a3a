"""SentencePiece's unigram pieces, by their values."""

from __future__ import annotations

from retrieval.embed.models.packed_file import UnigramVocabulary
from retrieval.embed.models.unigram import UnigramTokenizer


def test_unigram_takes_the_likeliest_way_to_cut_a_word() -> None:
    pieces = ["<s>", "</s>", "<unk>", "▁", "a", "b", "▁ab", "ab", "▁a"]
    scores = [0.0, 0.0, 0.0, -3.0, -4.0, -4.0, -5.0, -3.5, -3.0]
    tokenizer = UnigramTokenizer(UnigramVocabulary(pieces, scores, start=0, end=1, unknown=2, replaced={ord("B"): "b"}))
    assert tokenizer.token_numbers("ab", 9) == [0, 6, 1], "one piece of -5 rather than two of -7"
    assert tokenizer.token_numbers("aB  ab", 9) == [0, 6, 6, 1], "letters are replaced, blanks are one"
    assert tokenizer.token_numbers("abab", 9) == [0, 6, 7, 1]
    assert tokenizer.token_numbers("z", 9) == [0, 3, 2, 1], "an unknown letter"
    assert tokenizer.token_numbers("a a a a a", 4) == [0, 8, 8, 1], "cut"
