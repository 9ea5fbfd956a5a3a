"""The gate that a text written anew must pass."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.split.lossless import Loss, facts, loss, names
from tests.retrieval.split.rewriting import PAGE

PROSE = (
    "We meet Ada Quayle at the pier, pay £36.50 on 3 May 2026, and ring 01632 960 417 or write to quay@boats.example."
)


@pytest.mark.parametrize(
    ("text", "kind", "fact"),
    [
        ("It takes 1.5 hours.", "number", "1.5"),
        ("It costs 1.499,00 € a month.", "price", "1.499,00€"),
        ("It costs CHF 20 a day.", "price", "chf20"),
        ("We open on 3. Mai 2026.", "date", "3.mai2026"),
        ("We open on May 3, 2026.", "date", "may3,2026"),
        ("営業は2026年5月3日からです。", "date", "2026年5月3日"),
        ("Write to a.b+c@boats.example.", "e-mail", "a.b+c@boats.example"),
        ("Ring +44 (1632) 960-417 now.", "phone", "+441632960417"),
        ("See [the map](https://boats.example/map?x=7).", "address", "https://boats.example/map?x=7"),
        ("See [terms](/terms.html).", "address", "/terms.html"),
        ("Order TT-DB-20 now.", "code", "TT-DB-20"),
        ("Set `max_boats` first.", "code", "`max_boats`"),
        ("| Boat | Day |\n|---|---|\n| Raft | £91 |", "row", "Raft | £91"),
        ("```sh\nmake  all\n```", "code block", "make  all"),
    ],
)
def test_each_kind_of_fact_is_seen(text: str, kind: str, fact: str) -> None:
    assert (kind, fact) in facts(text)
    wanted = f"{kind}: {fact}"
    assert wanted in loss(text, "Nothing of it.").missing
    assert wanted in loss("Nothing of it.", text).new


def test_names_are_capitals_inside_a_sentence_and_none_where_a_script_has_no_capitals() -> None:
    assert names("Ask for Ada Quayle. The pier opens. **Bold Words** of NASA") == {"Ada", "Quayle", "Words", "NASA"}
    assert names("船長は田中さんです。اسأل عن أحمد") == set()


def test_the_same_text_in_another_order_has_lost_nothing() -> None:
    first, *rest = PAGE.split("\n\n## ")
    assert loss(PAGE, "\n\n## ".join([first, *reversed(rest)])) == Loss()


@pytest.mark.parametrize(
    ("old", "new", "missing", "added"),
    [
        ("£36.50", "£37.50", "price: £36.50", "price: £37.50"),
        ("3 May", "4 May", "date: 3may2026", "date: 4may2026"),
        ("960 417", "960 418", "phone: 01632960417", "phone: 01632960418"),
        ("quay@", "info@", "e-mail: quay@boats.example", "e-mail: info@boats.example"),
        ("Quayle", "Quigley", "name: Quayle", "name: Quigley"),
    ],
)
def test_a_fact_that_was_bent_is_both_missing_and_new(old: str, new: str, missing: str, added: str) -> None:
    found = loss(PROSE, PROSE.replace(old, new))
    assert missing in found.missing
    assert added in found.new


def test_a_fact_that_stands_twice_must_stand_twice() -> None:
    assert loss("A raft is £9. A punt is £9.", "A raft is £9. A punt is so too.").missing[:1] == ("number: 9",)
    assert not loss("A raft is £9.", "A raft is £9. As we said, a raft is £9.")


def test_a_summary_is_a_loss_in_any_script() -> None:
    text = "船は毎朝九時に港を出て、灯台の近くまで行き、夕方に戻ります。犬も一緒に乗れます。"
    assert loss(text, text) == Loss()
    assert [item.partition(":")[0] for item in loss(text, "船は港を出ます。").missing] == ["words"]


def test_what_headings_told_may_stand_in_titles() -> None:
    body = "A canoe costs £9."
    assert not loss(body, body, titles="What are the prices of 2026?", headings="Prices 2026")
    assert loss(body, body, titles="What does it cost?", headings="Prices 2026").missing == ("number: 2026",)
    assert loss(body, body, titles="What are the prices of 2027?").new == ("number: 2027",)
    assert not loss(body, body, titles="What does Tern cost?", background="Tern & Tide")


def test_numbers_of_a_lists_items_are_not_the_texts() -> None:
    assert not loss("1. Push off.\n2. Paddle.", "- Paddle.\n- Push off.")


def test_words_of_a_language_that_writes_nouns_large_are_no_names_in_titles() -> None:
    body = "Ein Kajak kostet 9 €."
    assert loss(body, body, titles="Was ist der Preis?").new == ("name: Preis",)
    assert not loss(body, body, titles="Was ist der Preis?", nouns=True)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300))
def test_no_text_loses_anything_to_itself(text: str) -> None:
    assert loss(text, text) == Loss()
