"""Which part of a page is content: `<main>`, else every `<article>`, else `<body>`; then the frame is taken away.

Nodes are removed in place from the parsed tree. What sits collapsed (details, tab panels, accordions) is content.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

MACHINERY = (
    "script, style, template, noscript, svg, iframe, object, canvas, video, audio, input, select, textarea, button,"
    " datalist, progress, meter, link, meta, dialog:not([open])"
)
FRAME = (
    "nav, [role=navigation], [role=search], [role=banner], [role=contentinfo], [role=dialog], [role=alertdialog],"
    " [role=menu], [role=menubar], [aria-label=breadcrumb i], [aria-label=breadcrumbs i]"
)
SITE_FRAME = "body > header, body > footer, body > div > header, body > div > footer, aside"
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "dt", "summary"})
CONSENT = re.compile(
    r"\b(cookie|consent|gdpr|breadcrumbs?|skip|skip-link|skiplink|skip-to-content|related-links|share-?(bar|buttons))\b",
    re.I,
)


def content(tree: LexborHTMLParser) -> list[LexborNode]:
    """The nodes that hold a page's content, frame and machinery removed; in document order."""
    for node in tree.css(MACHINERY):
        if not _opens_content(node):
            node.decompose()
    chosen, own_markup = _chosen(tree)
    if not own_markup:
        for node in tree.css(SITE_FRAME):
            node.decompose()
    for root in chosen:
        _clean(root)
    return chosen


def _chosen(tree: LexborHTMLParser) -> tuple[list[LexborNode], bool]:
    for selector in ("main, [role=main]", "article"):
        nodes = _outermost(tree.css(selector))
        if any(node.text(strip=True) for node in nodes):
            return nodes, True
    return ([tree.body] if tree.body else []), False


def _opens_content(node: LexborNode) -> bool:
    """A button that is the heading of a collapsed part: an accordion's question, a tab's name."""
    names = {parent.tag for parent in _parents(node)}
    return node.tag == "button" and ("aria-controls" in node.attributes or not names.isdisjoint(HEADINGS))


def _outermost(nodes: list[LexborNode]) -> list[LexborNode]:
    ids = {node.mem_id for node in nodes}
    return [node for node in nodes if not any(parent.mem_id in ids for parent in _parents(node))]


def _parents(node: LexborNode) -> list[LexborNode]:
    found, parent = [], node.parent
    while parent is not None:
        found.append(parent)
        parent = parent.parent
    return found


def _clean(root: LexborNode) -> None:
    for node in root.css(FRAME):
        if node.mem_id != root.mem_id:
            node.decompose()
    for node in root.css("[class], [id], [hidden], [style]"):
        if node.mem_id != root.mem_id and (_is_consent(node) or _is_invisible(node)):
            node.decompose()


def _is_consent(node: LexborNode) -> bool:
    if node.tag in HEADINGS:  # a heading's id is made of its words
        return False
    attributes = node.attributes
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
    return bool(CONSENT.search(names)) and len(node.text(strip=True)) < 1500


def _is_invisible(node: LexborNode) -> bool:
    attributes = node.attributes
    collapsed = attributes.get("role") == "tabpanel" or "aria-labelledby" in attributes or "id" in attributes
    if collapsed or attributes.get("hidden") == "until-found":
        return False
    style = (attributes.get("style") or "").replace(" ", "").lower()
    return "hidden" in attributes or "display:none" in style or "visibility:hidden" in style
