"""An HTML page as a document: charset, title, language, links, the wishes of its robots tags, and its Markdown."""

from __future__ import annotations

import re

from charset_normalizer import from_bytes
from selectolax.lexbor import LexborHTMLParser
from w3lib.encoding import html_to_unicode

from retrieval.accordion import name_panels
from retrieval.address import joined
from retrieval.document import Document
from retrieval.frame import Frame
from retrieval.inline import SPACE
from retrieval.language import detect
from retrieval.markdown import Writer, plain
from retrieval.select import select
from retrieval.tree import Node, build
from retrieval.visible import settle

SEPARATORS = re.compile(r"\s+[|·•»–—-]\s+|\s*::\s*")


def decode(body: bytes, content_type: str = "") -> str:
    """Bytes as text: byte-order mark, then the header, then the page's own word, then a guess."""
    _, text = html_to_unicode(content_type or None, body, auto_detect_fun=guess)
    return str(text)


def guess(body: bytes) -> str:
    """The charset of bytes that declare none."""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        best = from_bytes(
            body, cp_isolation=["cp1252", "cp1251", "cp1250", "cp1253", "cp1256", "big5", "gb18030"]
        ).best()
        return best.encoding if best else "cp1252"
    return "utf-8"


def convert_html(body: bytes, url: str, content_type: str = "", *, images: bool = True) -> Document:
    """The page's content as Markdown."""
    tree = LexborHTMLParser(decode(body, content_type))
    base = _base(tree, url)
    title, links, robots = _title(tree), _links(tree, base), set(re.split(r"[\s,]+", _meta(tree, "robots").lower()))
    canonical = tree.css_first("link[rel=canonical]")
    html = tree.css_first("html")
    declared = (html.attributes.get("lang") or "") if html is not None else ""
    markdown = Writer(base, images=images).write(_content(tree, url))
    return Document(
        url=url,
        title=title or url.rstrip("/").rsplit("/", 1)[-1] or url,
        markdown=markdown,
        language=detect(plain(markdown[:6000]), hint=declared),
        links=links,
        canonical=joined(base, canonical.attributes.get("href") or "") if canonical is not None else "",
        noindex=bool(robots & {"noindex", "none"}),
        nofollow=bool(robots & {"nofollow", "none"}),
    )


def _content(tree: LexborHTMLParser, url: str) -> list[Node]:
    top, order = build(tree)
    settle(top, order)
    name_panels(order)
    roots = select(top, order)
    before = sum(root.size for root in roots)
    Frame(roots, url).clean()
    left = sum(root.size for root in roots)
    whole = any(root.titled for root in roots) and sum(root.prose for root in roots) >= 2
    if before > 400 and left < 0.12 * before and not whole:  # the rules ate the page
        top, order = build(tree)
        settle(top, order)
        roots = select(top, order)
    return [*_heading_outside(top, roots), *roots]


def _heading_outside(top: Node, roots: list[Node]) -> list[Node]:
    """The page's h1, when it stands beside the part that was chosen."""
    if any(root.titled for root in roots):
        return []
    found = (node for node in top.below() if node.tag == "h1" and 0 < node.size < 200)
    return [node for node in found if not node.within(frozenset(("nav", "footer", "aside")))][:1]


def _base(tree: LexborHTMLParser, url: str) -> str:
    base = tree.css_first("base[href]")
    return (joined(url, base.attributes.get("href") or "") or url) if base is not None else url


def _meta(tree: LexborHTMLParser, name: str) -> str:
    node = tree.css_first(f"meta[name='{name}' i], meta[property='{name}']")
    return (node.attributes.get("content") or "").strip() if node is not None else ""


def _title(tree: LexborHTMLParser) -> str:
    for selector in ("main h1, [role=main] h1", "article h1", "h1"):
        heading = tree.css_first(selector)
        if heading is not None and 0 < len(text := _line(heading.text())) <= 140:
            return text
    node = tree.css_first("title")
    whole = _line(_meta(tree, "og:title") or (node.text() if node is not None else ""))
    return SEPARATORS.split(whole)[0] or whole


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
