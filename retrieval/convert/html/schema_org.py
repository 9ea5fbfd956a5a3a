"""The data that a page carries beside its text: schema.org as JSON-LD and as microdata, read alike.

A page's data often holds what its text only shows by script: the answers of its questions, a price, opening hours. What the
text lacks is added as a section of its own, so that a reader sees where it came from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from retrieval.convert.html.opening_hours import opening_hours

Item = dict[str, Any]
Plain = Callable[[str], str]
"""A value as a page's data writes it, HTML or not, as Markdown."""

MARK = "## From the page's data"
MOST_SCRIPTS = 30
LONGEST_SCRIPT = 1_000_000
MOST_ITEMS = 2_000
PLACES = frozenset(
    ("LocalBusiness", "Store", "Restaurant", "Hotel", "MedicalBusiness", "FoodEstablishment", "Dentist", "Library")
)


def items(tree: LexborHTMLParser) -> list[Item]:
    """Every item of a page's data that has a type, outer ones first."""
    roots: list[Any] = []
    for script in tree.css("script[type='application/ld+json' i]")[:MOST_SCRIPTS]:
        text = script.text()
        if len(text) <= LONGEST_SCRIPT:
            roots += _loaded(text)
    roots += [_microdata(node) for node in tree.css("[itemscope]:not([itemprop])")[:MOST_SCRIPTS]]
    return [item for item in _all(roots) if kinds(item)]


def kinds(item: Item) -> list[str]:
    """The item's types, without the vocabulary's address."""
    value = item.get("@type")
    return [str(kind).rpartition("/")[2] for kind in (value if isinstance(value, list) else [value]) if kind]


def section(found: list[Item], text: Callable[[], str], plain: Plain) -> str:
    """What the items say and the text doesn't, as a marked section; empty when the text says it all.

    `text`: the page as its reader sees it, asked for only when an item says something.
    `plain`: makes Markdown of a value that may hold HTML.
    """
    seen = Seen(text)
    facts: list[str] = []
    questions: list[str] = []
    asked_by_visitors = any(kind in ("QAPage", "DiscussionForumPosting") for item in found for kind in kinds(item))
    for item in found:
        for kind in kinds(item):
            if kind == "Question":
                questions += [] if asked_by_visitors else _question(item, seen, plain)
            else:
                facts += [f"- **{name}**: {value}" for name, value in _facts(kind, item, plain) if _lacks(seen, value)]
    blocks = ["\n".join(dict.fromkeys(facts))] * bool(facts) + list(dict.fromkeys(questions))
    return "\n\n".join([MARK, *blocks]) if blocks else ""


def _loaded(text: str) -> list[Any]:
    text = text.strip().removeprefix("<!--").removesuffix("-->").removeprefix("//<![CDATA[").removesuffix("//]]>")
    try:
        return [json.loads(text, strict=False)]
    except (ValueError, RecursionError):
        return []  # broken data is no data; the text is still there


def _microdata(node: LexborNode) -> Item:
    """One item, with the properties that aren't those of an item inside."""
    item: Item = {"@type": (node.attributes.get("itemtype") or "").rpartition("/")[2]}
    stack = list(node.iter())
    while stack:
        child = stack.pop(0)
        attributes = child.attributes
        name = attributes.get("itemprop")
        inner = "itemscope" in attributes
        if name:
            value = _microdata(child) if inner else _value(child)
            item[name] = [*item[name], value] if isinstance(item.get(name), list) else [value]
        if not inner:
            stack = list(child.iter()) + stack
    return {name: value[0] if isinstance(value, list) and len(value) == 1 else value for name, value in item.items()}


def _value(node: LexborNode) -> str:
    attributes = node.attributes
    for name in ("content", "datetime", "href", "src"):
        if attributes.get(name):
            return str(attributes[name])
    return " ".join(node.text(separator=" ").split())


def _all(roots: list[Any]) -> Iterator[Item]:
    stack, count = roots[::-1], 0
    while stack and count < MOST_ITEMS:
        value = stack.pop()
        count += 1
        if isinstance(value, dict):
            yield value
            stack += [inner for inner in value.values() if isinstance(inner, (dict, list))][::-1]
        elif isinstance(value, list):
            stack += value[::-1]


