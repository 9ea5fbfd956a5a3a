"""A page as a light tree: what a reader could see, with the measures that tell content from frame.

Lexbor parses; this tree is built from it once, in document order and without recursion, because every rule after it asks
the same few questions of thousands of nodes. Scripts, styles and form machinery aren't in it.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode

MACHINERY = frozenset(
    "script style link meta head title base canvas iframe frame frameset object embed applet param video audio map area"
    " datalist option optgroup progress meter source track template colgroup col".split()
)
FIELDS = frozenset(("input", "select", "textarea"))
"""What a visitor fills in: kept without its words, since a box that asks for an address is known by it."""
BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer"
    " form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre search section summary table tbody td"
    " tfoot th thead tr ul".split()
)
NAMED_BY_TEXT = frozenset("h1 h2 h3 h4 h5 h6 a span p li dt dd tr td th summary details".split())
"""Elements whose id is made of their own words."""
BREAKS = frozenset(("br",))
PARTS = BLOCKS | BREAKS
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
DEEPEST = 120
"""Elements nested deeper are dissolved into their parent, so that writing a tree can't exhaust the stack."""
PROSE = 80
"""Characters from which a paragraph counts as prose, not as a label."""

_WORD = re.compile(r"[a-z]+|[0-9]+|[A-Z]+(?![a-z])|[A-Z][a-z]*")


class Node:
    """An element: `kids` are elements and texts in order.

    `size` counts the characters of its text, `own` those that stand directly in it, `linked` those inside links; `links`
    the links, `prose` the paragraphs, `fields` the inputs for words; `titled` says that an h1 is inside.
    """

    __slots__ = (
        "_names", "_places", "attrs", "fields", "kids", "linked", "links", "own", "parent", "prose", "size", "tag", "titled",
    )  # fmt: skip

    def __init__(self, tag: str, attrs: dict[str, str | None], parent: Node | None) -> None:
        self.tag = tag
        self.attrs = attrs
        self.parent = parent
        self.kids: list[Node | str] = []
        self.size = self.own = self.linked = self.links = self.prose = self.fields = 0
        self.titled = False
        self._names: frozenset[str] | None = None
        self._places: dict[int, int] | None = None

    def get(self, name: str) -> str:
        """An attribute's value; empty when it isn't there."""
        return self.attrs.get(name) or ""

    @property
    def names(self) -> frozenset[str]:
        """The words of the class and the id, lower case: `siteFooter-links` is site, footer, links and sitefooter."""
        if self._names is None:
            self._names = _words(self.get("class"))
            if "id" in self.attrs and self.tag not in NAMED_BY_TEXT and not self._is_named_by_heading():
                self._names |= _words(self.get("id"))
        return self._names

    def _is_named_by_heading(self) -> bool:
        """Whether the id of a part is made of the words of its heading, which say nothing of the part's role."""
        if self.tag not in ("section", "article"):
            return False
        heading = next((node for node in self.below() if node.tag in HEADINGS), None)
        words = re.findall(r"[a-z0-9]+", self.get("id").lower())
        return heading is not None and words == re.findall(r"[a-z0-9]+", heading.line().lower())

    @property
    def elements(self) -> list[Node]:
        """The children that are elements."""
        return [kid for kid in self.kids if not isinstance(kid, str)]

    @property
    def density(self) -> float:
        """The share of the text that is inside links."""
        return self.linked / self.size if self.size else 0.0

    def above(self) -> Iterator[Node]:
        """The parents, nearest first."""
        parent = self.parent
        while parent is not None:
            yield parent
            parent = parent.parent

    def below(self) -> Iterator[Node]:
        """All elements inside, in document order."""
        stack: list[Node | str] = self.kids[::-1]
        while stack:
            node = stack.pop()
            if not isinstance(node, str):
                yield node
                stack += node.kids[::-1]

    def has(self, tags: Iterable[str]) -> bool:
        """Whether an element of one of these names is inside."""
        stack: list[Node | str] = list(self.kids)
        while stack:
            node = stack.pop()
            if not isinstance(node, str):
                if node.tag in tags:
                    return True
                stack += node.kids
        return False

    def text(self) -> str:
        """All the text, as it stands."""
        return self._parted(BREAKS, "\n")

    def line(self) -> str:
        """The text on one line; blocks are parted by a space."""
        return " ".join(self._parted(PARTS, " ").split())

    def _parted(self, tags: frozenset[str], sign: str) -> str:
        parts: list[str] = []
        stack: list[Node | str] = self.kids[::-1]
        while stack:
            kid = stack.pop()
            if isinstance(kid, str):
                parts.append(kid)
                continue
            if kid.tag in tags:
                parts.append(sign)
                if kid.kids:
                    stack.append(sign)
            stack += kid.kids[::-1]
        return "".join(parts)

    def place(self, kid: Node) -> int:
        """Where a child stands among the children; looked up, since a page may hold fifty thousand siblings."""
        at = self._places.get(id(kid), len(self.kids)) if self._places else len(self.kids)
        if at >= len(self.kids) or self.kids[at] is not kid:
            self._places = {id(other): index for index, other in enumerate(self.kids)}
            at = self._places[id(kid)]
        return at

    def remove(self) -> None:
        """Take the node out of the tree and its measures out of every parent's."""
        parent = self.parent
        if parent is None:
            return
        parent.kids[parent.place(self)] = ""
        for above in self.above():
            above.size -= self.size
            above.linked -= self.linked
            above.links -= self.links
            above.prose -= self.prose
            above.fields -= self.fields
        self.parent = None

    def within(self, tags: frozenset[str]) -> bool:
        """Whether one of the parents has one of these names."""
        return any(parent.tag in tags for parent in self.above())


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


@lru_cache(maxsize=4096)
def _words(value: str) -> frozenset[str]:
    found: set[str] = set()
    for part in re.split(r"[^A-Za-z0-9]+", value):
        found.add(part.lower())
        if not part.islower():
            found.update(word.lower() for word in _WORD.findall(part))
    found.discard("")
    return frozenset(found)
