"""Chooses the content of a parsed page and takes the frame out of it; says what was left out, and by which rule."""

from __future__ import annotations

import re
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

from retrieval.convert.html.accordion import name_panels
from retrieval.convert.html.build import build
from retrieval.convert.html.frame import FrameRemover, Removed
from retrieval.convert.html.select import select_content
from retrieval.convert.html.tree import BLOCK_TAGS, PageNode
from retrieval.convert.html.visible import remove_invisible

OUTSIDE_TAGS = frozenset(("nav", "footer", "aside"))
"""Where an h1 is not the page's title."""
LEAST_SHARE_LEFT = 0.12
"""If the rules leave less than this share of the chosen text, they took the page for its frame, and are undone.

Chosen by hand; test_rules_that_would_leave_nothing_are_undone has such a page.
"""
CONTACT_OR_TIME = re.compile(
    r"\+?\d[\d ()./-]{6,}\d|\b\d{1,2}[:.h]\d{2}\b|\b\d{1,2} ?[ap]\.?m\b"
    r"|\b(mon|tues|wednes|thurs|fri|satur|sun)day|\b(montag|dienstag|samstag|sonntag|lundi|samedi|lunes|sábado)",
    re.I,
)
"""A phone number, a time or a day: with e-mail addresses, what a reader looks for in a footer."""
MOST_FACT_CHARACTERS = 300
"""Longer lines of the frame are texts, not a telephone number with its label."""
SITE_FRAME_RULES = frozenset(("footer", "header", "aside", "navigation", "named as frame"))
"""The rules whose finds belong to the site as a whole; the others take away teasers of other pages, comments and forms."""


@dataclass(frozen=True, slots=True)
class Content:
    """A page's content: the nodes to write, and the (rule, node) pairs that were taken out.

    `frame_facts`: the lines of the frame that tell how and when to reach the business.
    """

    nodes: list[PageNode]
    removed: Removed
    frame_facts: tuple[str, ...]


def read_content(tree: LexborHTMLParser, url: str = "") -> Content:
    """The content of a page; `url` tells whether it is a discussion, whose comments are content."""
    top, order = build(tree)
    removed = remove_invisible(top, order)
    name_panels(order)
    roots = select_content(top, order)
    before = sum(root.size for root in roots)
    cleaned = FrameRemover(roots, url).clean()
    if _is_nearly_all_gone(roots, before):
        top, order = build(tree)
        cleaned, removed = [], remove_invisible(top, order)
        roots = select_content(top, order)
    return Content([*_heading_outside(top, roots), *roots], removed + cleaned, _frame_facts(top, roots, cleaned))


def _is_nearly_all_gone(roots: list[PageNode], before: int) -> bool:
    """Whether next to nothing is left of a page that had `before` characters; a title with two paragraphs is enough."""
    left = sum(root.size for root in roots)
    has_text = any(root.titled for root in roots) and sum(root.prose for root in roots) >= 2
    return before > 400 and left < LEAST_SHARE_LEFT * before and not has_text


def _heading_outside(top: PageNode, roots: list[PageNode]) -> list[PageNode]:
    """The page's h1, where it stands outside of the part that was chosen."""
    if any(root.titled for root in roots):
        return []
    headings = (node for node in top.descendants() if node.tag == "h1" and 0 < node.size < 200)
    return [node for node in headings if not node.within(OUTSIDE_TAGS)][:1]


def _frame_facts(top: PageNode, roots: list[PageNode], cleaned: Removed) -> tuple[str, ...]:
    """The lines of the frame that tell how to reach the business and when, once each, in order."""
    lines: dict[str, None] = {}
    stack = [node for rule, node in cleaned if rule in SITE_FRAME_RULES][::-1] + [top] * (top not in roots)
    while stack:
        node = stack.pop()
        inner = [kid for kid in node.elements if kid.size and kid.tag in BLOCK_TAGS and kid not in roots]
        if inner:
            stack += inner[::-1]
        elif node not in roots and 5 < node.size <= MOST_FACT_CHARACTERS:
            line = node.line()
            if "@" in line or CONTACT_OR_TIME.search(line):
                lines[line] = None
    return tuple(lines)
