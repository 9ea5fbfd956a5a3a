"""Reads the schema.org data that a page has beside its text, as JSON-LD or microdata.

They often hold what the text only shows by script: the answers of its questions, a price, opening hours. What the text lacks
is added as a section of its own, so that a reader sees where it came from. Fixtures: data_*.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from retrieval.convert.html.opening_hours import opening_hours

SchemaItem = dict[str, Any]
ToMarkdown = Callable[[str], str]
"""A function that writes a value of the data, which may be HTML, as Markdown."""

DATA_HEADING = "## From the page's data"
# Bounds against pages that are made to be slow; real ones have a few scripts of some kilobytes.
MOST_SCRIPTS = 30
MOST_SCRIPT_CHARACTERS = 1_000_000
MOST_ITEMS = 2_000
# Types of businesses that have an address; others are taken for one if they have opening hours.
PLACE_TYPES = frozenset(
    ("LocalBusiness", "Store", "Restaurant", "Hotel", "MedicalBusiness", "FoodEstablishment", "Dentist", "Library")
)


def schema_items(tree: LexborHTMLParser) -> list[SchemaItem]:
    """All items of a page's data that have a type, outer ones before those inside them, JSON-LD and microdata alike."""
    roots: list[Any] = []
    for script in tree.css("script[type='application/ld+json' i]")[:MOST_SCRIPTS]:
        text = script.text()
        if len(text) <= MOST_SCRIPT_CHARACTERS:
            roots += _parsed_json(text)
    roots += [_microdata(node) for node in tree.css("[itemscope]:not([itemprop])")[:MOST_SCRIPTS]]
    return [item for item in _nested_items(roots) if types_of(item)]


def types_of(item: SchemaItem) -> list[str]:
    """The names of an item's types: `https://schema.org/Product` is Product."""
    value = item.get("@type")
    return [str(kind).rpartition("/")[2] for kind in (value if isinstance(value, list) else [value]) if kind]


def data_section(items: list[SchemaItem], text: Callable[[], str], to_markdown: ToMarkdown) -> str:
    """What the items say and the page's text doesn't, as a section of Markdown; empty when the text says it all.

    `text`: gives the page's plain text; called only when an item says something.
    """
    page = PageWords(text)
    facts: list[str] = []
    questions: list[str] = []
    asked_by_visitors = any(kind in ("QAPage", "DiscussionForumPosting") for item in items for kind in types_of(item))
    for item in items:
        for kind in types_of(item):
            if kind == "Question":
                # the answers of a forum are visitors' opinions, not the owner's
                questions += [] if asked_by_visitors else _question(item, page, to_markdown)
            else:
                facts += [
                    f"- **{name}**: {value}"
                    for name, value in _facts_of(kind, item, to_markdown)
                    if _is_missing(page, value)
                ]
    blocks = ["\n".join(dict.fromkeys(facts))] * bool(facts) + list(dict.fromkeys(questions))
    return "\n\n".join([DATA_HEADING, *blocks]) if blocks else ""


def _parsed_json(text: str) -> list[Any]:
    """The data of a script, none if it is broken; comments around it are from pages written for XHTML."""
    text = text.strip().removeprefix("<!--").removesuffix("-->").removeprefix("//<![CDATA[").removesuffix("//]]>")
    try:
        return [json.loads(text, strict=False)]
    except (ValueError, RecursionError):
        return []  # broken data is no data; the text is still there


def _microdata(node: LexborNode) -> SchemaItem:
    """One item of microdata with its properties; an item inside of it is a value, its properties aren't the outer one's."""
    item: SchemaItem = {"@type": (node.attributes.get("itemtype") or "").rpartition("/")[2]}
    stack = list(node.iter())
    while stack:
        child = stack.pop(0)
        attributes = child.attributes
        name = attributes.get("itemprop")
        inner = "itemscope" in attributes
        if name:
            value = _microdata(child) if inner else _microdata_value(child)
            item[name] = [*item[name], value] if isinstance(item.get(name), list) else [value]
        if not inner:
            stack = list(child.iter()) + stack
    return {name: value[0] if isinstance(value, list) and len(value) == 1 else value for name, value in item.items()}


def _microdata_value(node: LexborNode) -> str:
    """A property's value: an attribute that machines read, else the element's text."""
    attributes = node.attributes
    for name in ("content", "datetime", "href", "src"):
        if attributes.get(name):
            return str(attributes[name])
    return " ".join(node.text(separator=" ").split())


def _nested_items(roots: list[Any]) -> Iterator[SchemaItem]:
    """All objects of the data in order, without recursion, and no more than MOST_ITEMS values."""
    stack, count = roots[::-1], 0
    while stack and count < MOST_ITEMS:
        value = stack.pop()
        count += 1
        if isinstance(value, dict):
            yield value
            stack += [inner for inner in value.values() if isinstance(inner, (dict, list))][::-1]
        elif isinstance(value, list):
            stack += value[::-1]


def _question(item: SchemaItem, page: PageWords, to_markdown: ToMarkdown) -> list[str]:
    """A question as a heading above its answer, none if the page shows the answer."""
    answer = _first(item.get("acceptedAnswer") or item.get("suggestedAnswer"))
    question = to_markdown(_text(item.get("name") or item.get("text"))).replace("\n", " ").strip("# ")
    answer_text = to_markdown(_text(answer.get("text") if isinstance(answer, dict) else answer))
    if not question or not answer_text or not _is_missing(page, answer_text):
        return []
    return [f"### {question}\n\n{answer_text}"]


