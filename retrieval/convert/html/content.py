"""From a parsed page to the nodes that hold its content, with an account of what was left out and by which rule."""

from __future__ import annotations

import re
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

from retrieval.convert.html.accordion import name_panels
from retrieval.convert.html.build import build
from retrieval.convert.html.frame import Frame, Removed
from retrieval.convert.html.select import select
from retrieval.convert.html.tree import BLOCKS, Node
from retrieval.convert.html.visible import settle

OUTSIDE = frozenset(("nav", "footer", "aside"))
ATE = 0.12
"""The share of the chosen text under which the rules are taken to have eaten the page, and are undone."""
TELLS = re.compile(
    r"\+?\d[\d ()./-]{6,}\d|\b\d{1,2}[:.h]\d{2}\b|\b\d{1,2} ?[ap]\.?m\b"
    r"|\b(mon|tues|wednes|thurs|fri|satur|sun)day|\b(montag|dienstag|samstag|sonntag|lundi|samedi|lunes|sábado)",
    re.I,
)
"""A phone number, a time or a day: what a reader looks for in a footer, beside an e-mail address."""
LONGEST_FACT = 300
SITES_OWN = frozenset(("footer", "header", "aside", "navigation", "named as frame"))
"""The rules that take away what belongs to the site, not to another page."""


@dataclass(frozen=True, slots=True)
class Content:
    """The nodes to write, what was taken out of them by rule, and the facts that stand in the frame around them."""

    nodes: list[Node]
    removed: Removed
    frame_facts: tuple[str, ...]


def read(tree: LexborHTMLParser, url: str = "") -> Content:
    """Choose a page's content and clean it."""
    top, order = build(tree)
    removed = settle(top, order)
    name_panels(order)
    roots = select(top, order)
    before = sum(root.size for root in roots)
    cleaned = Frame(roots, url).clean()
    if _ate(roots, before):
        top, order = build(tree)
        cleaned, removed = [], settle(top, order)
        roots = select(top, order)
    return Content([*_heading_outside(top, roots), *roots], removed + cleaned, _facts(top, roots, cleaned))


def _ate(roots: list[Node], before: int) -> bool:
    left = sum(root.size for root in roots)
    whole = any(root.titled for root in roots) and sum(root.prose for root in roots) >= 2
    return before > 400 and left < ATE * before and not whole


def _heading_outside(top: Node, roots: list[Node]) -> list[Node]:
    """The page's h1, when it stands beside the part that was chosen."""
    if any(root.titled for root in roots):
        return []
    found = (node for node in top.below() if node.tag == "h1" and 0 < node.size < 200)
    return [node for node in found if not node.within(OUTSIDE)][:1]


def _facts(top: Node, roots: list[Node], cleaned: Removed) -> tuple[str, ...]:
    """The lines of the frame that tell how to reach the business and when."""
    found: dict[str, None] = {}
    stack = [node for rule, node in cleaned if rule in SITES_OWN][::-1] + [top] * (top not in roots)
    while stack:
        node = stack.pop()
        inner = [kid for kid in node.elements if kid.size and kid.tag in BLOCKS and kid not in roots]
        if inner:
            stack += inner[::-1]
        elif node not in roots and 5 < node.size <= LONGEST_FACT:
            line = node.line()
            if "@" in line or TELLS.search(line):
                found[line] = None
    return tuple(found)
