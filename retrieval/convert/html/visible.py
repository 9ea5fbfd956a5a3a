"""Takes out what of a page can't be seen, before the content is chosen; what a click shows stays.

A closed tab is hidden by the same attribute as a dialog that nobody opened. What tells them apart is that something on the
page names the part that it opens. Fixtures: hidden, hidden_panels, noscript_is_a_nag, noscript_is_the_page, screen_reader_words.
"""

from __future__ import annotations

import re

from retrieval.convert.html.tree import HEADING_TAGS, PageNode

INVISIBLE_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
# In these a button names, by id, the part that it opens.
OPENING_ATTRIBUTES = frozenset(("aria-controls", "data-target", "data-bs-target", "data-tab", "data-toggle-target"))
# Classes and ids of parts that visitors open; where a page names no opener, they are the only hint.
COLLAPSIBLE_NAME = re.compile(r"accord|collaps|faq|tab|panel|toggle|expand|answer|drop-?down|slide|more|content", re.I)
SCREEN_READER_NAMES = frozenset(
    ("screenreader", "visuallyhidden", "sronly", "screenreadertext", "a11yhidden", "offscreen")
)
# Asked first, since it is cheap: most classes have none of these.
SCREEN_READER_HINT = re.compile(r"reader|visually|sr|offscreen|a11y", re.I)
MOST_LABEL_CHARACTERS = 160
"""Text for screen readers alone that is shorter only labels what can be seen ("in a new window"), and is left out."""


def remove_invisible(top: PageNode, order: list[PageNode]) -> list[tuple[str, PageNode]]:
    """Take out what nobody can see, of the tree and of `order` (its elements); returns (rule, node) for each part."""
    removed: list[tuple[str, PageNode]] = []
    _remove_noscript(top, order, removed)
    openable = _ids_that_open(order)
    for node in order[1:]:
        if not node.size or not node.attrs or node.parent is None:
            continue
        # More than half of the page is hidden until a script shows it: then that is the page.
        if _is_hidden(node) and not _can_be_opened(node, openable) and node.size < 0.5 * top.size:
            _remove(node, "hidden", removed)
        elif _is_for_screen_readers(node):
            _remove(node, "for screen readers", removed)
    if removed:
        order[:] = [top, *top.descendants()]
    return removed


def _remove_noscript(top: PageNode, order: list[PageNode], removed: list[tuple[str, PageNode]]) -> None:
    """Take out the words for browsers without scripts, unless they are most of the page."""
    fallbacks = [node for node in order if node.tag == "noscript" and node.size]
    size = sum(node.size for node in fallbacks)
    is_page = size > 300 and size > 0.5 * (top.size - size)
    for node in fallbacks:
        if is_page and node.size > 200:
            node.tag = "div"
        else:
            _remove(node, "noscript", removed)


def _ids_that_open(order: list[PageNode]) -> frozenset[str]:
    """The ids of the parts that something on the page opens."""
    ids: set[str] = set()
    for node in order:
        attrs = node.attrs
        for name in OPENING_ATTRIBUTES & attrs.keys():
            ids.update((attrs[name] or "").replace("#", " ").split())
        if "data-toggle" in attrs or "aria-expanded" in attrs or attrs.get("role") == "tab":
            ids.add(node.get("href").lstrip("#"))
    ids.discard("")
    return frozenset(ids)


def _is_hidden(node: PageNode) -> bool:
    attrs = node.attrs
    if "hidden" in attrs:
        return attrs["hidden"] != "until-found"  # a browser's search opens such a part
    style = attrs.get("style")
    return bool(style) and INVISIBLE_STYLE.search(style or "") is not None


def _can_be_opened(node: PageNode, openable: frozenset[str]) -> bool:
    """Whether a visitor can open a hidden part; dialogs are opened by scripts, and are no content."""
    if node.get("role") == "tabpanel" or "aria-labelledby" in node.attrs or node.get("id") in openable:
        return node.get("role") not in ("dialog", "alertdialog")
    if node.tag in ("main", "dialog"):
        return False
    if any(COLLAPSIBLE_NAME.search(f"{near.get('class')} {near.get('id')}") for near in _with_two_parents(node)):
        return True
    return _stands_under_its_name(node)


def _stands_under_its_name(node: PageNode) -> bool:
    """Whether what stands just before a hidden part is its name: it says that it opens something, or is a heading or button."""
    parent = node.parent
    if parent is None:
        return False
    before = [kid for kid in parent.elements if kid.size or kid is node]
    at = before.index(node)
    name = before[at - 1] if at else None
    if name is None or name.size >= 200:
        return False
    if any("aria-expanded" in part.attrs for part in (name, *name.descendants())):
        return True
    return bool(node.prose) and (name.tag in HEADING_TAGS or name.has(("svg", "button", "i", *HEADING_TAGS)))


def _with_two_parents(node: PageNode) -> list[PageNode]:
    """The node and the two elements around it."""
    return [node, *(above for above, _ in zip(node.ancestors(), range(2), strict=False))]


def _is_for_screen_readers(node: PageNode) -> bool:
    """Whether a short text is only there for screen readers; headings and cells stay, since they are often all that is said."""
    class_name = node.attrs.get("class")
    if not class_name or node.size >= MOST_LABEL_CHARACTERS or SCREEN_READER_HINT.search(class_name) is None:
        return False
    names = node.name_words
    is_named_so = bool(names & SCREEN_READER_NAMES) or {"sr", "only"} <= names or {"visually", "hidden"} <= names
    if not is_named_so or node.within(frozenset(("table",))):
        return False
    return node.tag not in ("h1", "h2", "h3", "h4", "h5", "h6") and not node.titled


def _remove(node: PageNode, rule: str, removed: list[tuple[str, PageNode]]) -> None:
    removed.append((rule, node))
    node.remove()
