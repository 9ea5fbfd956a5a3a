"""From Lexbor's tree to the light one: built once, in document order and without recursion, then measured.

Scripts, styles and form machinery aren't in it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from selectolax.lexbor import LexborHTMLParser, LexborNode

from retrieval.convert.html.tree import Node

MACHINERY = frozenset(
    "script style link meta head title base canvas iframe frame frameset object embed applet param video audio map area"
    " datalist option optgroup progress meter source track template colgroup col".split()
)
FIELDS = frozenset(("input", "select", "textarea"))
"""What a visitor fills in: kept without its words, since a box that asks for an address is known by it."""
DEEPEST = 120
"""Elements nested deeper are dissolved into their parent, so that writing a tree can't exhaust the stack."""
PROSE = 80
"""Characters from which a paragraph counts as prose, not as a label."""


@contextmanager
def uncollected() -> Iterator[None]:
    """Without the collector of cycles: a tree lives for milliseconds, and looking for garbage in it costs a quarter of them."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def build(tree: LexborHTMLParser) -> tuple[Node, list[Node]]:
    """The body of a parsed page, and all its elements in document order; measured."""
    body = tree.body
    top = Node("body", dict(body.attributes) if body is not None else {}, None)
    order = [top]
    if body is not None:
        _fill(top, body, order)
        _deliver(order)
    measure(order)
    return top, order


def _fill(top: Node, body: LexborNode, order: list[Node]) -> None:
    stack: list[tuple[LexborNode, Node]] = []
    place, source = top, body.child
    while source is not None or stack:
        if source is None:
            source, place = stack.pop()
            source = source.next
            continue
        tag = source.tag
        child = inner = None
        if tag == "-text":
            if text := source.text_content:
                place.kids.append(text)
        elif tag in MACHINERY:
            if tag == "template":
                inner, child = _template(source, place, order)
        elif tag and tag[0].isalpha():
            inner = _enter(tag, source, place, order, len(stack))
            child = source.child if inner is not None else None
        if inner is None or child is None:
            source = source.next
        else:
            stack.append((source, place))
            place, source = inner, child


def _enter(tag: str, source: LexborNode, place: Node, order: list[Node], depth: int) -> Node | None:
    """Add one node; returns where its children go, None when they are to be left out."""
    if depth > DEEPEST and tag not in ("br", "img"):
        place.kids.append(Node("br", {}, place))
        return place
    node = Node(tag, source.attributes, place)
    place.kids.append(node)
    order.append(node)
    if tag in FIELDS:
        return None
    if tag == "svg":
        node.attrs = {**node.attrs, "title": _drawing(source)}
        return None
    return node


def _drawing(source: LexborNode) -> str:
    """What a drawing says of itself: its title, or the name of the symbol that it uses."""
    for child in source.iter():
        if child.tag == "title":
            return " ".join(child.text().split())
        if child.tag == "use":
            return (child.attributes.get("href") or child.attributes.get("xlink:href") or "").rpartition("#")[2]
    return ""


def _template(source: LexborNode, place: Node, order: list[Node]) -> tuple[Node | None, LexborNode | None]:
    """A declarative shadow root is on the screen; a place for a part that is streamed later is kept; others are not.

    What is inside a template hangs elsewhere, unless the template stands where HTML knows none.
    """
    attrs = source.attributes
    if "shadowrootmode" in attrs or "shadowroot" in attrs:
        fragments = source.template_fragments()
        return place, fragments[0].child if fragments else source.child
    if (attrs.get("id") or "").startswith("B:"):
        node = Node("template", attrs, place)
        place.kids.append(node)
        order.append(node)
    return None, None


def _deliver(order: list[Node]) -> None:
    """Put streamed parts where they belong: React sends `<div hidden id="S:1">` late, for `<template id="B:1">`."""
    gaps = {node.get("id")[2:]: node for node in order if node.tag == "template"}
    if not gaps:
        return
    parts = {node.get("id")[2:]: node for node in order if "hidden" in node.attrs and node.get("id").startswith("S:")}
    for name, part in parts.items():
        part.attrs = {key: value for key, value in part.attrs.items() if key != "hidden"}
        gap, parent = gaps.get(name), part.parent
        if gap is None or gap.parent is None or parent is None or any(above is part for above in gap.above()):
            continue
        parent.kids = [kid for kid in parent.kids if kid is not part]
        gap.parent.kids = [part if kid is gap else kid for kid in gap.parent.kids]
        part.parent = gap.parent
    order[:] = [order[0], *order[0].below()]


def measure(order: list[Node]) -> None:
    """Count the text, links and prose of nodes given in document order."""
    for node in reversed(order):
        size = linked = links = prose = own = fields = 0
        tag = node.tag
        titled = tag == "h1"
        for kid in node.kids:
            if isinstance(kid, str):
                if "\n" not in kid:
                    own += len(kid.strip())
                elif not kid.isspace():
                    own += len(" ".join(kid.split()))
            else:
                size += kid.size
                linked += kid.linked
                links += kid.links
                prose += kid.prose
                fields += kid.fields
                titled = titled or kid.titled
        size += own
        if tag == "a" and node.attrs.get("href"):
            linked, links, prose = size, 1, 0  # what is all link leads elsewhere, however long
        if not prose and linked < 0.5 * size and (own > PROSE or (tag == "p" and size > PROSE)):
            prose = 1
        if tag == "input" and (node.attrs.get("type") or "text") in ("text", "email"):
            fields = 1
        node.size, node.own, node.linked, node.links, node.prose = size, own, linked, links, prose
        node.fields, node.titled = fields, titled
