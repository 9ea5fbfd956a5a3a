"""Finds what opens a collapsed part of a page, an accordion's question or a tab's name: it is the heading of the part."""

from __future__ import annotations

import re

from retrieval.convert.html.tree import BLOCK_TAGS, PageNode

MOST_TRIGGER_CHARACTERS = 220
"""Longer texts are no question or name; chosen by hand."""
TRIGGER_TAGS = frozenset(("button", "a", "div", "span", "label", "p", "li"))
# Where no attribute tells that something opens, its class must say both: that it belongs to an accordion, and that it is the title.
COLLAPSING_PART_NAME = re.compile(r"accord|faq|collaps|toggle|question|expand|disclos", re.I)
TRIGGER_NAME = re.compile(r"title|header|heading|question|trigger|button|btn|toggle|label|control|summary", re.I)


def name_panels(order: list[PageNode]) -> None:
    """Put each tab's name as a heading into the part that it opens (fixture tabs_name_their_panels)."""
    with_role = [node for node in order if "role" in node.attrs]
    panels = {node.get("id"): node for node in with_role if node.get("role") == "tabpanel" and node.get("id")}
    tabs = [node for node in with_role if node.get("role") == "tab" and 0 < node.size < MOST_TRIGGER_CHARACTERS]
    named: dict[str, PageNode] = {panel.get("aria-labelledby"): panel for panel in panels.values()}
    for tab in tabs:
        opens = tab.get("aria-controls") or (
            tab.get("href") or tab.get("data-bs-target") or tab.get("data-target")
        ).lstrip("#")
        panel = panels.get(opens) or named.get(tab.get("id") or "-")
        if panel is None or not panel.size or tab.line() in panel.line()[: tab.size + 20]:
            continue
        name = PageNode("summary", {}, panel)
        name.kids = [tab.line()]  # its words alone: broken markup puts a panel into its own tab
        name.size = tab.size
        panel.kids.insert(0, name)


def is_trigger(node: PageNode) -> bool:
    """Whether an element is the visible name of a part that can be opened (fixtures accordion_buttons, accordion_in_a_list)."""
    if node.tag not in TRIGGER_TAGS or not 1 < node.size <= MOST_TRIGGER_CHARACTERS:
        return False
    attrs = node.attrs
    if "aria-expanded" in attrs or _collapses(node) or (node.tag == "button" and "aria-controls" in attrs):
        return not _is_menu(node) and (node.tag not in ("div", "li") or not _holds_much(node))
    if node.tag in ("div", "span", "p", "label"):
        name = node.get("class")
        return (
            bool(name)
            and bool(COLLAPSING_PART_NAME.search(name))
            and bool(TRIGGER_NAME.search(name))
            and _is_label(node)
        )
    return False


def _collapses(node: PageNode) -> bool:
    kind = node.get("data-bs-toggle") or node.get("data-toggle")
    return kind in ("collapse", "accordion")


def _is_menu(node: PageNode) -> bool:
    return node.get("aria-haspopup") not in ("", "false") or any(
        above.tag in ("nav", "header") for above in node.ancestors()
    )


def _holds_much(node: PageNode) -> bool:
    return node.has(("p", "ul", "ol", "table", "div"))


def _is_label(node: PageNode) -> bool:
    """Whether it is a single line of words with something after it that it may be the name of."""
    if any(child.tag in BLOCK_TAGS and child.tag not in ("div", "p") for child in node.descendants()):
        return False
    parent = node.parent
    if parent is None:
        return False
    after = parent.kids[parent.index_of(node) + 1 :]
    return any(not isinstance(kid, str) and kid.size > 0 for kid in after)
