"""A page as a light tree of its elements, each with the measures that tell content from frame.

The rules ask the same few questions (how much text, how much of it linked) of thousands of nodes; here the answers are
counted once, by `build`, and kept up to date when a node is removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

BLOCK_TAGS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer"
    " form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre search section summary table tbody td"
    " tfoot th thead tr ul".split()
)
TAGS_NAMED_BY_TEXT = frozenset("h1 h2 h3 h4 h5 h6 a span p li dt dd tr td th summary details".split())
"""Elements whose id is often made of their own words (`<h2 id="related-posts">`), and so says nothing about their role."""
BREAK_TAGS = frozenset(("br",))
SEPARATING_TAGS = BLOCK_TAGS | BREAK_TAGS
"""What parts words on one line of text: `<li>a</li><li>b</li>` is "a b"."""
HEADING_TAGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
# The words of a name in camel case, and of one with digits: navBar2 is nav, bar, 2.
_NAME_WORD = re.compile(r"[a-z]+|[0-9]+|[A-Z]+(?![a-z])|[A-Z][a-z]*")


class PageNode:
    """An element of a page; `kids` are the elements and texts in it, in order.

    Measures, all of them including what is inside: `size`, the characters of its text; `own`, those of them that stand
    directly in it; `linked`, those inside links; `links`, how many links; `prose`, how many paragraphs of running text;
    `fields`, how many inputs for words; `titled`, whether there is an h1.
    """

    __slots__ = (
        "_indexes", "_name_words", "attrs", "fields", "kids", "linked", "links", "own", "parent", "prose", "size", "tag", "titled",
    )  # fmt: skip

    def __init__(self, tag: str, attrs: dict[str, str | None], parent: PageNode | None) -> None:
        self.tag = tag
        self.attrs = attrs
        self.parent = parent
        self.kids: list[PageNode | str] = []
        self.size = self.own = self.linked = self.links = self.prose = self.fields = 0
        self.titled = False
        self._name_words: frozenset[str] | None = None
        self._indexes: dict[int, int] | None = None

    def get(self, name: str) -> str:
        """An attribute's value; empty when it isn't there."""
        return self.attrs.get(name) or ""

    @property
    def name_words(self) -> frozenset[str]:
        """The words of the class and the id, lower case: `siteFooter-links` gives site, footer, links and sitefooter."""
        if self._name_words is None:
            self._name_words = _words_of_name(self.get("class"))
            if "id" in self.attrs and self.tag not in TAGS_NAMED_BY_TEXT and not self._is_named_by_heading():
                self._name_words |= _words_of_name(self.get("id"))
        return self._name_words

    def _is_named_by_heading(self) -> bool:
        """Whether a section's id is made of the words of its heading, and so says nothing about the section's role."""
        if self.tag not in ("section", "article"):
            return False
        heading = next((node for node in self.descendants() if node.tag in HEADING_TAGS), None)
        words = re.findall(r"[a-z0-9]+", self.get("id").lower())
        return heading is not None and words == re.findall(r"[a-z0-9]+", heading.line().lower())

    @property
    def elements(self) -> list[PageNode]:
        """The children that are elements."""
        return [kid for kid in self.kids if not isinstance(kid, str)]

    @property
    def density(self) -> float:
        """The share of the text that is inside links, 0 to 1."""
        return self.linked / self.size if self.size else 0.0

    def ancestors(self) -> Iterator[PageNode]:
        """The elements around it, nearest first."""
        parent = self.parent
        while parent is not None:
            yield parent
            parent = parent.parent

    def descendants(self) -> Iterator[PageNode]:
        """All elements inside, in document order; without recursion, since a page may be nested a thousand deep."""
        stack: list[PageNode | str] = self.kids[::-1]
        while stack:
            node = stack.pop()
            if not isinstance(node, str):
                yield node
                stack += node.kids[::-1]

    def has(self, tags: Iterable[str]) -> bool:
        """Whether an element with one of these tags is inside."""
        stack: list[PageNode | str] = list(self.kids)
        while stack:
            node = stack.pop()
            if not isinstance(node, str):
                if node.tag in tags:
                    return True
                stack += node.kids
        return False

    def text(self) -> str:
        """All the text as it is written, with a line break for each `<br>`."""
        return self._joined_text(BREAK_TAGS, "\n")

    def line(self) -> str:
        """All the text on one line; blocks are parted by a space."""
        return " ".join(self._joined_text(SEPARATING_TAGS, " ").split())

    def _joined_text(self, tags: frozenset[str], sign: str) -> str:
        """The texts inside joined, with a sign before and behind each element of these tags."""
        parts: list[str] = []
        stack: list[PageNode | str] = self.kids[::-1]
        while stack:
            kid = stack.pop()
            if isinstance(kid, str):
                parts.append(kid)
                continue
            if kid.tag in tags:
                parts.append(sign)
                if kid.kids:
                    stack.append(sign)
            stack += kid.kids[::-1]
        return "".join(parts)

    def index_of(self, kid: PageNode) -> int:
        """The index of a child in `kids`; from a table, since a page may hold fifty thousand siblings."""
        at = self._indexes.get(id(kid), len(self.kids)) if self._indexes else len(self.kids)
        if at >= len(self.kids) or self.kids[at] is not kid:
            self._indexes = {id(other): index for index, other in enumerate(self.kids)}
            at = self._indexes[id(kid)]
        return at

    def remove(self) -> None:
        """Take the node out of the tree, and its measures out of those of all elements around it."""
        parent = self.parent
        if parent is None:
            return
        parent.kids[parent.index_of(self)] = ""  # not deleted, so that the indexes of its siblings stay
        for above in self.ancestors():
            above.size -= self.size
            above.linked -= self.linked
            above.links -= self.links
            above.prose -= self.prose
            above.fields -= self.fields
        self.parent = None

    def within(self, tags: frozenset[str]) -> bool:
        """Whether it stands inside an element with one of these tags."""
        return any(parent.tag in tags for parent in self.ancestors())


@lru_cache(maxsize=4096)
def _words_of_name(value: str) -> frozenset[str]:
    """The words of a class or an id, lower case, whole parts among them; cached, since pages repeat their classes."""
    words: set[str] = set()
    for part in re.split(r"[^A-Za-z0-9]+", value):
        words.add(part.lower())
        if not part.islower():
            words.update(word.lower() for word in _NAME_WORD.findall(part))
    words.discard("")
    return frozenset(words)
