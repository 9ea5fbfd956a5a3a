"""A reply as Telegram shows it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.messages import Citation, Reply
from channels.telegram.markup import Entity, Rich, convert, units
from channels.telegram.render import render, split


def shown(markdown: str) -> tuple[str, list[tuple[str, str]]]:
    """The text, and what each entity covers."""
    rich = convert(markdown)
    return rich.text, [(item.type, covered(rich.text, item.as_json())) for item in rich.entities]


def covered(text: str, entity: dict[str, Any]) -> str:
    start, end = 2 * entity["offset"], 2 * (entity["offset"] + entity["length"])
    return text.encode("utf-16-le")[start:end].decode("utf-16-le")


@pytest.mark.parametrize(
    ("markdown", "text", "entities"),
    [
        ("# Opening *hours*", "Opening hours", [("bold", "Opening hours"), ("italic", "hours")]),
        ("😀 **bold** `x*y*`", "😀 bold x*y*", [("bold", "bold"), ("code", "x*y*")]),
        ("~~old~~ _new_", "old new", [("strikethrough", "old"), ("italic", "new")]),
        ("- a\n- b\n  - c", "• a\n• b\n  • c", []),
        ("3. a\n4. b", "3. a\n4. b", []),
        ("> said\n> so", "said\nso", [("blockquote", "said\nso")]),
        ("| A | B |\n|--|--|\n| 1 | 2 |", "A | B\n1 | 2", [("bold", "A | B")]),
        ("```py\nif x:\n    y\n```", "if x:\n    y", [("pre", "if x:\n    y")]),
        ("[site](https://a.b/c(d))", "site", [("text_link", "site")]),
        ("![Map](https://a.b/m.png)", "Map", [("text_link", "Map")]),
        ("![](https://a.b/m.png)", "https://a.b/m.png", [("text_link", "https://a.b/m.png")]),
        ("[Call us](tel:+441632)", "Call us (+441632)", [("text_link", "Call us")]),
        ("[a@b.c](mailto:a@b.c)", "a@b.c", [("text_link", "a@b.c")]),
        ("[x](/prices) [y](ftp://a)", "x y", []),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))", []),
        ("snake_case a_b_c 2*3*4", "snake_case a_b_c 234", [("italic", "3")]),
        ("__init__ and __very bold__", "__init__ and very bold", [("bold", "very bold")]),
        ("1 < 2 & <b>x</b> [x](", "1 < 2 & <b>x</b> [x](", []),
        ("* item\n\nend", "• item\n\nend", []),
        ("See [1].\n\n[1]: https://a.b", "See [1].\n\n[1]: https://a.b", []),
        ("a\\*b &amp; c", "a*b & c", []),
        ("a\n\n---\n\nb", "a\n\n———\n\nb", []),
        ("", "", []),
    ],
)
def test_markdown_becomes_text_and_entities(markdown: str, text: str, entities: list[tuple[str, str]]) -> None:
    assert shown(markdown) == (text, entities)


def test_a_code_block_keeps_its_language() -> None:
    assert convert("```python x\n1\n```").entities == (Entity("pre", 0, 1, language="python"),)


PAGES = (
    Citation(1, "Opening\n hours", "https://a.b/open", "…"),
    Citation(2, "Terms", "files/terms.pdf", "…"),
)


@pytest.mark.parametrize(
    ("language", "label"),
    [("en", "Sources"), ("de", "Quellen"), ("es-MX", "Fuentes"), ("fr", "Sources"), ("ja", "Sources")],
)
def test_sources_are_listed_under_the_answer(language: str, label: str) -> None:
    (part,) = render(Reply("We open at nine [1].", citations=PAGES, language=language))
    assert part["text"] == f"We open at nine [1].\n\n{label}\n[1] Opening hours\n[2] Terms"
    links = [item for item in part["entities"] if item["type"] == "text_link"]
    assert [(item["url"], covered(part["text"], item)) for item in links] == [("https://a.b/open", "Opening hours")]


def test_links_have_no_preview() -> None:
    assert render(Reply("hi"))[0]["link_preview_options"] == {"is_disabled": True}


def test_an_empty_reply_has_no_parts() -> None:
    assert render(Reply(" \n", rateable=True, turn_id="t")) == []


def test_thumbs_are_under_the_last_part_only() -> None:
    parts = render(Reply("word " * 2000, turn_id="t1", rateable=True))
    assert [("reply_markup" in part) for part in parts] == [False, False, True]
    (row,) = parts[-1]["reply_markup"]["inline_keyboard"]
    assert [button["callback_data"] for button in row] == ["f:t1:u", "f:t1:d"]


def test_thumbs_are_left_out_where_they_make_no_sense_or_do_not_fit() -> None:
    for reply in (
        Reply("x", turn_id="t"),
        Reply("x", rateable=True),
        Reply("x", rateable=True, turn_id="é" * 31),
    ):
        assert "reply_markup" not in render(reply)[0]


def test_choices_replace_the_keyboard_once() -> None:
    (part,) = render(Reply("Which?", choices=("Kayak", "Bike"), turn_id="t", rateable=True))
    assert part["reply_markup"]["keyboard"] == [[{"text": "Kayak"}], [{"text": "Bike"}]]
    assert part["reply_markup"]["one_time_keyboard"] is True


def test_suggestions_are_buttons_above_the_thumbs() -> None:
    (part,) = render(Reply("x", suggestions=("Prices?",), turn_id="t", rateable=True))
    rows = part["reply_markup"]["inline_keyboard"]
    assert rows[0] == [{"text": "Prices?", "callback_data": "s:0"}]
    assert len(rows) == 2


@pytest.mark.parametrize("count", [4096, 4097])
def test_no_emoji_is_lost_and_no_part_is_too_long(count: int) -> None:
    parts = render(Reply("😀" * count))
    assert "".join(part["text"] for part in parts) == "😀" * count
    assert all(units(part["text"]) <= 4096 for part in parts)


def test_a_code_block_over_a_border_is_closed_and_opened_with_its_language() -> None:
    code = "\n".join(f"    line({number})" for number in range(400))
    parts = render(Reply(f"Do this:\n\n```python\n{code}\n```"))
    assert len(parts) == 2
    assert all(part["entities"][-1]["language"] == "python" for part in parts)
    assert parts[1]["text"].startswith("    line(")
    assert "\n".join(part["text"] for part in parts).removeprefix("Do this:\n\n") == code


def test_bold_over_a_border_is_bold_on_both_sides() -> None:
    parts = render(Reply("**" + "word " * 1500 + "end**"))
    assert len(parts) == 2
    assert [covered(part["text"], part["entities"][0]) == part["text"] for part in parts] == [True, True]


@given(st.text("ab1 *_#>-.+\n\t😀", max_size=60))
def test_words_survive_whatever_the_markup(text: str) -> None:
    rendered = "".join(part["text"] for part in render(Reply(text)))
    assert re.sub(r"[^ab]", "", rendered) == re.sub(r"[^ab]", "", text)


@given(st.text(max_size=60))
def test_any_text_can_be_rendered(text: str) -> None:
    for part in render(Reply(text)):
        assert part["text"].strip()
        assert all(item["offset"] + item["length"] <= units(part["text"]) for item in part["entities"])


@st.composite
def riches(draw: st.DrawFn) -> Rich:
    text = draw(st.text(st.sampled_from("ab 😀é.\n\t"), max_size=120))
    borders = [units(text[:at]) for at in range(len(text) + 1)]
    pairs = draw(st.lists(st.tuples(st.sampled_from(borders), st.sampled_from(borders)), max_size=5))
    kinds = st.sampled_from(["bold", "pre", "text_link"])
    return Rich(text, tuple(Entity(draw(kinds), a, b - a, "https://a.b") for a, b in pairs if a < b))


@given(riches(), st.integers(2, 40))
def test_splitting_loses_nothing_and_keeps_entities_inside(rich: Rich, limit: int) -> None:
    pieces = split(rich, limit)
    assert "".join("".join(piece.text.split()) for piece in pieces) == "".join(rich.text.split())
    for piece in pieces:
        assert piece.text.strip()
        assert units(piece.text) <= limit
        for item in piece.entities:
            assert item.offset >= 0
            assert item.length > 0
            assert item.offset + item.length <= units(piece.text)


@given(riches(), st.integers(2, 40))
def test_splitting_keeps_every_styled_character_styled(rich: Rich, limit: int) -> None:
    def styled(piece: Rich) -> str:
        bold = [item for item in piece.entities if item.type == "bold"]
        inside = (any(e.offset <= at < e.offset + e.length for e in bold) for at in range(units(piece.text)))
        raw = piece.text.encode("utf-16-le")
        marked = b"".join(raw[2 * at : 2 * at + 2] for at, hit in enumerate(inside) if hit)
        return "".join(marked.decode("utf-16-le").split())

    assert "".join(map(styled, split(rich, limit))) == styled(rich)
