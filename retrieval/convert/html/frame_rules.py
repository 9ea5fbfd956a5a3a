"""The rules that tell frame from content: each looks at one node of the selected content and says whether it is frame.

What holds the page's h1 or most of its text is never taken away by its name alone. Each rule has a fixture that taught it:
`frame_*` under tests/retrieval/convert/html/fixtures, listed by rule in test_frame.py. The sizes (characters), counts of
paragraphs and shares in the rules were chosen by hand on those; no command of this repository measures them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from retrieval.convert.html import accordion
from retrieval.convert.html import frame_words as words
from retrieval.convert.html.selected import SelectedContent
from retrieval.convert.html.tree import HEADING_TAGS, PageNode


def is_plainly_frame(node: PageNode) -> bool:
    """Whether a part's own tag, role or name says that it belongs to the site, not to the page."""
    if (
        node.tag in ("header", "footer", "nav", "aside", "dialog", "noscript")
        or node.get("role").lower() in words.FRAME_ROLES
    ):
        return True
    return not node.name_words.isdisjoint(words.SURE_NAMES | words.BANNER_NAMES | {"footer"})


def _prose_before(node: PageNode) -> int:
    """How many paragraphs stand before a node in the page."""
    count, inner = 0, node
    for above in node.ancestors():
        for kid in above.kids:
            if kid is inner:
                break
            count += 0 if isinstance(kid, str) else kid.prose
        inner = above
    return count


def _is_prose(node: PageNode) -> bool:
    """Whether a node holds text to read: a paragraph, and more than 400 characters outside of links."""
    return bool(node.prose) and node.size - node.linked > 400


def _is_navigation(content: SelectedContent, node: PageNode) -> bool:
    """A `<nav>`, or a part whose role says that it belongs to the site; a dialog with text to read stays."""
    if node.tag != "nav" and node.get("role").lower() not in words.FRAME_ROLES:
        return False
    if (
        "dialog" in node.get("role").lower()
        and node.prose
        and node.density < 0.2
        and not words.DIALOG_REQUEST.search(node.line())
    ):
        return False
    # what holds the page's own text stays, whatever its tag or role says
    return not (content.carries_the_page(node) and _is_prose(node))


def _is_footer(content: SelectedContent, node: PageNode) -> bool:
    """A `<footer>`; of an article's own one only links go, an address stays (fixture frame_footer_with_an_address)."""
    if node.within(words.ARTICLE_TAGS):
        return node.density > 0.5 or not (node.prose or words.CONTACT_DETAIL.search(node.line()))
    return content.share(node) < 0.8 and not node.titled


def _is_header(content: SelectedContent, node: PageNode) -> bool:
    """A `<header>` of the site: without h1 or text to read, and outside of articles and sections."""
    return not node.titled and not node.within(words.PAGE_PART_TAGS) and not _is_prose(node)


def _is_aside(content: SelectedContent, node: PageNode) -> bool:
    """An `<aside>` about the site; notes, contact details and asides between paragraphs stay."""
    if node.tag != "aside" and node.get("role") != "complementary":
        return False
    if words.NOTE_CLASS.search(node.get("class")) or content.share(node) >= 0.3 or _stands_in_prose(node):
        return False
    return not (node.density < 0.6 and words.CONTACT_DETAIL.search(node.line()))


def _stands_in_prose(node: PageNode) -> bool:
    """Whether a node stands between paragraphs and is text itself: an aside of the text (fixture frame_aside_inside_the_text)."""
    parent = node.parent
    if parent is None or not node.prose or node.density > 0.2:
        return False
    at = parent.index_of(node)
    before = sum(kid.prose for kid in parent.kids[:at] if not isinstance(kid, str))
    after = sum(kid.prose for kid in parent.kids[at + 1 :] if not isinstance(kid, str))
    return before > 0 and after > 0


def _is_button(content: SelectedContent, node: PageNode) -> bool:
    """A `<button>`, unless it opens a part or stands in a heading: then its text is a question."""
    return not (accordion.is_trigger(node) or node.has(HEADING_TAGS) or node.within(words.QUESTION_TAGS))


def _is_action(content: SelectedContent, node: PageNode) -> bool:
    """A short link that is drawn as a button ("Book now")."""
    return node.size < 32 and bool(words.BUTTON_CLASS.search(node.get("class"))) and not node.has(("h2", "h3", "p"))


def _is_form(content: SelectedContent, node: PageNode) -> bool:
    """A form that isn't the page itself, and the labels of one that stays."""
    if node.tag == "form":
        # some programs wrap a form around the whole page
        return not content.carries_the_page(node) and not _is_prose(node) and node.size < 2500
    if node.tag in ("label", "legend") and node.size < 120:
        return not accordion.is_trigger(node) and node.within(frozenset(("form",)))
    return False


