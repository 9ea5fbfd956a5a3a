"""Text that a page holds only as data for its scripts."""

from __future__ import annotations

import json

import pytest

from retrieval.decision import Decision, Kind
from retrieval.document import Page
from retrieval.index.index import Index
from retrieval.ingest.prepare import prepared
from tests.retrieval.ingest.crawling import crawled, held, page
from tests.standins.site import Site

FAQ = {
    "props": {
        "pageProps": {
            "title": "Questions about renting",
            "items": [
                {"question": "Is the deposit paid back?", "answer": "Yes, all £50 of the deposit are paid back the same day."},
                {"question": "May dogs come along?", "answer": "<p>Dogs are <b>welcome</b> on every boat but kayaks.</p>"},
            ],
            "className": "flex items-center justify-between", "href": "/some/where/else at all", "buildId": "a b c d e f",
        }
    }
}  # fmt: skip


def page_of(script: str, body: str = "<div id=__next></div>") -> Page:
    head = "<head><title>Questions | Harbour</title></head>"
    html = f"<html lang=en>{head}<body>{body}{script}<script src=/a.js></script></body></html>"
    return Page("https://x.example/faq", html.encode(), "text/html")


@pytest.mark.parametrize(
    "script",
    [
        f"<script id='__NEXT_DATA__' type='application/json'>{json.dumps(FAQ)}</script>",
        f"<script type=application/json id=__NUXT_DATA__>{json.dumps(FAQ)}</script>",
        f"<script>window.__INITIAL_STATE__ = {json.dumps(FAQ)};</script>",
    ],
    ids=["next", "nuxt", "assigned"],
)
def test_text_in_data_islands_is_read(script: str) -> None:
    document = prepared(page_of(script), images=True, source_url=False).document
    assert document
    assert document.title == "Questions"
    assert "## Is the deposit paid back?\n\nYes, all £50" in document.markdown
    assert "Dogs are **welcome** on every boat" in document.markdown
    assert "flex" not in document.markdown
    assert "some/where" not in document.markdown


def test_a_page_that_shows_its_text_is_read_from_its_text() -> None:
    shown = (
        "<main><h1>Prices</h1><p>" + "A kayak costs £20 for half a day and £35 for a whole one. " * 4 + "</p></main>"
    )
    script = f"<script id='__NEXT_DATA__' type='application/json'>{json.dumps(FAQ)}</script>"
    document = prepared(page_of(script, shown), images=True, source_url=False).document
    assert document
    assert "deposit" not in document.markdown


@pytest.mark.parametrize(
    "body",
    [
        "<div id=app>Loading…</div>",
        "<div id=root></div><p>You need to enable JavaScript to run this app.</p>",
        "<div id=app><p>Bitte JavaScript aktivieren</p></div>",
    ],
)
def test_a_shell_that_only_says_wait_is_empty(body: str) -> None:
    ready = prepared(page_of("", body), images=True, source_url=False)
    assert (ready.document, ready.problem, ready.empty) == (None, Decision(Kind.NEEDS_SCRIPT), True)


def test_a_short_page_is_not_taken_for_a_shell() -> None:
    ready = prepared(
        page_of("", "<main id=app><p>Loading bay: behind the quay.</p></main>"), images=True, source_url=False
    )
    assert ready.document


@pytest.mark.parametrize(
    "script", ["", "<script type=application/json>{broken</script>", "<script type='application/json'>{}</script>"]
)
def test_a_shell_without_data_needs_a_browser_and_says_so(script: str) -> None:
    ready = prepared(page_of(script), images=True, source_url=False)
    assert ready.document is None
    assert ready.problem == Decision(Kind.NEEDS_SCRIPT)
    assert ready.empty


async def test_data_with_half_a_letter_does_not_end_the_crawl(index: Index) -> None:
    half = r"Boats \ud83d"
    told = f'{{"title": "{half} for rent", "text": "{"Many words about all our boats. " * 8}{half}"}}'
    faq = f'{{"@type": "Question", "name": "{half}?", "acceptedAnswer": {{"@type": "Answer", "text": "Yes {half}."}}}}'
    data = f'{{"@context": "https://schema.org", "@type": "FAQPage", "mainEntity": [{faq}]}}'
    pages = {
        "/": page("Home of the boats", "/island", "/data"),
        "/island": page_of(f"<script id=__NEXT_DATA__ type='application/json'>{told}</script>").content.decode(),
        "/data": page("A page with data", head=f"<script type='application/ld+json'>{data}</script>"),
    }
    async with Site(pages) as site:
        await crawled(index, site)
        found = await held(index, site)
    assert set(found) == set(pages)
    assert "Boats ? for rent" in found["/island"]
    assert "Yes Boats ?." in found["/data"]
