"""The site's frame inside the content: menus, consent boxes, breadcrumbs, share bars, related lists, forms.

Rules are asked in document order, outer nodes first. What was taken away is handed back with the rule's name, so that a
page's audit can show it.
"""

from __future__ import annotations

from retrieval.convert.html import frame_words as words
from retrieval.convert.html.frame_rules import Whole, rules_for
from retrieval.convert.html.tree import HEADINGS, Node

Removed = list[tuple[str, Node]]


class Frame:
    """Takes the frame out of the selected nodes, outer nodes first, in document order."""

    def __init__(self, roots: list[Node], url: str = "") -> None:
        self._roots = roots
        self._whole = Whole(roots, url)
        self._removed: Removed = []

    def clean(self) -> Removed:
        """Remove what is frame; returns each part with the name of its rule."""
        for root in self._roots:
            stack = root.elements[::-1]
            while stack:
                node = stack.pop()
                if node.parent is None or not node.size or node.tag == "pre" or _runs_in_text(node):
                    continue
                if node.tag == "h1":
                    self._whole.before_title = False
                self._judge(node)
                if node.parent is not None and node.tag not in HEADINGS and not _is_data(node):
                    stack += node.elements[::-1]
        return self._removed

    def _take(self, node: Node, rule: str) -> None:
        self._removed.append((rule, node))
        node.remove()

    def _judge(self, node: Node) -> None:
        for rule, applies in rules_for(node.tag, "role" in node.attrs):
            if applies(self._whole, node):
                self._take(node, rule)
                return
        if self._opens_other_pages(node):
            self._remove_section(node)

    def _opens_other_pages(self, node: Node) -> bool:
        if not 5 < node.size < 60 or node.tag not in ("h2", "h3", "h4", "h5", "p", "div", "span", "strong"):
            return False
        text = self._whole.line(node)
        if words.REPLIES.search(text) and (self._whole.is_discussion or node.tag not in HEADINGS):
            return False  # "3 comments" on a card counts them; as a heading it opens them
        return words.SECTION.match(text) is not None and len(text.split()) <= 8

    def _remove_section(self, node: Node) -> None:
        """Remove the part that a heading opens: the box around it, or what follows it up to the next part."""
        part, above = node, node.parent
        while (
            above is not None
            and above not in self._roots
            and not above.titled
            and self._whole.share(above) < 0.3
            and (not above.prose or above.density > 0.5)
        ):
            part, above = above, above.parent
        if part is node and above is not None:
            for kid in above.kids[above.place(node) + 1 :]:
                if isinstance(kid, str) or not kid.size:
                    continue
                if kid.tag in ("h1", "h2") or (kid.prose and kid.density < 0.3) or self._whole.share(kid) > 0.25:
                    break
                if kid.tag == "table" or (kid.density < 0.3 and kid.size > 200):
                    break
                self._take(kid, "about other pages")
        self._take(part, "about other pages")


def _runs_in_text(node: Node) -> bool:
    """A word or a link of a sentence: whatever it is called, taking it away would break the sentence."""
    parent = node.parent
    if node.tag not in words.INLINE or parent is None:
        return False
    return parent.own > 12 and parent.own > 0.2 * node.size


def _is_data(node: Node) -> bool:
    """A table with header cells: whatever its cells hold belongs to it."""
    return node.tag == "table" and node.has(("th",)) and not node.has(("table", "h1", "form"))
