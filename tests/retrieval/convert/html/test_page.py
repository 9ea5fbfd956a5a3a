"""HTML to Markdown: one fixture a case, what a document says of its page, and pages that are broken or made to be slow."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.convert.html.page import convert_html
from retrieval.document import Document

CASES = sorted((Path(__file__).parent / "fixtures").glob("*.html"))


URL = "https://boats.example/info/page.html"


BLOCKS = ["div", "p", "section", "ul", "ol", "blockquote", "details", "dl", "h2", "h4", "article", "figure", "my-card"]


INLINE = ["span", "b", "em", "a", "code", "font", "mark", "sup", "del", "label", "abbr"]


def converted(html: str, **options: bool) -> Document:
    return convert_html(html.encode(), URL, "text/html; charset=utf-8", **options)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_a_page_becomes_the_markdown_beside_it(case: Path) -> None:
    assert convert_html(case.read_bytes(), URL).markdown == case.with_suffix(".md").read_text(encoding="utf-8")


def test_pictures_can_be_left_out() -> None:
    page = '<main><p>Here: <img src="a.jpg" alt="The quay"> and text</p></main>'
    assert "![The quay](https://boats.example/info/a.jpg)" in converted(page).markdown
    assert converted(page, images=False).markdown == "Here: and text\n"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("<title>Prices | Harbour Boats</title>", "Prices"),
        ("<title>Boats</title><meta property='og:title' content='Our boats – Harbour'>", "Our boats"),
        ("<meta name='og:title' content='Named'>", "Named"),
        ("<title>Wi-Fi on board</title>", "Wi-Fi on board"),
        ("", "page.html"),
    ],
)
def test_a_page_without_a_heading_takes_its_title_from_its_head(head: str, expected: str) -> None:
    assert converted(f"<head>{head}</head><main><p>Text</p></main>").title == expected


def test_the_heading_of_the_content_is_the_title_before_that_of_the_site() -> None:
    assert converted("<header><h1>Logo</h1></header><main><h1>Prices</h1></main>").title == "Prices"
    assert converted("<h1>Only one</h1><p>Text</p>").title == "Only one"


def test_links_are_absolute_once_each_and_without_those_that_must_not_be_followed() -> None:
    page = """<nav><a href="/a#top">A</a><a href="/a">A</a></nav><main><a href="b.html">B</a>
    <a href="/c" rel="nofollow">C</a><a href="mailto:x@example.org">M</a><a href="http://[bad">!</a></main>"""
    assert converted(page).links == ("https://boats.example/a", "https://boats.example/info/b.html")


def test_the_canonical_address_is_absolute() -> None:
    assert (
        converted('<head><link rel="canonical" href="/x"></head><main>T</main>').canonical == "https://boats.example/x"
    )


def test_the_language_is_that_of_the_text_whatever_the_page_claims() -> None:
    text = "Wir haben am Montag geschlossen, aber von Dienstag bis Sonntag sind wir immer für Sie da."
    assert converted(f'<html lang="en"><body><main><p>{text}</p></main></body></html>').language == "de"


words = st.from_regex(r"[a-z]{3,8}", fullmatch=True)


def wrapped(tag: str, parts: list[str]) -> str:
    return f"<{tag}>{' '.join(parts)}</{tag}>"


inline = st.recursive(
    words,
    lambda inner: st.builds(wrapped, st.sampled_from(INLINE), st.lists(inner, min_size=1, max_size=3)),
    max_leaves=4,
)


WRAPS = {
    "ul": "<ul><li>{}</li><li>{}</li></ul>",
    "ol": "<ol>{}<li>{}</li></ol>",
    "dl": "<dl><dd>{}</dd><dt>{}</dt></dl>",
    "details": "<details><summary>{}</summary>{}</details>",
    "table": "<table><tr><th>{}</th></tr><tr><td>{}</td></tr></table>",
    "layout": "<table><caption>{}</caption><tr><td>{}</td></tr></table>",
    "list": "<dl><div><dt>{}</dt><dd>{}</dd></div></dl>",
}


trees = st.recursive(
    inline,
    lambda inner: st.one_of(
        st.builds(wrapped, st.sampled_from(BLOCKS), st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda shape, a, b: shape.format(a, b), st.sampled_from(list(WRAPS.values())), inner, inner),
    ),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(trees)
def test_no_visible_word_of_the_content_is_lost(tree: str) -> None:
    markdown = converted(f"<main>{tree}</main>").markdown
    visible = set(re.findall(r"[a-z]+", re.sub(r"<[^>]*>", " ", tree)))
    assert visible <= set(re.findall(r"[a-z]+", markdown))


SOUP = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "<div class=menu>",
                "</div>",
                "<p>",
                "<table><tr><td rowspan=9999 colspan=0>",
                "<li>",
                "<ul>",
                "</ul>",
                "<a href='#'>",
                "<details>",
                "<summary>",
                "<template shadowrootmode=open>",
                "</template>",
                "<dl><dt>",
                "<dd>",
                "<pre>",
                "<h2>",
                "<button aria-expanded>",
                "<sup>1</sup>",
                "<svg><use href=#x>",
                "<math>",
                "<noscript>",
                "<main>",
                "<article>",
                "<div role=tabpanel id=x hidden>",
                "<b role=tab aria-controls=x>",
                "<input type=email>",
                "<br>",
                "<!-- -->",
                "<img alt=x srcset=', 2x'>",
                "<div hidden id=S:0>",
                "<template id=B:0>",
                "<li value=x>",
                "<ol start=-3>",
                '<script type="application/ld+json">{"@type":["Product"],"offers":[[]]}</script>',
                "<div itemscope itemprop=x>",
            ]
        ),
        st.text(max_size=6),
    ),
    max_size=30,
)


@settings(max_examples=400, deadline=None)
@given(SOUP)
def test_no_tag_soup_is_too_broken_to_be_read(parts: list[str]) -> None:
    converted("".join(parts))


@settings(max_examples=150, deadline=None)
@given(
    st.binary(max_size=300),
    st.sampled_from(["", "text/html", "text/html; charset=utf-16", "text/html; charset=nonsense"]),
)
def test_no_bytes_are_too_broken_to_be_read(body: bytes, content_type: str) -> None:
    convert_html(body, URL, content_type)


@pytest.mark.parametrize(
    "page",
    [
        "<main>" + "<a class=btn href=/x>Go</a>" * 20_000,
        "<main>" + "[" * 100_000,
        "<main><table>" + "<tr><td rowspan=200 colspan=200>x" * 3000,
        "<main><ul>" + "<li>Item" * 30_000,
        "<main>" + "<b>" * 20_000 + "x",
        "<main><h2>" + "1 " * 100_000,
        "<b role=tab aria-controls=x><div role=tabpanel id=x>a<b role=tab aria-controls=x><div role=tabpanel id=x>b",
    ],
    ids=["buttons", "brackets", "spans", "items", "marks", "digits", "panels in their tabs"],
)
def test_a_page_made_to_be_slow_is_read_all_the_same(page: str) -> None:
    converted(page)
