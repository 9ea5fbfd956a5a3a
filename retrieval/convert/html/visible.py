"""What of a page is on the screen, or one click away from it; the rest is taken out before anything is chosen.

A closed tab, accordion or menu is hidden by the same attribute as a dialog that nobody opened. What tells them apart is
that something on the page names the part that it opens.
"""

from __future__ import annotations

import re

from retrieval.convert.html.tree import HEADINGS, Node

INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
OPENERS = frozenset(("aria-controls", "data-target", "data-bs-target", "data-tab", "data-toggle-target"))
OPENED = re.compile(r"accord|collaps|faq|tab|panel|toggle|expand|answer|drop-?down|slide|more|content", re.I)
FOR_READERS = frozenset(("screenreader", "visuallyhidden", "sronly", "screenreadertext", "a11yhidden", "offscreen"))
FOR_READERS_HINT = re.compile(r"reader|visually|sr|offscreen|a11y", re.I)
LABEL = 160
"""Characters up to which text for screen readers alone is a label of something that can be seen."""


def settle(top: Node, order: list[Node]) -> list[tuple[str, Node]]:
    """Take out what nobody can see, of the tree and of `order`; returns each part with the rule's name."""
    removed: list[tuple[str, Node]] = []
    _settle_noscript(top, order, removed)
    opened = _opened(order)
    for node in order[1:]:
        if not node.size or not node.attrs or node.parent is None:
            continue
        if _is_hidden(node) and not _can_be_opened(node, opened) and node.size < 0.5 * top.size:
            _take(node, "hidden", removed)
        elif _is_for_readers(node):
            _take(node, "for screen readers", removed)
    if removed:
        order[:] = [top, *top.below()]
    return removed


def _settle_noscript(top: Node, order: list[Node], removed: list[tuple[str, Node]]) -> None:
    """The words for browsers without scripts are dropped, unless they are the page."""
    spare = [node for node in order if node.tag == "noscript" and node.size]
    size = sum(node.size for node in spare)
    is_page = size > 300 and size > 0.5 * (top.size - size)
    for node in spare:
        if is_page and node.size > 200:
            node.tag = "div"
        else:
            _take(node, "noscript", removed)


def _opened(order: list[Node]) -> frozenset[str]:
    """The ids that something on the page opens."""
    ids: set[str] = set()
    for node in order:
        attrs = node.attrs
        for name in OPENERS & attrs.keys():
            ids.update((attrs[name] or "").replace("#", " ").split())
        if "data-toggle" in attrs or "aria-expanded" in attrs or attrs.get("role") == "tab":
            ids.add(node.get("href").lstrip("#"))
    ids.discard("")
    return frozenset(ids)


def _is_hidden(node: Node) -> bool:
    attrs = node.attrs
    if "hidden" in attrs:
        return attrs["hidden"] != "until-found"
    style = attrs.get("style")
    return bool(style) and INVISIBLE.search(style or "") is not None


def _can_be_opened(node: Node, opened: frozenset[str]) -> bool:
    if node.get("role") == "tabpanel" or "aria-labelledby" in node.attrs or node.get("id") in opened:
        return node.get("role") not in ("dialog", "alertdialog")
    if node.tag in ("main", "dialog"):
        return False
    if any(OPENED.search(f"{place.get('class')} {place.get('id')}") for place in _near(node)):
        return True
    return _follows_a_name(node)


def _follows_a_name(node: Node) -> bool:
    """Whether what stands just before is the name of what is hidden: it says that it opens something, or looks so."""
    parent = node.parent
    if parent is None:
        return False
    before = [kid for kid in parent.elements if kid.size or kid is node]
    at = before.index(node)
    name = before[at - 1] if at else None
    if name is None or name.size >= 200:
        return False
    if any("aria-expanded" in part.attrs for part in (name, *name.below())):
        return True
    return bool(node.prose) and (name.tag in HEADINGS or name.has(("svg", "button", "i", *HEADINGS)))


def _near(node: Node) -> list[Node]:
    """The node and its two nearest parents."""
    return [node, *(above for above, _ in zip(node.above(), range(2), strict=False))]


def _is_for_readers(node: Node) -> bool:
    called = node.attrs.get("class")
    if not called or node.size >= LABEL or FOR_READERS_HINT.search(called) is None:
        return False
    names = node.names
    alone = bool(names & FOR_READERS) or {"sr", "only"} <= names or {"visually", "hidden"} <= names
    if not alone or node.within(frozenset(("table",))):
        return False
    return node.tag not in ("h1", "h2", "h3", "h4", "h5", "h6") and not node.titled


def _take(node: Node, rule: str, removed: list[tuple[str, Node]]) -> None:
    removed.append((rule, node))
    node.remove()
