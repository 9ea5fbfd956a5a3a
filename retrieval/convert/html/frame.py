"""Takes the site's frame out of the content: menus, consent boxes, breadcrumbs, share bars, related lists, forms.

The rules are asked in document order, outer nodes first. What was taken away is returned with the rule's name, so that
`frontdesk convert --audit` can show it.
"""

from __future__ import annotations

from retrieval.convert.html import frame_words as words
from retrieval.convert.html.frame_rules import rules_for
from retrieval.convert.html.selected import SelectedContent
from retrieval.convert.html.tree import HEADING_TAGS, PageNode

Removed = list[tuple[str, PageNode]]
"""The parts that were taken away, each with the name of its rule."""


class FrameRemover:
    """Takes the frame out of the selected nodes `roots`; `url` tells whether the page is a discussion."""

    def __init__(self, roots: list[PageNode], url: str = "") -> None:
        self._roots = roots
        self._content = SelectedContent(roots, url)
        self._removed: Removed = []

    def clean(self) -> Removed:
        """Remove what is frame from the tree, and return it."""
        for root in self._roots:
            stack = root.elements[::-1]
            while stack:
                node = stack.pop()
                if node.parent is None or not node.size or node.tag == "pre" or _runs_in_text(node):
                    continue
                if node.tag == "h1":
                    self._content.before_title = False
                self._judge(node)
                if node.parent is not None and node.tag not in HEADING_TAGS and not _is_data(node):
                    stack += node.elements[::-1]
        return self._removed

    def _take(self, node: PageNode, rule: str) -> None:
        self._removed.append((rule, node))
        node.remove()

    def _judge(self, node: PageNode) -> None:
        """Ask the rules of one node, and take it away, or the part that it heads, if one says that it is frame."""
        for rule, applies in rules_for(node.tag, "role" in node.attrs):
            if applies(self._content, node):
                self._take(node, rule)
                return
        if self._opens_other_pages(node):
            self._remove_section(node)

    def _opens_other_pages(self, node: PageNode) -> bool:
        """Whether a short line heads a part about other pages ("Related articles"): fixture frame_related_section."""
        if not 5 < node.size < 60 or node.tag not in ("h2", "h3", "h4", "h5", "p", "div", "span", "strong"):
            return False
        text = self._content.line(node)
        if words.REPLIES_COUNT.search(text) and (self._content.is_discussion or node.tag not in HEADING_TAGS):
            # "3 comments" on a card counts them, as a heading it opens them: fixture frame_counts_of_comments_on_cards
            return False
        return words.OTHER_PAGES_HEADING.match(text) is not None and len(text.split()) <= 8

    def _remove_section(self, node: PageNode) -> None:
        """Remove the part that a heading opens: the box around it, or what follows it up to the next heading or text."""
        part, above = node, node.parent
        while (
            above is not None
            and above not in self._roots
            and not above.titled
            and self._content.share(above) < 0.3
            and (not above.prose or above.density > 0.5)
        ):
            part, above = above, above.parent
        if part is node and above is not None:
            for kid in above.kids[above.index_of(node) + 1 :]:
                if isinstance(kid, str) or not kid.size:
                    continue
                if kid.tag in ("h1", "h2") or (kid.prose and kid.density < 0.3) or self._content.share(kid) > 0.25:
                    break
                if kid.tag == "table" or (kid.density < 0.3 and kid.size > 200):
                    break
                self._take(kid, "about other pages")
        self._take(part, "about other pages")


def _runs_in_text(node: PageNode) -> bool:
    """Whether a node is a word or link inside a sentence: whatever its class, without it the sentence would be broken."""
    parent = node.parent
    if node.tag not in words.INLINE_TAGS or parent is None:
        return False
    return parent.own > 12 and parent.own > 0.2 * node.size


def _is_data(node: PageNode) -> bool:
    """Whether a node is a table with header cells, inside of which no rule is asked: fixture frame_table_of_links_is_data."""
    return node.tag == "table" and node.has(("th",)) and not node.has(("table", "h1", "form"))
