"""The rules that tell frame from content: each looks at one node, weighed against the whole, and says whether it is frame.

What carries the page's prose or its h1 is never taken for frame by its name alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from retrieval.convert.html import accordion
from retrieval.convert.html import frame_words as words
from retrieval.convert.html.tree import HEADINGS, Node


class Whole:
    """The selected content as a whole, which each rule weighs a node against: `total` characters, `prose` paragraphs."""

    def __init__(self, roots: list[Node], url: str = "") -> None:
        self.is_discussion = words.DISCUSSION.search(url) is not None
        self.total = max(1, sum(root.size for root in roots))
        self.prose = sum(root.prose for root in roots)
        nodes = [node for root in roots for node in (root, *root.below()) if node.size]
        self.flows = any(_flows(node) for node in nodes)
        remarks = (node for node in nodes if node.tag == "div" and "omment" in node.get("class"))
        self.remarked = sum(not node.names.isdisjoint(words.COMMENTS) for node in remarks)
        self._read: tuple[Node | None, str] = (None, "")
        self.before_title = any(root.titled for root in roots)

    def line(self, node: Node) -> str:
        """The node's text on one line, read once for all the rules that ask."""
        if self._read[0] is not node:
            self._read = (node, node.line())
        return self._read[1]

    def share(self, node: Node) -> float:
        """The node's part of all the selected text."""
        return node.size / self.total

    def carries(self, node: Node) -> bool:
        """Whether the page's own text is in it: its h1 with a good part of the text, or nearly half of everything."""
        share = self.share(node)
        return share > 0.45 or (node.titled and share > 0.15)


def is_plainly_frame(node: Node) -> bool:
    """Whether a part's own tag, role or name says that it belongs to the site, not to the page."""
    if (
        node.tag in ("header", "footer", "nav", "aside", "dialog", "noscript")
        or node.get("role").lower() in words.FRAME_ROLES
    ):
        return True
    return not node.names.isdisjoint(words.SURE_NAMES | words.BANNERS | {"footer"})


def _prose_before(node: Node) -> int:
    count, inner = 0, node
    for above in node.above():
        for kid in above.kids:
            if kid is inner:
                break
            count += 0 if isinstance(kid, str) else kid.prose
        inner = above
    return count


def _flows(node: Node) -> bool:
    """Whether paragraphs of running text follow one another here: the page is an article, not a shop window."""
    return node.prose >= 3 and sum(1 for kid in node.elements if kid.tag == "p" and kid.prose) >= 3


def _is_prose(node: Node) -> bool:
    return bool(node.prose) and node.size - node.linked > 400


def _is_navigation(whole: Whole, node: Node) -> bool:
    if node.tag != "nav" and node.get("role").lower() not in words.FRAME_ROLES:
        return False
    if (
        "dialog" in node.get("role").lower()
        and node.prose
        and node.density < 0.2
        and not words.ASKS.search(node.line())
    ):
        return False
    return not (whole.carries(node) and _is_prose(node))


def _is_footer(whole: Whole, node: Node) -> bool:
    if node.within(words.ARTICLES):
        return node.density > 0.5 or not (node.prose or words.CONTACT.search(node.line()))
    return whole.share(node) < 0.8 and not node.titled


def _is_header(whole: Whole, node: Node) -> bool:
    return not node.titled and not node.within(words.PARTS) and not _is_prose(node)


def _is_aside(whole: Whole, node: Node) -> bool:
    if node.tag != "aside" and node.get("role") != "complementary":
        return False
    if words.NOTE.search(node.get("class")) or whole.share(node) >= 0.3 or _stands_in_prose(node):
        return False
    return not (node.density < 0.6 and words.CONTACT.search(node.line()))


def _stands_in_prose(node: Node) -> bool:
    """Between paragraphs, and with more to read than to click: an aside of the text, not of the page."""
    parent = node.parent
    if parent is None or not node.prose or node.density > 0.2:
        return False
    at = parent.place(node)
    before = sum(kid.prose for kid in parent.kids[:at] if not isinstance(kid, str))
    after = sum(kid.prose for kid in parent.kids[at + 1 :] if not isinstance(kid, str))
    return before > 0 and after > 0


