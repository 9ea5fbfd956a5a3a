"""The light tree of a page: its depth and its measures."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from retrieval.convert.html.build import MOST_NESTED_ELEMENTS, build
from retrieval.convert.html.page import convert_html

URL = "https://boats.example/info/page.html"


def test_three_thousand_nested_elements_are_read_without_exhausting_the_stack() -> None:
    page = "<body>" + "<div>" * 3000 + "<p>Deep <b>fact</b> 77.</p><ul><li>One</li></ul>" + "</div>" * 3000 + "</body>"
    markdown = convert_html(page.encode(), URL).markdown
    assert "Deep" in markdown
    assert "77." in markdown
    assert "One" in markdown


def test_elements_deeper_than_the_limit_are_dissolved_into_their_parent() -> None:
    top, order = build(LexborHTMLParser("<body>" + "<div>" * 500 + "word" + "</div>" * 500 + "</body>"))
    assert max(sum(1 for _ in node.ancestors()) for node in order) <= MOST_NESTED_ELEMENTS + 2
    assert top.line() == "word"


def test_the_measures_of_a_tree_follow_what_is_removed() -> None:
    top, order = build(LexborHTMLParser('<body><div><a href="/">go on</a> now</div><p>' + "word " * 30 + "</p></body>"))
    assert (top.size, top.linked, top.links, top.prose) == (5 + 3 + 149, 5, 1, 1)
    order[1].remove()
    assert (top.size, top.linked, top.links, top.prose) == (149, 0, 0, 1)
