"""An HTML page as a document: charset, title, language, links, and its Markdown."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from retrieval.address import joined
from retrieval.convert.html import schema_org as structured
from retrieval.convert.html.build import build, uncollected
from retrieval.convert.html.charset import decode
from retrieval.convert.html.content import read
from retrieval.convert.html.inline import SPACE
from retrieval.convert.html.markdown import Writer
from retrieval.document import Document
from retrieval.text.language import detect
from retrieval.text.plain import plain

SEPARATORS = re.compile(r"\s+[|·•»–—-]\s+|\s*::\s*")


@uncollected()
def convert_html(body: bytes, url: str, content_type: str = "", *, images: bool = True) -> Document:
    """The page's content as Markdown."""
    tree = LexborHTMLParser(decode(body, content_type))
    base = _base(tree, url)
    title, links = _title(tree), _links(tree, base)
    canonical = _head(tree).css_first("link[rel=canonical]")
    declared = (tree.root.attributes.get("lang") or "") if tree.root is not None else ""
    content = read(tree, url)
    markdown = Writer(base, images=images).write(content.nodes)
    if data := structured.items(tree):
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
    """What was taken away from a page: the rule, the characters and the words of each part, in order."""
    removed = read(LexborHTMLParser(decode(body, content_type)), url).removed
    return [(rule, node.size, node.line()) for rule, node in removed if node.size]


def _with_data(markdown: str, data: list[structured.Item], base: str) -> str:
    def as_markdown(value: str) -> str:
        if "<" not in value and "&" not in value:
            return value
        top, _ = build(LexborHTMLParser(f"<body>{value}</body>"))
        return Writer(base).write([top]).strip()

    section = structured.section(data, lambda: plain(markdown), as_markdown)
    return f"{markdown.rstrip()}\n\n{section}\n".lstrip() if section else markdown


def _base(tree: LexborHTMLParser, url: str) -> str:
    base = _head(tree).css_first("base[href]")
    return (joined(url, base.attributes.get("href") or "") or url) if base is not None else url


def _meta(tree: LexborHTMLParser, name: str) -> str:
    node = _head(tree).css_first(f"meta[name='{name}' i], meta[property='{name}']")
    return (node.attributes.get("content") or "").strip() if node is not None else ""


def _title(tree: LexborHTMLParser) -> str:
    headings = [(node, text) for node in tree.css("h1") if 0 < len(text := _line(node.text())) <= 140]
    if headings:
        return min(headings, key=lambda one: _rank(one[0]))[1]
    node = _head(tree).css_first("title")
    whole = _line(_meta(tree, "og:title") or (node.text() if node is not None else ""))
    return SEPARATORS.split(whole)[0] or whole


def _rank(heading: LexborNode) -> int:
    """A heading in the main part goes before one in an article, and that before the site's."""
    rank, above = 2, heading.parent
    while above is not None:
        if above.tag == "main" or above.attributes.get("role") == "main":
            return 0
        rank = 1 if above.tag == "article" else rank
        above = above.parent
    return rank


def _head(tree: LexborHTMLParser) -> LexborNode | LexborHTMLParser:
    """Where a page says what it is: its head, and all of it when it has none."""
    return tree.head if tree.head is not None else tree


def _line(text: str) -> str:
    return SPACE.sub(" ", text).strip()


def _links(tree: LexborHTMLParser, base: str) -> tuple[str, ...]:
    hrefs: dict[str, None] = {}
    for node in tree.css("a[href], area[href], link[rel=alternate][hreflang]"):
        attributes = node.attributes
        if "nofollow" not in (attributes.get("rel") or ""):
            hrefs[(attributes.get("href") or "").partition("#")[0]] = None
    found = dict.fromkeys(joined(base, href).partition("#")[0] for href in hrefs)
    return tuple(address for address in found if address.startswith(("http://", "https://")))
