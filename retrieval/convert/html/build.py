"""Makes the light tree from the one that Lexbor parsed, in document order and without recursion, and measures it.

Scripts, styles and the machinery of forms are left out.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from selectolax.lexbor import LexborHTMLParser, LexborNode

from retrieval.convert.html.tree import PageNode

# What holds no text for a reader. `template` is looked into, see `_look_into_template`.
LEFT_OUT_TAGS = frozenset(
    "script style link meta head title base canvas iframe frame frameset object embed applet param video audio map area"
    " datalist option optgroup progress meter source track template colgroup col".split()
)
FIELD_TAGS = frozenset(("input", "select", "textarea"))
"""What a visitor fills in: kept without its text, since a sign-up box is known by its field (fixture frame_sign_up)."""
MOST_NESTED_ELEMENTS = 120
"""Elements nested deeper are dissolved into their parent, so that the recursive writer can't exhaust the stack.

Real pages stay below; tests/retrieval/convert/html/test_frame.py nests three thousand.
"""
LEAST_PROSE_CHARACTERS = 80
"""Characters above which a paragraph counts as running text, not as a label; chosen by hand."""


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Switches Python's collector of cycles off for a while.

    A tree of thousands of nodes makes it run again and again while nothing is garbage yet. That is 7 to 10 % of a conversion:
    `python -m benchmarks.convert --data DIR`, with and without this.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def build(tree: LexborHTMLParser) -> tuple[PageNode, list[PageNode]]:
    """The body of a parsed page, and the list of all its elements in document order (the body first), measured."""
    body = tree.body
    top = PageNode("body", dict(body.attributes) if body is not None else {}, None)
    order = [top]
    if body is not None:
        _copy_elements(top, body, order)
        _move_streamed_parts(order)
    measure(order)
    return top, order


def _copy_elements(top: PageNode, body: LexborNode, order: list[PageNode]) -> None:
    """Copy what is inside `body` into `top`, and append each element to `order`."""
    stack: list[tuple[LexborNode, PageNode]] = []  # the elements that are open: Lexbor's node, and where it stands here
    parent, source = top, body.child
    while source is not None or stack:
        if source is None:
            source, parent = stack.pop()
            source = source.next
            continue
        tag = source.tag
        child = inner = None
        if tag == "-text":
            if text := source.text_content:
                parent.kids.append(text)
        elif tag in LEFT_OUT_TAGS:
            if tag == "template":
                inner, child = _look_into_template(source, parent, order)
        elif tag and tag[0].isalpha():
            inner = _add_element(tag, source, parent, order, len(stack))
            child = source.child if inner is not None else None
        if inner is None or child is None:
            source = source.next
        else:
            stack.append((source, parent))
            parent, source = inner, child


def _add_element(tag: str, source: LexborNode, parent: PageNode, order: list[PageNode], depth: int) -> PageNode | None:
    """Add one node to its parent; returns the node that its children go into, None when they are left out."""
    if depth > MOST_NESTED_ELEMENTS and tag not in ("br", "img"):
        parent.kids.append(PageNode("br", {}, parent))
        return parent
    node = PageNode(tag, source.attributes, parent)
    parent.kids.append(node)
    order.append(node)
    if tag in FIELD_TAGS:
        return None
    if tag == "svg":
        node.attrs = {**node.attrs, "title": _title_of_drawing(source)}
        return None
    return node


def _title_of_drawing(source: LexborNode) -> str:
    """The name of an SVG drawing: its title, or the id of the symbol that it uses (fixture table_icons)."""
    for child in source.iter():
        if child.tag == "title":
            return " ".join(child.text().split())
        if child.tag == "use":
            return (child.attributes.get("href") or child.attributes.get("xlink:href") or "").rpartition("#")[2]
    return ""


def _look_into_template(
    source: LexborNode, parent: PageNode, order: list[PageNode]
) -> tuple[PageNode | None, LexborNode | None]:
    """What is read of a `<template>`: (the node that its children go into, its first child), or (None, None).

    A declarative shadow root is on the screen (fixture shadow_root). The place of a part that React streams later is kept
    (fixture streamed_parts). Other templates are for scripts and aren't read. Lexbor hangs a template's children into a
    fragment, except where HTML knows no templates.
    """
    attrs = source.attributes
    if "shadowrootmode" in attrs or "shadowroot" in attrs:
        fragments = source.template_fragments()
        return parent, fragments[0].child if fragments else source.child
    if (attrs.get("id") or "").startswith("B:"):
        node = PageNode("template", attrs, parent)
        parent.kids.append(node)
        order.append(node)
    return None, None


def _move_streamed_parts(order: list[PageNode]) -> None:
    """Move streamed parts to where they belong: React sends `<div hidden id="S:1">` late, for `<template id="B:1">`."""
    gaps = {node.get("id")[2:]: node for node in order if node.tag == "template"}
    if not gaps:
        return
    parts = {node.get("id")[2:]: node for node in order if "hidden" in node.attrs and node.get("id").startswith("S:")}
    for name, part in parts.items():
        part.attrs = {key: value for key, value in part.attrs.items() if key != "hidden"}
        gap, parent = gaps.get(name), part.parent
        if gap is None or gap.parent is None or parent is None or any(above is part for above in gap.ancestors()):
            continue
        parent.kids = [kid for kid in parent.kids if kid is not part]
        gap.parent.kids = [part if kid is gap else kid for kid in gap.parent.kids]
        part.parent = gap.parent
    order[:] = [order[0], *order[0].descendants()]


def measure(order: list[PageNode]) -> None:
    """Set the measures of nodes that are given in document order: each is counted after what is inside of it."""
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
        if (
            not prose
            and linked < 0.5 * size
            and (own > LEAST_PROSE_CHARACTERS or (tag == "p" and size > LEAST_PROSE_CHARACTERS))
        ):
            prose = 1
        if tag == "input" and (node.attrs.get("type") or "text") in ("text", "email"):
            fields = 1
        node.size, node.own, node.linked, node.links, node.prose = size, own, linked, links, prose
        node.fields, node.titled = fields, titled
