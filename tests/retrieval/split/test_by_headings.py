"""Documents to chunks."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.document import Chunk, Document
from retrieval.split.by_headings import split
from retrieval.text.tokens import count


def chunks(markdown: str, *, title: str = "Page", tokens: int = 320, overlap: float = 0.12) -> list[Chunk]:
    return split(Document("https://x.example/", title, markdown), chunk_tokens=tokens, overlap=overlap)


def paths(markdown: str, tokens: int = 320) -> list[tuple[str, ...]]:
    return [chunk.heading_path for chunk in chunks(markdown, tokens=tokens)]


def repeated(before: Chunk, after: Chunk) -> str:
    """What a chunk begins with that the one before it ends with."""
    fits = (after.text[:size] for size in range(len(after.text), 0, -1) if before.text.endswith(after.text[:size]))
    return next(fits, "")


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
        assert 8 <= count(repeated(before, after)) <= 12
        assert after.text.startswith("Sentence")


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
    parts = chunks("漢字" * 800, tokens=100, overlap=0)
    assert "".join(part.text for part in parts) == "漢字" * 800
    assert all(part.tokens <= 100 for part in parts)


def test_a_table_cell_longer_than_a_chunk_is_cut_too() -> None:
    parts = chunks(f"| A | B |\n| --- | --- |\n| x | {LONG} |\n| y | z |", tokens=100)
    assert all(part.tokens <= 100 for part in parts)
    assert "number 60 " in " ".join(part.text for part in parts)


def test_an_empty_document_has_no_chunks() -> None:
    assert chunks("") == []
    assert chunks("\n\n  \n") == []


def test_a_page_that_is_one_endless_heading_is_kept_whole() -> None:
    letters = "x" * 200_000
    assert "".join(chunk.text for chunk in chunks(f"# {letters}", title=letters)) == letters
    assert [chunk.text for chunk in chunks("# Only a title", title="Only a title")] == ["Only a title"]


def test_a_million_blanks_are_no_end() -> None:
    parts = chunks("First." + " " * 1_000_000 + "Last.")
    assert parts[0].text.startswith("First.")
    assert parts[-1].text.endswith("Last.")


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("船は毎日九時に出ます。犬も乗れます。", "。"),
        ("नाव रोज़ नौ बजे निकलती है। कुत्ते भी आ सकते हैं। ", "।"),
        ("هل يمكنني إحضار كلب؟ نعم بالطبع. ", (".", "؟")),
        ("کشتی روز نو بجے نکلتی ہے۔ کتے بھی آ سکتے ہیں۔ ", "۔"),
        ("A boat costs 1.5 euros. Is it Dr. Hull's? Ask J. Smith on the 3. May! ", (".", "?", "!")),
        ("Նավը մեկնում է ժամը իննին։ Շներն էլ կարող են գալ։ ", "։"),
        ("ጀልባው በዘጠኝ ሰዓት ይነሳል። ውሾችም መምጣት ይችላሉ። ", "።"),
    ],
)
def test_a_long_text_of_any_script_is_cut_between_sentences(text: str, end: str | tuple[str, ...]) -> None:
    parts = chunks(text * 40, tokens=100)
    assert len(parts) > 3
    assert all(part.tokens <= 100 and part.text.endswith(end) for part in parts)
    assert not [part for part in parts if part.text.endswith(("1.", "Dr.", "J.", "3."))]


def test_scripts_without_sentence_marks_are_cut_at_spaces() -> None:
    thai = "เรือออกทุกวันเวลาเก้าโมง สุนัขขึ้นเรือได้ "
    for part in chunks(thai * 60, tokens=100):
        assert set(part.text.split()) <= set(thai.split())


def test_nothing_is_cut_between_a_letter_and_its_marks() -> None:
    parts = chunks("e\u0301" * 2000, tokens=60, overlap=0)
    assert all(part.text.startswith("e") for part in parts)


def test_a_tables_caption_goes_with_each_of_its_parts() -> None:
    rows = "".join(f"| Boat number {at} | {at} euros |\n" for at in range(40))
    for caption in ("**Prices of 2026**", "Prices:", "Tabelle 3 zeigt die Preise", "表 1"):
        parts = chunks(f"Text before.\n\n{caption}\n\n| Boat | Price |\n| --- | --- |\n{rows}", tokens=120)
        assert len(parts) > 3
        assert all(f"{caption}\n\n| Boat | Price |\n| --- | --- |\n| Boat number" in part.text for part in parts[1:])


def test_code_that_is_cut_is_code_in_each_of_its_parts() -> None:
    lines = [f"price_{at} = {at}" for at in range(60)]
    parts = chunks("Run this:\n\n```python\n" + "\n".join(lines) + "\n```", tokens=80)
    assert len(parts) > 3
    assert parts[0].text.startswith("Run this:\n\n```python\nprice_0")
    assert all(part.text.startswith("```python\nprice_") for part in parts[1:])
    assert all(part.text.endswith("\n```") and part.tokens <= 80 for part in parts)
    assert re.findall("price_.*", "\n".join(part.text for part in parts)) == lines


def test_a_list_that_fits_is_kept_whole_with_the_line_above_it() -> None:
    items = "\n\n".join(f"- thing number {at}" for at in range(8))
    parts = chunks(f"{LONG[:400]}\n\nBring along:\n\n{items}", tokens=100)
    assert next(part.text for part in parts if "thing" in part.text).endswith(f"Bring along:\n\n{items}")


def test_a_long_list_begins_with_the_line_above_it_and_is_cut_between_items() -> None:
    items = "\n".join(f"- thing number {at} of the list" for at in range(40))
    parts = chunks(f"{LONG[:420]}\n\nBring along:\n\n{items}", tokens=100)
    (first,) = [part for part in parts if "Bring along:" in part.text]
    assert "Bring along:\n\n- thing number 0" in first.text
    assert all(line.endswith("of the list") for part in parts for line in part.text.split("\n") if "thing" in line)


def test_a_caption_that_is_too_long_to_repeat_leaves_the_header_in_each_part() -> None:
    rows = "".join(f"| Boat number {at} | {at} euros |\n" for at in range(40))
    head = "| Boat | Price |\n| --- | --- |\n"
    parts = chunks(f"{LONG[:250]} and so on:\n\n{head}{rows}", tokens=80)
    assert all(part.text.startswith(head) for part in parts if "| Boat number 9 " in part.text or part is parts[-1])


def test_questions_in_bold_or_by_the_line_are_a_chunk_each() -> None:
    bold = "## Help\n\n**May I bring a dog?**\n\nYes.\n\n**Where do I park?** Behind the house.\n\nFree."
    assert [(chunk.heading_path, chunk.text) for chunk in chunks(bold)] == [
        (("Help", "May I bring a dog?"), "Yes."),
        (("Help", "Where do I park?"), "Behind the house.\n\nFree."),
    ]
    plain = "هل يمكنني إحضار كلب؟\n\nنعم\n\nأين أقف؟\n\nخلف البيت"
    assert paths(plain) == [("هل يمكنني إحضار كلب؟",), ("أين أقف؟",)]
    assert paths("Ready to go?\n\nBook now.\n\nWe wait for you.") == [()]
    assert paths("## Dogs？\n\nYes.\n\n## Cats？\n\nNo.") == [("Dogs？",), ("Cats？",)]


def test_a_chunk_names_the_page_on_which_what_is_new_in_it_begins() -> None:
    first, second = LONG, LONG.replace("boats", "carts")
    document = Document("u", "Page", f"{first}\n\n{second}", pages=(0, len(first) + 2))
    found = split(document, chunk_tokens=100)
    assert {chunk.page for chunk in found} == {1, 2}
    assert all(("carts" in chunk.text) == (chunk.page == 2) for chunk in found if "boats" not in chunk.text)
    assert all(chunk.page == 1 for chunk in found if "carts" not in chunk.text)


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


messy = st.lists(st.text(alphabet="ab Zé漢。. ?!\n#|-*`:1กक\u0301", max_size=300), max_size=4).map("\n\n".join)


@settings(max_examples=150, deadline=None)
@given(documents, st.sampled_from([40, 60, 120, 320]), st.sampled_from([0.0, 0.12, 0.3]))
def test_every_word_is_in_some_chunk_in_order_and_no_chunk_is_too_long(
    markdown: str, tokens: int, overlap: float
) -> None:
    found = chunks(markdown, tokens=tokens, overlap=overlap)
    held = iter(re.findall(r"\w+", "\n".join(f"{' '.join(chunk.heading_path)} {chunk.text}" for chunk in found)))
    assert [word for word in re.findall(r"\w+", markdown) if word not in held] == []
    assert all(chunk.tokens == count(chunk.text) <= tokens for chunk in found)


@settings(max_examples=150, deadline=None)
@given(messy, st.sampled_from([40, 60]), st.sampled_from([0.0, 0.12]))
def test_every_letter_is_in_some_chunk_in_order_whatever_the_text_looks_like(
    markdown: str, tokens: int, overlap: float
) -> None:
    found = chunks(markdown, tokens=tokens, overlap=overlap)
    held = iter("".join("".join(chunk.heading_path) + chunk.text for chunk in found))
    assert [letter for letter in markdown if letter.isalnum() and letter not in held] == []
    assert all(chunk.tokens == count(chunk.text) <= tokens for chunk in found)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=6))
def test_what_is_repeated_never_comes_from_another_section(lengths: list[int]) -> None:
    """Each section's words carry its number, so that a chunk that holds another's would show it."""
    texts = [" ".join(f"Word{at} number {at} of section{at}." for _ in range(size)) for at, size in enumerate(lengths)]
    found = chunks(
        "\n\n".join(f"{'#' * (1 + at % 6)} Part {at}?\n\n{text}" for at, text in enumerate(texts)), tokens=40
    )
    for chunk in found:
        assert len(set(re.findall(r"section(\d+)", chunk.text))) == 1
