"""The schema.org data that pages have beside their text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from retrieval.convert.html.page import convert_html
from retrieval.convert.html.schema_org import DATA_HEADING, schema_items, types_of


def markdown(data: Any, text: str = "Come by.") -> str:
    script = f'<script type="application/ld+json">{json.dumps(data)}</script>'
    return convert_html(f"<body>{script}<main><p>{text}</p></main></body>".encode(), "https://tern.example/").markdown


@pytest.mark.parametrize(
    ("data", "line"),
    [
        ({"@type": "Product", "offers": [{"price": 9, "priceCurrency": "EUR", "name": "Small"}]}, "- **Price (Small)**: 9 EUR"),
        ({"@type": ["Product"], "offers": {"lowPrice": 9, "highPrice": 12, "priceCurrency": "EUR"}}, "- **Price**: 9–12 EUR"),
        ({"@type": "Product", "offers": {"availability": "http://schema.org/OutOfStock"}}, "- **Availability**: out of stock"),
        ({"@type": "MusicEvent", "name": "Regatta", "startDate": "2027-05-02"}, "- **Starts**: 2027-05-02"),
        ({"@type": "Recipe", "recipeIngredient": ["2 eggs", "flour"]}, "- **Ingredients**: 2 eggs; flour"),
        ({"@type": "HowTo", "step": [{"@type": "HowToStep", "text": "Untie."}, {"name": "Row."}]}, "- **Steps**: Untie. Row."),
        ({"@type": "LocalBusiness", "address": {"streetAddress": "4 Slip Lane"}}, "- **Address**: 4 Slip Lane"),
        ({"@graph": [{"@type": "Store", "openingHours": "Mo-Fr 09:00-17:00"}]}, "- **Opening hours**: Monday–Friday 09:00–17:00"),
    ],
)  # fmt: skip
def test_a_fact_that_the_text_lacks_is_added_under_a_mark(data: Any, line: str) -> None:
    converted = markdown(data)
    assert converted.startswith(f"Come by.\n\n{DATA_HEADING}\n")
    assert line in converted.splitlines()


def test_a_fact_that_the_text_holds_is_not_said_twice() -> None:
    data = {"@type": "Product", "offers": {"price": "24.90", "priceCurrency": "EUR"}}
    assert markdown(data, "It costs 24.90 EUR.") == "It costs 24.90 EUR.\n"


def test_an_answer_of_which_the_text_shows_most_is_not_said_twice() -> None:
    answer = "Boats leave every hour from the east pier, in summer until ten."
    data = {
        "@type": "FAQPage",
        "mainEntity": [{"@type": "Question", "name": "When?", "acceptedAnswer": {"text": answer}}],
    }
    assert DATA_HEADING not in markdown(data, answer.replace("ten", "eleven"))
    assert f"### When?\n\n{answer}" in markdown(data)


def test_questions_of_visitors_are_not_the_owners_answers() -> None:
    data = {
        "@type": "QAPage",
        "mainEntity": {"@type": "Question", "name": "Why?", "acceptedAnswer": {"text": "Because."}},
    }
    assert DATA_HEADING not in markdown(data)


@pytest.mark.parametrize(
    "broken", ["{", '{"@type": "Product", "offers": null}', "[" * 5000, '"text"', "null", '{"@type": 5}']
)
def test_broken_data_is_no_data(broken: str) -> None:
    page = f'<body><script type="application/ld+json">{broken}</script><main><p>Text.</p></main></body>'
    assert convert_html(page.encode(), "https://tern.example/").markdown == "Text.\n"


def test_microdata_is_read_like_json() -> None:
    page = """<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Rope</b><i itemprop="color">red</i><i
    itemprop="color">blue</i><div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="price"
    content="9"></div></div>"""
    (product, offer) = schema_items(LexborHTMLParser(page))
    assert types_of(product) == ["Product"]
    assert (product["name"], product["color"], offer["price"]) == ("Rope", ["red", "blue"], "9")
