"""Documents to chunks."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.document import Chunk, Document
from retrieval.split import split
from retrieval.tokens import count


def chunks(markdown: str, *, title: str = "Page", tokens: int = 320, overlap: float = 0.12) -> list[Chunk]:
    return split(Document("https://x.example/", title, markdown), chunk_tokens=tokens, overlap=overlap)


def paths(markdown: str, tokens: int = 320) -> list[tuple[str, ...]]:
    return [chunk.heading_path for chunk in chunks(markdown, tokens=tokens)]


LONG = " ".join(f"Sentence number {at} speaks of boats and quays." for at in range(1, 61))


def test_a_chunk_carries_the_headings_above_it_without_the_title() -> None:
    text = f"# Page\n\n{LONG}\n\n## Boats\n\n{LONG}\n\n### **Old** [ones](x)\n\n{LONG}\n\n## Quay\n\n{LONG}"
    assert list(dict.fromkeys(paths(text))) == [(), ("Boats",), ("Boats", "Old ones"), ("Quay",)]


def test_tokens_of_a_chunk_are_those_of_its_text() -> None:
    assert all(chunk.tokens == count(chunk.text) for chunk in chunks(f"## A\n\n{LONG}", tokens=100))


def test_small_sections_under_one_parent_are_joined_with_their_headings() -> None:
    (chunk,) = chunks("## Boats\n\n### Dinghy\n\nTwo seats.\n\n### Canoe\n\nThree.\n\n### Raft\n\nTen.")
    assert chunk.heading_path == ("Boats",)
    assert chunk.text == "**Dinghy**\n\nTwo seats.\n\n**Canoe**\n\nThree.\n\n**Raft**\n\nTen."


def test_a_heading_is_kept_where_its_text_begins_in_bold() -> None:
    (chunk,) = chunks("## Parking\n\n**Free** for guests.\n\n## Wifi\n\nYes.")
    assert chunk.text.startswith("**Parking**\n\n**Free** for guests.")


def test_a_heading_with_nothing_under_it_is_kept() -> None:
    assert "Closed on Mondays" in chunks("## Closed on Mondays\n\n## Open else\n\nText")[0].text
    assert [chunk.text for chunk in chunks("## Closed for good")] == ["**Closed for good**"]
    assert [chunk.heading_path for chunk in chunks("## Boats\n\n### Dinghy\n\nText")] == [("Boats", "Dinghy")]


def test_questions_and_sections_of_different_parents_stay_apart() -> None:
    assert paths("## May I?\n\nYes.\n\n## Must I?\n\nNo.") == [("May I?",), ("Must I?",)]
    assert paths("## A\n\n### X\n\nx\n\n## B\n\n### Y\n\ny") == [("A", "X"), ("B", "Y")]


def test_a_long_section_is_cut_between_sentences_with_the_last_ones_repeated() -> None:
    parts = chunks(f"## A\n\n{LONG}", tokens=100)
    assert len(parts) > 3
    assert all(part.tokens <= 100 and part.text.endswith(".") for part in parts)
    for before, after in pairwise(parts):
        first = after.text.split("\n\n")[0]
        assert before.text.endswith(first)
        assert count(first) <= 12


def test_nothing_is_repeated_across_sections_or_when_overlap_is_nought() -> None:
    text = f"## A\n\n{LONG}\n\n## B\n\n{LONG.replace('boats', 'carts')}"
    assert not [chunk for chunk in chunks(text, tokens=100) if "boats" in chunk.text and "carts" in chunk.text]
    whole = " ".join(" ".join(chunk.text.split()) for chunk in chunks(LONG, tokens=100, overlap=0.0))
    assert whole == LONG


def test_a_long_table_is_cut_by_rows_under_its_repeated_header() -> None:
    head = "| Boat | Price |\n| --- | --- |"
    rows = [f"| Boat number {at} | {at} euros |" for at in range(60)]
    parts = chunks("\n".join([head, *rows]), tokens=120)
    assert len(parts) > 3
    assert all(part.text.startswith(head) and part.tokens <= 120 for part in parts)
    assert [row for part in parts for row in part.text.split("\n")[2:]] == rows


def test_a_code_block_is_one_piece_and_its_comments_are_no_headings() -> None:
    code = "```python\n# not a heading\n\nprint(1)\n```"
    assert [chunk.text for chunk in chunks(f"## A\n\n{code}\n\nAfter.")] == [f"{code}\n\nAfter."]


def test_a_line_without_any_space_is_cut_all_the_same() -> None:
    parts = chunks("漢字" * 800, tokens=100)
    assert "".join(part.text for part in parts).count("漢字") >= 790
    assert all(part.tokens <= 130 for part in parts)


def test_a_table_cell_longer_than_a_chunk_is_cut_too() -> None:
    parts = chunks(f"| A | B |\n| --- | --- |\n| x | {LONG} |\n| y | z |", tokens=100)
    assert all(part.tokens <= 130 for part in parts)
    assert "number 60 " in " ".join(part.text for part in parts)


def test_an_empty_document_has_no_chunks() -> None:
    assert chunks("") == []
    assert chunks("\n\n  \n") == []


word = st.sampled_from(
    ["quay", "boat", "Hafen", "straße", "точка", "港", "água", "x1", "20€", "3.5", "tide-table", "naïve"]
)
sentence = st.lists(word, min_size=1, max_size=12).map(lambda words: " ".join(words) + ".")
paragraph = st.lists(sentence, min_size=1, max_size=25).map(" ".join)
heading = st.builds(lambda level, text: f"{'#' * level} {text}", st.integers(1, 4), sentence)
bullets = st.lists(sentence, min_size=1, max_size=12).map(lambda items: "\n".join(f"- {item}" for item in items))
table = st.lists(st.tuples(word, paragraph), min_size=1, max_size=5).map(
    lambda rows: "| a | b |\n| --- | --- |\n" + "\n".join(f"| {a} | {b} |" for a, b in rows)
)
code = st.lists(sentence, min_size=1, max_size=20).map(lambda rows: "```\n" + "\n\n".join(rows) + "\n```")
bold = sentence.map(lambda text: f"**{text}**")
documents = st.lists(st.one_of(paragraph, heading, heading, bullets, table, code, bold), max_size=12).map("\n\n".join)


@settings(max_examples=120, deadline=None)
@given(documents, st.sampled_from([60, 120, 320]))
def test_every_word_is_in_some_chunk_and_no_chunk_is_much_too_long(markdown: str, tokens: int) -> None:
    found = chunks(markdown, tokens=tokens)
    held = {word for chunk in found for word in re.findall(r"\w+", f"{chunk.text} {' '.join(chunk.heading_path)}")}
    assert set(re.findall(r"\w+", markdown)) <= held
    assert all(chunk.tokens <= 1.25 * tokens for chunk in found)