def _is_button(whole: Whole, node: Node) -> bool:
    return not (accordion.is_trigger(node) or node.has(HEADINGS) or node.within(words.ASKING))


def _is_action(whole: Whole, node: Node) -> bool:
    return node.size < 32 and bool(words.ACTION.search(node.get("class"))) and not node.has(("h2", "h3", "p"))


def _is_form(whole: Whole, node: Node) -> bool:
    if node.tag == "form":
        return not whole.carries(node) and not _is_prose(node) and node.size < 2500
    if node.tag in ("label", "legend") and node.size < 120:
        return not accordion.is_trigger(node) and node.within(frozenset(("form",)))
    return False


def _is_sign_up(whole: Whole, node: Node) -> bool:
    """A box with a field for an address, and little more than the words that ask for it."""
    if not node.fields or node.size > 900 or node.titled or whole.share(node) > 0.3:
        return False
    return words.SIGN_UP.search(node.line()) is not None


def _is_widget(whole: Whole, node: Node) -> bool:
    """A control that a visitor operates: a list to choose from, a bubble, a row of tabs."""
    return node.get("role") in words.WIDGET_ROLES and not node.prose and whole.share(node) < 0.3


def _is_comments(whole: Whole, node: Node) -> bool:
    """What readers wrote under a page that has its own text."""
    if node.titled or node.names.isdisjoint(words.COMMENTS) or "testimonials" in node.names:
        return False
    if any(above.names & words.COMMENTS for above in node.above()):
        return False
    if whole.is_discussion:  # there the answers are the content; remarks under each of them are not
        return whole.share(node) < 0.3 and whole.remarked > 2
    return whole.prose - node.prose >= 5 and whole.share(node) < 0.7


def _is_reviews(whole: Whole, node: Node) -> bool:
    """What buyers wrote about a product: not the owner's word."""
    if node.titled or node.size < 300 or node.names.isdisjoint(words.REVIEWS):
        return False
    return whole.share(node) < 0.9 and len(words.RATED.findall(node.line())) >= 2


def _is_author(whole: Whole, node: Node) -> bool:
    """Who wrote it and when: a byline, a box with the author's life."""
    names = node.names
    if not names or node.titled or node.within(frozenset(("table",))):
        return False
    if node.size < 600 and not names.isdisjoint(words.MEMBERS[0]) and not names.isdisjoint(words.MEMBERS[1]):
        return node.prose < 2 and whole.share(node) < 0.25 and not node.has(("h3", "h4"))
    if names & words.AUTHORS:
        return node.prose <= 3 and node.size < 1200 and whole.share(node) < 0.25 and whole.prose - node.prose >= 2
    return (
        node.size < 140
        and not names.isdisjoint(words.POSTED[0])
        and not names.isdisjoint(words.POSTED[1])
        and whole.prose >= 3
    )


def _is_neighbour(whole: Whole, node: Node) -> bool:
    """The way to the page before or after."""
    if node.links != 1 or node.size > 140 or node.density < 0.6:
        return False
    return "prev" in node.get("rel") or "next" in node.get("rel") or words.NEIGHBOUR.match(whole.line(node)) is not None


def _is_teasers(whole: Whole, node: Node) -> bool:
    """After the page's own text: a row of cards, each with a linked heading, that lead to other pages."""
    if not whole.flows or node.links < 3 or node.titled:
        return False
    cards = [kid for kid in node.elements if kid.size > 20]
    if len(cards) < 3 or any(card.tag != cards[0].tag for card in cards) or whole.share(node) > 0.65:
        return False
    leading = sum(card.size < 700 and card.links > 0 and card.prose < 3 and _has_linked_heading(card) for card in cards)
    return leading >= 0.75 * len(cards) and _prose_before(node) >= max(3, node.prose)


def _has_linked_heading(card: Node) -> bool:
    if card.tag == "a":
        return card.has(HEADINGS)
    for inner in card.below():
        if inner.tag in HEADINGS and inner.size > 12:
            return inner.density > 0.8 or any(above.tag == "a" for above in inner.above())
    return False