def _facts_of(kind: str, item: SchemaItem, to_markdown: ToMarkdown) -> Iterator[tuple[str, str]]:
    """What an item of a type says, as (label, value); values may be empty."""
    if kind in ("Product", "IndividualProduct", "ProductGroup"):
        yield from _product(item, to_markdown)
    elif kind == "Event" or kind.endswith("Event"):
        yield from _labelled(item, (("Event", "name"), ("Starts", "startDate"), ("Ends", "endDate")))
        place = _first(item.get("location"))
        if isinstance(place, dict):
            yield (
                "Place",
                ", ".join(part for part in (_text(place.get("name")), _address(place.get("address"))) if part),
            )
        yield from _offers(item)
    elif kind == "Recipe":
        yield from _labelled(item, (("Yield", "recipeYield"), ("Total time", "totalTime")))
        yield "Ingredients", "; ".join(_texts(item.get("recipeIngredient")))
        yield "Steps", " ".join(_texts(item.get("recipeInstructions")))
    elif kind == "HowTo":
        yield "Steps", " ".join(_texts(item.get("step")))
    elif kind in PLACE_TYPES or "openingHoursSpecification" in item or "openingHours" in item:
        yield "Address", _address(item.get("address"))
        yield from _labelled(item, (("Phone", "telephone"), ("E-mail", "email"), ("Price range", "priceRange")))
        yield "Opening hours", opening_hours(item)


def _product(item: SchemaItem, to_markdown: ToMarkdown) -> Iterator[tuple[str, str]]:
    yield from _labelled(item, (("Item number", "sku"), ("GTIN", "gtin13"), ("Color", "color")))
    brand = _first(item.get("brand"))
    yield "Brand", _text(brand.get("name") if isinstance(brand, dict) else brand)
    yield "Description", to_markdown(_text(item.get("description"))).replace("\n", " ")
    yield from _offers(item)


def _offers(item: SchemaItem) -> Iterator[tuple[str, str]]:
    """Prices and availability, of the first twenty offers."""
    offers = item.get("offers")
    for offer in (offers if isinstance(offers, list) else [offers])[:20]:
        if not isinstance(offer, dict):
            continue
        low, high = _text(offer.get("lowPrice")), _text(offer.get("highPrice"))
        # a range where there are two prices, the one where they are the same
        price = _text(offer.get("price")) or (f"{low}–{high}" if low and high and low != high else low)
        name = _text(offer.get("name"))
        if price:
            yield f"Price ({name})" if name else "Price", f"{price} {_text(offer.get('priceCurrency'))}".strip()
        yield "Availability", _as_words(_text(offer.get("availability")))


def _labelled(item: SchemaItem, names: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, str]]:
    for label, name in names:
        yield label, "; ".join(_texts(item.get(name)))


def _address(value: Any) -> str:
    """A postal address on one line."""
    value = _first(value)
    if not isinstance(value, dict):
        return _text(value)
    city = " ".join(part for part in (_text(value.get("postalCode")), _text(value.get("addressLocality"))) if part)
    parts = (
        _text(value.get("streetAddress")),
        city,
        _text(value.get("addressRegion")),
        _text(value.get("addressCountry")),
    )
    return ", ".join(part for part in parts if part)


def _as_words(value: str) -> str:
    """A value of an enumeration as words: `https://schema.org/InStock` is "in stock"."""
    name = value.rpartition("/")[2]
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()


def _first(value: Any) -> Any:
    """The value itself, or the first of a list: the vocabulary allows either everywhere."""
    return value[0] if isinstance(value, list) and value else value


def _text(value: Any) -> str:
    """A value as one line of text; of an object its name or text."""
    value = _first(value)
    if isinstance(value, dict):
        value = value.get("name") or value.get("text") or value.get("@value") or ""
    return "" if value is None or isinstance(value, (list, bool)) else " ".join(str(value).split())


def _texts(value: Any) -> list[str]:
    """The texts of a list of values, the first hundred."""
    if isinstance(value, dict) and "itemListElement" in value:
        value = value["itemListElement"]
    return [text for part in (value if isinstance(value, list) else [value])[:100] if (text := _text_of_step(part))]


def _text_of_step(part: Any) -> str:
    return _text(part.get("text") or part.get("name")) if isinstance(part, dict) else _text(part)


class PageWords:
    """The words of a page, read when the first fact is looked for: most pages have no data, and need none."""

    def __init__(self, text: Callable[[], str]) -> None:
        self._text = text
        self._line = ""

    def holds(self, run: str) -> bool:
        """Whether words, given as one line, stand in the page in a row."""
        if not self._line:
            self._line = f" {_words_alone(self._text())} "
        return f" {run} " in self._line


def _is_missing(page: PageWords, value: str) -> bool:
    """Whether more than 40 % of a value's runs of three words are nowhere in the page; the share was chosen by hand."""
    words = _words_alone(value).split()
    runs = [" ".join(words[at : at + 3]) for at in range(max(1, len(words) - 2))] if words else []
    return sum(not page.holds(run) for run in runs) > 0.4 * len(runs)


def _words_alone(text: str) -> str:
    """The words of a text on one line, lower case, without punctuation."""
    return " ".join(re.findall(r"[^\W_]+", text.lower()))
