"""A reply as WhatsApp shows it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.messages import Citation, Reply
from channels.whatsapp.markup import MESSAGE_CHARACTERS, render


def bodies(reply: Reply) -> list[str]:
    return [part["body"] for part in render(reply)]


def shown(markdown: str) -> str:
    return "\n---\n".join(bodies(Reply(markdown)))


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("# Opening **hours**", "*Opening hours*"),
        ("**b** _i_ ~~s~~ `c`", "*b* _i_ ~s~ `c`"),
        ("***both***", "_*both*_"),
        ("foo**bar**baz a**b** (**c**)", "foobarbaz ab (*c*)"),
        ("__init__ and __very bold__", "__init__ and *very bold*"),
        ("`__init__` `**x**`", "`__init__` `**x**`"),
        ("[t](https://a.b/x)", "t (https://a.b/x)"),
        ("[https://a.b](https://a.b)", "https://a.b"),
        ("<https://a.b>", "https://a.b"),
        ("[mail us](mailto:a@b.c)", "mail us (a@b.c)"),
        ("[x](/prices) [y](javascript:alert(1))", "x [y](javascript:alert(1))"),
        ("![Map](https://a.b/m.png)", "Map (https://a.b/m.png)"),
        ("| A | B |\n|--|--|\n| 1 | **2** |", "*A | B*\n1 | *2*"),
        ("|a|b|", "|a|b|"),
        ("* a\n* b\n  * c", "- a\n- b\n  - c"),
        ("2. a\n3. b", "2. a\n3. b"),
        ("> one\n> two", "> one\n> two"),
        ("```py\n**x** = 1\n    y\n```", "```\n**x** = 1\n    y\n```"),
        ("**two\nlines**", "*two*\n*lines*"),
        ("1 < 2 & <b>x</b>", "1 < 2 & <b>x</b>"),
        ("snake_case", "snake_case"),
        ("[1]: https://a.b", "[1]: https://a.b"),
        ("\ue000odd\ue014", "odd"),
        ("", ""),
    ],
)
def test_markdown_becomes_whatsapp_marks(markdown: str, text: str) -> None:
    assert shown(markdown) == text


def test_sources_and_choices_follow_the_answer() -> None:
    pages = (Citation(1, "Opening\nhours", "https://a.b/o", "…"), Citation(2, "", "terms.pdf", "…"))
    reply = Reply("At nine [1].", citations=pages, choices=("Kayak", "Bike"), language="de")
    assert bodies(reply) == [
        "At nine [1].\n\n1. Kayak\n2. Bike\n\n*Quellen*\n[1] Opening hours – https://a.b/o\n[2] terms.pdf"
    ]


@pytest.mark.parametrize("count", [1600, 1601, 5000])
def test_long_texts_are_cut_within_the_limit(count: int) -> None:
    parts = bodies(Reply("x" * count))
    assert "".join(parts) == "x" * count
    assert all(len(part) <= MESSAGE_CHARACTERS for part in parts)


def test_a_code_block_over_a_border_is_closed_and_opened() -> None:
    code = "\n".join(f"    line({number})" for number in range(300))
    parts = bodies(Reply(f"Do this:\n\n```python\n{code}\n```\n\nDone."))
    assert len(parts) == 3
    assert all(part.count("```") == 2 for part in parts)
    inside = "\n".join(part.split("```\n", 1)[1].rsplit("\n```", 1)[0] for part in parts)
    assert inside == code


def test_bold_over_a_border_is_bold_on_both_sides() -> None:
    parts = bodies(Reply("**" + "word " * 500 + "end**"))
    assert len(parts) == 2
    assert all(part.startswith("*") and part.endswith("*") for part in parts)


@given(st.text(st.sampled_from("ab *_~`#>-|.\n😀"), max_size=300), st.integers(1, 12))
def test_every_part_is_within_the_limit_and_says_something(text: str, times: int) -> None:
    for part in bodies(Reply(text * times)):
        assert part.strip()
        assert len(part.encode("utf-16-le")) // 2 <= MESSAGE_CHARACTERS
        assert not re.search("[\ue000-\ue014]", part)


@given(
    st.lists(
        st.sampled_from(["ab ", "**ab** ", "a. ", "\n\n", "\n", "*b* ", "# a\n", "- b\n", "> a\n"]),
        max_size=1200,
    )
)
def test_no_word_is_lost(pieces: list[str]) -> None:
    text = "".join(pieces)
    rendered = "".join(bodies(Reply(text)))
    assert re.sub(r"[^ab]", "", rendered) == re.sub(r"[^ab]", "", text)


@given(st.text(max_size=80))
def test_any_text_can_be_rendered(text: str) -> None:
    assert all(part.strip() for part in bodies(Reply(text)))
