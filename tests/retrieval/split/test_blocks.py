"""Markdown as blocks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.split.blocks import blocks, stretches
from tests.retrieval.split.test_by_headings import documents, messy


@pytest.mark.parametrize(
    ("markdown", "kinds"),
    [
        ("# A\n\nText\nof two lines\n\n- one\n\n- two\n\nEnd", ["heading", "text", "list", "text"]),
        ("Title\n=====\nText\n\nSub\n---\n\nEnd", ["heading", "text", "heading", "text"]),
        ("| a | b |\n| --- | --- |\n| 1 | 2 |\nAfter", ["table", "text"]),
        ("```\n# no heading\n\n| no | table |\n```\nAfter", ["code", "text"]),
        ("Bring:\n- a towel\n- a map", ["text", "list"]),
        ("It was in the year\n1998. Then it closed.", ["text"]),
        ("1. a\n   ```\n   code\n\n   # still code\n   ```\n2. b", ["list"]),
        ("---\n\nText\n\n**", ["text"]),
        ("# " + "x" * 301, ["text"]),
    ],
)
def test_the_kind_of_a_block_is_told_by_its_first_lines(markdown: str, kinds: list[str]) -> None:
    assert [block.kind for block in blocks(markdown)] == kinds


def test_a_heading_has_its_level_and_its_words_without_marks() -> None:
    (heading,) = blocks("### The **old** [quay](https://tern.example/q) *now* ###")
    assert (heading.level, heading.name) == (3, "The old quay now")


@settings(max_examples=100, deadline=None)
@given(st.one_of(documents, messy))
def test_a_blocks_text_stands_at_its_offset(markdown: str) -> None:
    for block in blocks(markdown):
        if block.kind != "text" or not markdown[block.offset :].lstrip().startswith("#"):
            assert markdown.startswith(block.text, block.offset)


def test_stretches_are_parted_by_empty_lines_outside_of_code() -> None:
    assert list(stretches("a\nb\n\n```\nc\n\nd\n```\n\ne\n")) == ["a\nb", "```\nc\n\nd\n```", "e"]
