"""An HTML page as a document: its content as Markdown, its title, language, links and canonical address."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from retrieval.address import joined
from retrieval.convert.html import schema_org
from retrieval.convert.html.build import build, without_garbage_collection
from retrieval.convert.html.charset import decode
from retrieval.convert.html.content import read_content
from retrieval.convert.html.inline import WHITE_SPACE
from retrieval.convert.html.markdown import MarkdownWriter
from retrieval.document import Document
from retrieval.text.language import detect
from retrieval.text.plain import plain

# Between a page's title and the site's name: "Prices | Harbour Boats". A hyphen without spaces around it parts nothing ("Wi-Fi").
TITLE_SEPARATORS = re.compile(r"\s+[|·•»–—-]\s+|\s*::\s*")


@without_garbage_collection()
def convert_html(body: bytes, url: str, content_type: str = "", *, images: bool = True) -> Document:
    """The page as a document; no bytes are too broken to be read.

    `content_type`: the header of the answer, which may name a charset. `images`: keep pictures that have a description.
    """
    tree = LexborHTMLParser(decode(body, content_type))
    base = _base(tree, url)
    title, links = _title(tree), _links(tree, base)
    canonical = _head(tree).css_first("link[rel=canonical]")
    # what `<html lang>` says is only a hint: many sites leave their template's
    declared = (tree.root.attributes.get("lang") or "") if tree.root is not None else ""
    content = read_content(tree, url)
    markdown = MarkdownWriter(base, images=images).write(content.nodes)
    if data := schema_org.schema_items(tree):
        markdown = _with_data(markdown, data, base)
    return Document(
        url=url,
        title=title or url.rstrip("/").rsplit("/", 1)[-1] or url,
        markdown=markdown,
        language=detect(plain(markdown[:4500]), hint=declared),
        links=links,
        canonical=joined(base, canonical.attributes.get("href") or "") if canonical is not None else "",
        frame_facts=content.frame_facts,
    )


def audit(body: bytes, url: str, content_type: str = "") -> list[tuple[str, int, str]]:
    """What the rules take away from a page, in order: (rule, characters, text) of each part."""
    removed = read_content(LexborHTMLParser(decode(body, content_type)), url).removed
    return [(rule, node.size, node.line()) for rule, node in removed if node.size]


def _with_data(markdown: str, data: list[schema_org.SchemaItem], base: str) -> str:
    """The Markdown with a section of what the page's schema.org data say beyond it."""

    def as_markdown(value: str) -> str:
        if "<" not in value and "&" not in value:
            return value
        top, _ = build(LexborHTMLParser(f"<body>{value}</body>"))
        return MarkdownWriter(base).write([top]).strip()

    section = schema_org.data_section(data, lambda: plain(markdown), as_markdown)
    return f"{markdown.rstrip()}\n\n{section}\n".lstrip() if section else markdown


def _base(tree: LexborHTMLParser, url: str) -> str:
    """The address that relative links are joined to."""
    base = _head(tree).css_first("base[href]")
    return (joined(url, base.attributes.get("href") or "") or url) if base is not None else url


def _meta(tree: LexborHTMLParser, name: str) -> str:
    node = _head(tree).css_first(f"meta[name='{name}' i], meta[property='{name}']")
    return (node.attributes.get("content") or "").strip() if node is not None else ""


def _title(tree: LexborHTMLParser) -> str:
    """The h1 of the content; without one the title in the head, without the site's name behind it; may be empty."""
    # a longer h1 is a paragraph that was marked as one
    headings = [(node, text) for node in tree.css("h1") if 0 < len(text := _on_one_line(node.text())) <= 140]
    if headings:
        return min(headings, key=lambda one: _rank_of_heading(one[0]))[1]
    node = _head(tree).css_first("title")
    declared = _on_one_line(_meta(tree, "og:title") or (node.text() if node is not None else ""))
    return TITLE_SEPARATORS.split(declared)[0] or declared


def _rank_of_heading(heading: LexborNode) -> int:
    """0 for an h1 in the main part, 1 for one in an article, 2 for others, such as the site's name in its header."""
    rank, above = 2, heading.parent
    while above is not None:
        if above.tag == "main" or above.attributes.get("role") == "main":
            return 0
        rank = 1 if above.tag == "article" else rank
        above = above.parent
    return rank


def _head(tree: LexborHTMLParser) -> LexborNode | LexborHTMLParser:
    """Where to look for what a page says about itself: its head, or all of it when it has none."""
    return tree.head if tree.head is not None else tree


def _on_one_line(text: str) -> str:
    return WHITE_SPACE.sub(" ", text).strip()


def _links(tree: LexborHTMLParser, base: str) -> tuple[str, ...]:
    """The web addresses that the page links to, absolute, once each, without fragments; `nofollow` is respected."""
    hrefs: dict[str, None] = {}
    for node in tree.css("a[href], area[href], link[rel=alternate][hreflang]"):
        attributes = node.attributes
        if "nofollow" not in (attributes.get("rel") or ""):
            hrefs[(attributes.get("href") or "").partition("#")[0]] = None
    addresses = dict.fromkeys(joined(base, href).partition("#")[0] for href in hrefs)
    return tuple(address for address in addresses if address.startswith(("http://", "https://")))
