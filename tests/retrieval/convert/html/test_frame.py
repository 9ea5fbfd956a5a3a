"""What is taken away from a page, by which rule, and what no rule may touch."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from retrieval.convert.html.content import read_content
from retrieval.convert.html.frame_rules import RULES
from retrieval.convert.html.markdown import MarkdownWriter
from retrieval.convert.html.page import audit, convert_html

WORDS = re.compile(r"[^\W\d]+|\d+")


ROOT = Path(__file__).parents[4]


FIXTURES = Path(__file__).parent / "fixtures"


URL = "https://boats.example/info/page.html"


TAKEN = [
    ("frame_navigation", "navigation", "Ropes Sails"),
    ("frame_navigation", "navigation", "We use cookies"),
    ("frame_aside_inside_the_text", "aside", "Knots Charts"),
    ("frame_sign_up", "sign-up", "weekly tides"),
    ("frame_comments", "comments", "lovely!"),
    ("frame_reviews", "reviews", "Verified buyer"),
    ("frame_author", "author", "has sailed for thirty years"),
    ("frame_author", "author", "By Ada, May 3"),
    ("frame_neighbours", "neighbour", "Previous: Anchors"),
    ("frame_teasers_after_the_text", "teasers", "All about rowing boats"),
    ("frame_before_the_title", "before the title", "Tern / Boats"),
    ("frame_beside_the_text", "beside the text", "Ask for an offer"),
    ("frame_picture_credit", "picture credit", "Photo: Ada Example"),
    ("frame_named", "named as frame", "Ten percent off!"),
    ("frame_interface_words", "interface", "Last updated on 3 May 2026"),
    ("frame_list_of_links", "list of links", "Pier 7"),
    ("frame_related_section", "about other pages", "Knots"),
    ("frame_forms", "form", "Country"),
    ("frame_forms", "button", "Buy"),
    ("hidden_panels", "hidden", "Do not show"),
    ("noscript_is_a_nag", "noscript", "Please enable JavaScript"),
    ("screen_reader_words", "for screen readers", "in a new window"),
    ("frame_header_footer_and_calls", "header", "since 1911"),
    ("frame_header_footer_and_calls", "footer", "the sea is ours"),
    ("frame_header_footer_and_calls", "call to action", "Call us back"),
    ("frame_header_footer_and_calls", "widget", "One seat"),
]
"""A fixture, the rule that it taught, and words that the rule takes away there."""


@pytest.mark.parametrize(("case", "rule", "words"), TAKEN)
def test_every_part_that_is_taken_away_is_in_the_audit_with_its_rule(case: str, rule: str, words: str) -> None:
    removed = audit((FIXTURES / f"{case}.html").read_bytes(), URL)
    assert any(name == rule and words in text for name, _, text in removed), removed


def test_every_rule_has_a_fixture_that_taught_it() -> None:
    assert {rule for rule, _, _ in RULES} <= {rule for _, rule, _ in TAKEN}


def test_the_audit_counts_the_characters_that_a_rule_took() -> None:
    removed = audit((FIXTURES / "frame_interface_words.html").read_bytes(), URL)
    assert ("interface", len("4 min read"), "4 min read") in removed


@pytest.mark.parametrize(
    "page", sorted((ROOT / "examples" / "tern-and-tide").rglob("*.html")), ids=lambda page: page.stem
)
def test_every_word_of_a_real_pages_content_is_in_its_markdown(page: Path) -> None:
    content = read_content(LexborHTMLParser(page.read_text(encoding="utf-8")), URL)
    visible = {word for node in content.nodes for word in WORDS.findall(node.line())}
    assert len(visible) > 20
    assert visible <= set(WORDS.findall(MarkdownWriter(URL).write(content.nodes)))


def test_rules_that_would_leave_nothing_are_undone() -> None:
    page = f'<body><div class="sidebar">{"<p>The only words of this page are in its sidebar.</p>" * 20}</div></body>'
    assert "only words of this page" in convert_html(page.encode(), URL).markdown


def test_a_forum_keeps_its_answers_where_an_article_loses_its_comments() -> None:
    page = (FIXTURES / "frame_comments.html").read_bytes()
    assert "lovely!" not in convert_html(page, "https://boats.example/blog/quay").markdown
    assert "lovely!" in convert_html(page, "https://boats.example/forum/threads/quay").markdown


def test_the_lines_that_tell_how_to_reach_the_business_are_kept_for_the_site() -> None:
    page = """<body><header><p>Call +44 555 010 200</p><nav><a href="/">Home</a></nav></header>
    <main><h1>Sails</h1><p>Text.</p></main>
    <footer><p>Monday to Friday 9:00 to 17:00</p><p>Made with love</p><p>desk@example.org</p></footer></body>"""
    document = convert_html(page.encode(), URL)
    assert document.markdown == "# Sails\n\nText.\n"
    assert document.frame_facts == ("Call +44 555 010 200", "Monday to Friday 9:00 to 17:00", "desk@example.org")