def _question(item: Item, seen: Seen, plain: Plain) -> list[str]:
    answer = _first(item.get("acceptedAnswer") or item.get("suggestedAnswer"))
    question = plain(_text(item.get("name") or item.get("text"))).replace("\n", " ").strip("# ")
    told = plain(_text(answer.get("text") if isinstance(answer, dict) else answer))
    if not question or not told or not _lacks(seen, told):
        return []
    return [f"### {question}\n\n{told}"]


def _facts(kind: str, item: Item, plain: Plain) -> Iterator[tuple[str, str]]:
    if kind in ("Product", "IndividualProduct", "ProductGroup"):
        yield from _product(item, plain)
    elif kind == "Event" or kind.endswith("Event"):
        yield from _named(item, (("Event", "name"), ("Starts", "startDate"), ("Ends", "endDate")))
        place = _first(item.get("location"))
        if isinstance(place, dict):
            yield (
                "Place",
                ", ".join(part for part in (_text(place.get("name")), _address(place.get("address"))) if part),
            )
        yield from _offers(item)
    elif kind == "Recipe":
        yield from _named(item, (("Yield", "recipeYield"), ("Total time", "totalTime")))
        yield "Ingredients", "; ".join(_texts(item.get("recipeIngredient")))
        yield "Steps", " ".join(_texts(item.get("recipeInstructions")))
    elif kind == "HowTo":
        yield "Steps", " ".join(_texts(item.get("step")))
    elif kind in PLACES or "openingHoursSpecification" in item or "openingHours" in item:
        yield "Address", _address(item.get("address"))
        yield from _named(item, (("Phone", "telephone"), ("E-mail", "email"), ("Price range", "priceRange")))
        yield "Opening hours", opening_hours(item)


def _product(item: Item, plain: Plain) -> Iterator[tuple[str, str]]:
    yield from _named(item, (("Item number", "sku"), ("GTIN", "gtin13"), ("Color", "color")))
    brand = _first(item.get("brand"))
    yield "Brand", _text(brand.get("name") if isinstance(brand, dict) else brand)
    yield "Description", plain(_text(item.get("description"))).replace("\n", " ")
    yield from _offers(item)


def _offers(item: Item) -> Iterator[tuple[str, str]]:
    offers = item.get("offers")
    for offer in (offers if isinstance(offers, list) else [offers])[:20]:
        if not isinstance(offer, dict):
            continue
        low, high = _text(offer.get("lowPrice")), _text(offer.get("highPrice"))
        price = _text(offer.get("price")) or (f"{low}–{high}" if low and high and low != high else low)
        name = _text(offer.get("name"))
        if price:
            yield f"Price ({name})" if name else "Price", f"{price} {_text(offer.get('priceCurrency'))}".strip()
        yield "Availability", _spoken(_text(offer.get("availability")))


def _named(item: Item, names: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, str]]:
    for label, name in names:
        yield label, "; ".join(_texts(item.get(name)))


def _address(value: Any) -> str:
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


def _spoken(value: str) -> str:
    """`https://schema.org/InStock` as words."""
    name = value.rpartition("/")[2]
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else value


def _text(value: Any) -> str:
    value = _first(value)
    if isinstance(value, dict):
        value = value.get("name") or value.get("text") or value.get("@value") or ""
    return "" if value is None or isinstance(value, (list, bool)) else " ".join(str(value).split())


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict) and "itemListElement" in value:
        value = value["itemListElement"]
    return [text for part in (value if isinstance(value, list) else [value])[:100] if (text := _step(part))]


def _step(part: Any) -> str:
    return _text(part.get("text") or part.get("name")) if isinstance(part, dict) else _text(part)


class Seen:
    """The words of the page, read when the first fact is looked for in them."""

    def __init__(self, text: Callable[[], str]) -> None:
        self._text = text
        self._words = ""

    def holds(self, run: str) -> bool:
        """Whether words stand in the page in a row."""
        if not self._words:
            self._words = f" {_key(self._text())} "
        return f" {run} " in self._words


def _lacks(seen: Seen, value: str) -> bool:
    """Whether most of a value's words, three in a row, are nowhere in the text."""
    words = _key(value).split()
    runs = [" ".join(words[at : at + 3]) for at in range(max(1, len(words) - 2))] if words else []
    return sum(not seen.holds(run) for run in runs) > 0.4 * len(runs)


def _key(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.lower()))
