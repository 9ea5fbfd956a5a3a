"""The selected content of a page as a whole, which the rules on its frame weigh each part against."""

from __future__ import annotations

from retrieval.convert.html import frame_words as words
from retrieval.convert.html.tree import PageNode


class SelectedContent:
    """The selected content as a whole, which the rules weigh each node against.

    `total`: its characters; `prose`: its paragraphs; `is_discussion`: by its address, a forum's page; `is_running_text`: it
    is an article, not a shop window; `comment_boxes`: how many boxes of comments it has; `before_title`: whether the walk
    hasn't come to the h1 yet, which `FrameRemover` updates.
    """

    def __init__(self, roots: list[PageNode], url: str = "") -> None:
        self.is_discussion = words.DISCUSSION_ADDRESS.search(url) is not None
        self.total = max(1, sum(root.size for root in roots))
        self.prose = sum(root.prose for root in roots)
        nodes = [node for root in roots for node in (root, *root.descendants()) if node.size]
        self.is_running_text = any(_is_running_text(node) for node in nodes)
        remarks = (node for node in nodes if node.tag == "div" and "omment" in node.get("class"))
        self.comment_boxes = sum(not node.name_words.isdisjoint(words.COMMENT_NAMES) for node in remarks)
        self._last_line: tuple[PageNode | None, str] = (None, "")
        self.before_title = any(root.titled for root in roots)

    def line(self, node: PageNode) -> str:
        """The node's text on one line; the last one is kept, since several rules ask for it in a row."""
        if self._last_line[0] is not node:
            self._last_line = (node, node.line())
        return self._last_line[1]

    def share(self, node: PageNode) -> float:
        """The node's share of all the selected text, 0 to 1."""
        return node.size / self.total

    def carries_the_page(self, node: PageNode) -> bool:
        """Whether the page's own text is in a node: its h1 with a good part of the text, or nearly half of all text."""
        share = self.share(node)
        return share > 0.45 or (node.titled and share > 0.15)


def _is_running_text(node: PageNode) -> bool:
    """Whether three paragraphs of running text stand directly in a node: the page is an article, not a shop window."""
    return node.prose >= 3 and sum(1 for kid in node.elements if kid.tag == "p" and kid.prose) >= 3