def _is_sign_up(content: SelectedContent, node: PageNode) -> bool:
    """A box with a field for an e-mail address, and little more than the words that ask for it."""
    if not node.fields or node.size > 900 or node.titled or content.share(node) > 0.3:
        return False
    return words.SIGN_UP_TEXT.search(node.line()) is not None


def _is_widget(content: SelectedContent, node: PageNode) -> bool:
    """A control that a visitor operates: a list to choose from, a bubble, a row of tabs."""
    return node.get("role") in words.WIDGET_ROLES and not node.prose and content.share(node) < 0.3


def _is_comments(content: SelectedContent, node: PageNode) -> bool:
    """What readers wrote under a page that has its own text."""
    if node.titled or node.name_words.isdisjoint(words.COMMENT_NAMES) or "testimonials" in node.name_words:
        return False
    if any(above.name_words & words.COMMENT_NAMES for above in node.ancestors()):
        return False  # the outermost box has been judged already
    if content.is_discussion:  # there the answers are the content; remarks under each of them are not
        return content.share(node) < 0.3 and content.comment_boxes > 2
    # a page that is short without its comments was perhaps made for them
    return content.prose - node.prose >= 5 and content.share(node) < 0.7


def _is_reviews(content: SelectedContent, node: PageNode) -> bool:
    """What buyers wrote about a product: not the owner's word."""
    if node.titled or node.size < 300 or node.name_words.isdisjoint(words.REVIEW_NAMES):
        return False
    # two signs of a rating: a single "helpful" or star may stand in any text
    return content.share(node) < 0.9 and len(words.RATING_SIGN.findall(node.line())) >= 2


def _is_author(content: SelectedContent, node: PageNode) -> bool:
    """A byline or a box about the author, which say who wrote the page and when; a forum's box about a member."""
    names = node.name_words
    if not names or node.titled or node.within(frozenset(("table",))):
        return False
    if node.size < 600 and not names.isdisjoint(words.MEMBER_NAMES) and not names.isdisjoint(words.MEMBER_DETAIL_NAMES):
        return node.prose < 2 and content.share(node) < 0.25 and not node.has(("h3", "h4"))
    if names & words.AUTHOR_NAMES:
        return node.prose <= 3 and node.size < 1200 and content.share(node) < 0.25 and content.prose - node.prose >= 2
    return (
        node.size < 140
        and not names.isdisjoint(words.POST_NAMES)
        and not names.isdisjoint(words.POST_DETAIL_NAMES)
        and content.prose >= 3
    )


def _is_neighbour(content: SelectedContent, node: PageNode) -> bool:
    """A link to the page before or after this one."""
    if node.links != 1 or node.size > 140 or node.density < 0.6:
        return False
    return (
        "prev" in node.get("rel")
        or "next" in node.get("rel")
        or words.NEIGHBOUR_LINK.match(content.line(node)) is not None
    )


def _is_teasers(content: SelectedContent, node: PageNode) -> bool:
    """A row of cards below an article, each with a linked heading, that lead to other pages.

    Cards that are the page itself stay: fixture frame_cards_that_are_the_page.
    """
    if not content.is_running_text or node.links < 3 or node.titled:
        return False
    # of one kind, three at least, and not most of the page: then they are the page
    cards = [kid for kid in node.elements if kid.size > 20]
    if len(cards) < 3 or any(card.tag != cards[0].tag for card in cards) or content.share(node) > 0.65:
        return False
    leading_away = sum(
        card.size < 700 and card.links > 0 and card.prose < 3 and _has_linked_heading(card) for card in cards
    )
    return leading_away >= 0.75 * len(cards) and _prose_before(node) >= max(3, node.prose)


def _has_linked_heading(card: PageNode) -> bool:
    """Whether the first heading of a card is a link, or the card is a link around it."""
    if card.tag == "a":
        return card.has(HEADING_TAGS)
    for inner in card.descendants():
        if inner.tag in HEADING_TAGS and inner.size > 12:
            return inner.density > 0.8 or any(above.tag == "a" for above in inner.ancestors())
    return False


def _is_interface(content: SelectedContent, node: PageNode) -> bool:
    """A label of the page's machinery that stands alone; in cells, code and emphasis the same words are content."""
    if node.size > 100 or node.titled or node.tag in ("td", "th", "code", "pre", "b", "strong", "em", "i", "dt", "dd"):
        return False
    if node.tag in HEADING_TAGS and content.line(node).casefold() in words.INTERFACE_WORDS_THAT_HEAD:
        return False
    return words.INTERFACE_TEXT.fullmatch(content.line(node)) is not None


