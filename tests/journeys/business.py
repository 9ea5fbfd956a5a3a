"""A small business whose few pages answer some questions and not others."""

from __future__ import annotations

from retrieval.document import Document

SITE = "https://harbour-kayaks.example"


def _page(name: str, title: str, markdown: str, language: str = "en") -> Document:
    return Document(f"{SITE}/{name}", title, f"# {title}\n\n{markdown}", language)


PAGES = (
    _page(
        "prices",
        "Prices",
        "## Kayak hire\n\nA single kayak costs £24 for half a day. A double kayak for two people costs £36 for half a day."
        "\n\n## Deposit\n\nA deposit of £50 is held on a card and given back the same evening.",
    ),
    _page(
        "opening",
        "Opening hours",
        "We are open from 9:30 to 18:00, from April to October.\n\nIn winter the boathouse is closed.",
    ),
    _page(
        "dogs",
        "Dogs on board",
        "Small dogs may come along in a double kayak. They wear a buoyancy vest, which we lend without charge.",
    ),
    _page(
        "contact",
        "Contact",
        "Call the boathouse on +44 1632 960418 or write to desk@harbour-kayaks.example.",
    ),
)
ADDRESSES = {page.title: page.url for page in PAGES}