def _is_interface(whole: Whole, node: Node) -> bool:
    """A label of the page's machinery, standing alone."""
    if node.size > 100 or node.titled or node.tag in ("td", "th", "code", "pre", "b", "strong", "em", "i", "dt", "dd"):
        return False
    if node.tag in HEADINGS and whole.line(node).casefold() in words.HEADINGS_TOO:
        return False
    return words.INTERFACE.fullmatch(whole.line(node)) is not None


def _is_before_title(whole: Whole, node: Node) -> bool:
    """Links that stand over the page's title: the way there, the section, the site's own."""
    if not whole.before_title or node.titled or node.prose or node.size >= 250 or node.density <= 0.6:
        return False
    return not node.has(HEADINGS)


def _is_beside(whole: Whole, node: Node) -> bool:
    """A box that stays beside the text while it is scrolled."""
    if "sticky" not in node.names or node.titled or whole.share(node) > 0.25:
        return False
    return node.prose <= 3 and whole.prose - node.prose >= 5


def _is_credit(whole: Whole, node: Node) -> bool:
    """Who took a picture; a caption that says more than that is content."""
    return (
        (node.tag == "figcaption" or "caption" in node.names)
        and node.size < 160
        and words.CREDIT.search(whole.line(node)) is not None
        and not node.within(frozenset(("table",)))
    )


def _is_named(whole: Whole, node: Node) -> bool:
    names = node.names & words.FRAME_NAMES
    if not names or (names <= words.AMBIGUOUS and node.density < 0.5 and any(map(str.isdigit, whole.line(node)))):
        return False
    share = whole.share(node)
    if names & words.SURE_NAMES and share < 0.6 and not node.titled:
        return True
    if whole.carries(node) or share >= 0.3:
        return False
    if _is_prose(node):
        return not names.isdisjoint(words.OTHER_PAGES) and share < 0.2
    return node.density > 0.3 or node.size < 160 or (not names.isdisjoint(words.BANNERS) and not node.titled)


def _is_link_list(whole: Whole, node: Node) -> bool:
    """A box of many short links and nothing to read."""
    if node.links < 6:
        return False
    if not whole.prose or node.prose or node.titled or whole.share(node) >= 0.35 or node.has(("th",)):
        return False
    if node.within(frozenset(("details",))) or node.has(("details",)):
        return False  # who opens a part wants what is in it
    return node.density > 0.85 and node.size / node.links < 28


Rule = Callable[[Whole, Node], bool]
RULES: tuple[tuple[str, frozenset[str], Rule], ...] = (
    ("navigation", frozenset(("nav", "[role]")), _is_navigation),
    ("footer", frozenset(("footer",)), _is_footer),
    ("header", frozenset(("header",)), _is_header),
    ("aside", frozenset(("aside", "[role]")), _is_aside),
    ("button", frozenset(("button",)), _is_button),
    ("call to action", frozenset(("a",)), _is_action),
    ("form", frozenset(("form", "label", "legend")), _is_form),
    ("sign-up", words.CONTAINERS, _is_sign_up),
    ("widget", frozenset(("[role]",)), _is_widget),
    ("comments", words.CONTAINERS, _is_comments),
    ("reviews", words.CONTAINERS, _is_reviews),
    ("author", words.BOXES, _is_author),
    ("neighbour", frozenset(("a", "div", "li", "p")), _is_neighbour),
    ("teasers", words.CONTAINERS, _is_teasers),
    ("before the title", words.CONTAINERS - {"article"} | {"a", "p", "span"}, _is_before_title),
    ("beside the text", words.CONTAINERS, _is_beside),
    ("picture credit", words.BOXES | {"figcaption"}, _is_credit),
    ("named as frame", words.BOXES, _is_named),
    ("interface", words.ANY, _is_interface),
    ("list of links", words.CONTAINERS | {"table", "td"}, _is_link_list),
)
"""Each rule's name, the elements that it is asked of, and the question; the first that says yes takes the node away.

`[role]` stands for any element with a role, an empty set for any element.
"""


@lru_cache(maxsize=256)
def rules_for(tag: str, roled: bool) -> tuple[tuple[str, Rule], ...]:
    """The rules that are asked of an element, in order; `roled`: it has a role."""
    return tuple((name, rule) for name, tags, rule in RULES if not tags or tag in tags or (roled and "[role]" in tags))
