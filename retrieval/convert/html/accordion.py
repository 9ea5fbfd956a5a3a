"""What opens a collapsed part of a page: an accordion's question, a tab's name."""

from __future__ import annotations

import re

from retrieval.convert.html.tree import BLOCKS, Node

LONGEST = 220
OPENS = frozenset(("button", "a", "div", "span", "label", "p", "li"))
PART = re.compile(r"accord|faq|collaps|toggle|question|expand|disclos", re.I)
OPENER = re.compile(r"title|header|heading|question|trigger|button|btn|toggle|label|control|summary", re.I)


def name_panels(order: list[Node]) -> None:
    """Put each tab's name as a heading into the part that it opens, and take the row of tabs away."""
    roled = [node for node in order if "role" in node.attrs]
    panels = {node.get("id"): node for node in roled if node.get("role") == "tabpanel" and node.get("id")}
    tabs = [node for node in roled if node.get("role") == "tab" and 0 < node.size < LONGEST]
    named: dict[str, Node] = {panel.get("aria-labelledby"): panel for panel in panels.values()}
    for tab in tabs:
        opens = tab.get("aria-controls") or (
            tab.get("href") or tab.get("data-bs-target") or tab.get("data-target")
        ).lstrip("#")
        panel = panels.get(opens) or named.get(tab.get("id") or "-")
        if panel is None or not panel.size or tab.line() in panel.line()[: tab.size + 20]:
            continue
        name = Node("summary", {}, panel)
        name.kids = [tab.line()]  # its words alone: broken markup puts a panel into its own tab
        name.size = tab.size
        panel.kids.insert(0, name)


def is_trigger(node: Node) -> bool:
    """Whether this element is the visible name of a part that can be opened, and not yet a heading."""
    if node.tag not in OPENS or not 1 < node.size <= LONGEST:
        return False
    attrs = node.attrs
    if "aria-expanded" in attrs or _collapses(node) or (node.tag == "button" and "aria-controls" in attrs):
        return not _is_menu(node) and (node.tag not in ("div", "li") or not _holds_much(node))
    if node.tag in ("div", "span", "p", "label"):
        name = node.get("class")
        return bool(name) and bool(PART.search(name)) and bool(OPENER.search(name)) and _is_label(node)
    return False


def _collapses(node: Node) -> bool:
    kind = node.get("data-bs-toggle") or node.get("data-toggle")
    return kind in ("collapse", "accordion")


def _is_menu(node: Node) -> bool:
    return node.get("aria-haspopup") not in ("", "false") or any(
        above.tag in ("nav", "header") for above in node.above()
    )


def _holds_much(node: Node) -> bool:
    return node.has(("p", "ul", "ol", "table", "div"))


def _is_label(node: Node) -> bool:
    """One line of words that names what follows it."""
    if any(child.tag in BLOCKS and child.tag not in ("div", "p") for child in node.below()):
        return False
    parent = node.parent
    if parent is None:
        return False
    after = parent.kids[parent.place(node) + 1 :]
    return any(not isinstance(kid, str) and kid.size > 0 for kid in after)