def _is_before_title(content: SelectedContent, node: PageNode) -> bool:
    """Links above the page's title: breadcrumbs, the section, the site's own links."""
    if not content.before_title or node.titled or node.prose or node.size >= 250 or node.density <= 0.6:
        return False
    return not node.has(HEADING_TAGS)


def _is_beside(content: SelectedContent, node: PageNode) -> bool:
    """A box of class `sticky`, which stays beside the text while it is scrolled."""
    if "sticky" not in node.name_words or node.titled or content.share(node) > 0.25:
        return False
    return node.prose <= 3 and content.prose - node.prose >= 5


def _is_credit(content: SelectedContent, node: PageNode) -> bool:
    """A short caption that only says who took a picture."""
    return (
        (node.tag == "figcaption" or "caption" in node.name_words)
        and node.size < 160
        and words.PICTURE_CREDIT.search(content.line(node)) is not None
        and not node.within(frozenset(("table",)))
    )


def _is_named(content: SelectedContent, node: PageNode) -> bool:
    """A part whose class or id has a word that sites use for their frame, weighed against what it holds."""
    names = node.name_words & words.FRAME_NAMES
    if not names or (
        names <= words.AMBIGUOUS_NAMES and node.density < 0.5 and any(map(str.isdigit, content.line(node)))
    ):
        return False
    share = content.share(node)
    # names that are never content's, then what looks like the page itself, then text to read, then all else
    if names & words.SURE_NAMES and share < 0.6 and not node.titled:
        return True
    if content.carries_the_page(node) or share >= 0.3:
        return False
    if _is_prose(node):
        return not names.isdisjoint(words.OTHER_PAGES_NAMES) and share < 0.2
    return node.density > 0.3 or node.size < 160 or (not names.isdisjoint(words.BANNER_NAMES) and not node.titled)


def _is_link_list(content: SelectedContent, node: PageNode) -> bool:
    """A box of six links or more, short ones, and nothing to read; a table with header cells is data."""
    if node.links < 6:
        return False
    if not content.prose or node.prose or node.titled or content.share(node) >= 0.35 or node.has(("th",)):
        return False
    if node.within(frozenset(("details",))) or node.has(("details",)):
        return False  # who opens a part wants what is in it: fixture links_inside_details
    return node.density > 0.85 and node.size / node.links < 28  # longer links are sentences to be read


Rule = Callable[[SelectedContent, PageNode], bool]
RULES: tuple[tuple[str, frozenset[str], Rule], ...] = (
    ("navigation", frozenset(("nav", "[role]")), _is_navigation),
    ("footer", frozenset(("footer",)), _is_footer),
    ("header", frozenset(("header",)), _is_header),
    ("aside", frozenset(("aside", "[role]")), _is_aside),
    ("button", frozenset(("button",)), _is_button),
    ("call to action", frozenset(("a",)), _is_action),
    ("form", frozenset(("form", "label", "legend")), _is_form),
    ("sign-up", words.CONTAINER_TAGS, _is_sign_up),
    ("widget", frozenset(("[role]",)), _is_widget),
    ("comments", words.CONTAINER_TAGS, _is_comments),
    ("reviews", words.CONTAINER_TAGS, _is_reviews),
    ("author", words.BOX_TAGS, _is_author),
    ("neighbour", frozenset(("a", "div", "li", "p")), _is_neighbour),
    ("teasers", words.CONTAINER_TAGS, _is_teasers),
    ("before the title", words.CONTAINER_TAGS - {"article"} | {"a", "p", "span"}, _is_before_title),
    ("beside the text", words.CONTAINER_TAGS, _is_beside),
    ("picture credit", words.BOX_TAGS | {"figcaption"}, _is_credit),
    ("named as frame", words.BOX_TAGS, _is_named),
    ("interface", words.ANY_TAG, _is_interface),
    ("list of links", words.CONTAINER_TAGS | {"table", "td"}, _is_link_list),
)
"""For each rule its name in the audit, the tags of the elements that it is asked of, and its function.

They are asked in this order, and the first that says yes takes the node away. `[role]` stands for all elements with a role,
an empty set for all elements.
"""


@lru_cache(maxsize=256)
def rules_for(tag: str, has_role: bool) -> tuple[tuple[str, Rule], ...]:
    """The (name, rule) pairs that are asked of elements with this tag, in order."""
    return tuple(
        (name, rule) for name, tags, rule in RULES if not tags or tag in tags or (has_role and "[role]" in tags)
    )
