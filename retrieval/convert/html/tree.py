"""A page as a light tree: what a reader could see, with the measures that tell content from frame.

Every rule asks the same few questions of thousands of nodes; here they are answered once for each. `build` makes the tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer"
    " form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre search section summary table tbody td"
    " tfoot th thead tr ul".split()
)
NAMED_BY_TEXT = frozenset("h1 h2 h3 h4 h5 h6 a span p li dt dd tr td th summary details".split())
"""Elements whose id is made of their own words."""
BREAKS = frozenset(("br",))
PARTS = BLOCKS | BREAKS
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_WORD = re.compile(r"[a-z]+|[0-9]+|[A-Z]+(?![a-z])|[A-Z][a-z]*")


class Node:
    """An element: `kids` are elements and texts in order.

    `size` counts the characters of its text, `own` those that stand directly in it, `linked` those inside links; `links`
    the links, `prose` the paragraphs, `fields` the inputs for words; `titled` says that an h1 is inside.
    """

    __slots__ = (
        "_names", "_places", "attrs", "fields", "kids", "linked", "links", "own", "parent", "prose", "size", "tag", "titled",
    )  # fmt: skip

    def __init__(self, tag: str, attrs: dict[str, str | None], parent: Node | None) -> None:
        self.tag = tag
        self.attrs = attrs
        self.parent = parent
        self.kids: list[Node | str] = []
        self.size = self.own = self.linked = self.links = self.prose = self.fields = 0
        self.titled = False
        self._names: frozenset[str] | None = None
        self._places: dict[int, int] | None = None

    def get(self, name: str) -> str:
        """An attribute's value; empty when it isn't there."""
        return self.attrs.get(name) or ""

    @property
    def names(self) -> frozenset[str]:
        """The words of the class and the id, lower case: `siteFooter-links` is site, footer, links and sitefooter."""
        if self._names is None:
            self._names = _words(self.get("class"))
            if "id" in self.attrs and self.tag not in NAMED_BY_TEXT and not self._is_named_by_heading():
                self._names |= _words(self.get("id"))
        return self._names

    def _is_named_by_heading(self) -> bool:
        """Whether the id of a part is made of the words of its heading, which say nothing of the part's role."""
        if self.tag not in ("section", "article"):
            return False
        heading = next((node for node in self.below() if node.tag in HEADINGS), None)
        words = re.findall(r"[a-z0-9]+", self.get("id").lower())
        return heading is not None and words == re.findall(r"[a-z0-9]+", heading.line().lower())

    @property
    def elements(self) -> list[Node]:
        """The children that are elements."""
        return [kid for kid in self.kids if not isinstance(kid, str)]

    @property
    def density(self) -> float:
        """The share of the text that is inside links."""
        return self.linked / self.size if self.size else 0.0

    def above(self) -> Iterator[Node]:
        """The parents, nearest first."""
        parent = self.parent
        while parent is not None:
            yield parent
            parent = parent.parent

    def below(self) -> Iterator[Node]:
        """All elements inside, in document order."""
        stack: list[Node | str] = self.kids[::-1]
        while stack:
            node = stack.pop()
            if not isinstance(node, str):
                yield node
                stack += node.kids[::-1]

    def has(self, tags: Iterable[str]) -> bool:
        """Whether an element of one of these names is inside."""
        stack: list[Node | str] = list(self.kids)
        while stack:
            node = stack.pop()
            if not isinstance(node, str):
                if node.tag in tags:
                    return True
                stack += node.kids
        return False

    def text(self) -> str:
        """All the text, as it stands."""
        return self._parted(BREAKS, "\n")

    def line(self) -> str:
        """The text on one line; blocks are parted by a space."""
        return " ".join(self._parted(PARTS, " ").split())

    def _parted(self, tags: frozenset[str], sign: str) -> str:
        parts: list[str] = []
        stack: list[Node | str] = self.kids[::-1]
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

    def place(self, kid: Node) -> int:
        """Where a child stands among the children; looked up, since a page may hold fifty thousand siblings."""
        at = self._places.get(id(kid), len(self.kids)) if self._places else len(self.kids)
        if at >= len(self.kids) or self.kids[at] is not kid:
            self._places = {id(other): index for index, other in enumerate(self.kids)}
            at = self._places[id(kid)]
        return at

    def remove(self) -> None:
        """Take the node out of the tree and its measures out of every parent's."""
        parent = self.parent
        if parent is None:
            return
        parent.kids[parent.place(self)] = ""
        for above in self.above():
            above.size -= self.size
            above.linked -= self.linked
            above.links -= self.links
            above.prose -= self.prose
            above.fields -= self.fields
        self.parent = None

    def within(self, tags: frozenset[str]) -> bool:
        """Whether one of the parents has one of these names."""
        return any(parent.tag in tags for parent in self.above())


@lru_cache(maxsize=4096)
def _words(value: str) -> frozenset[str]:
    found: set[str] = set()
    for part in re.split(r"[^A-Za-z0-9]+", value):
        found.add(part.lower())
        if not part.islower():
            found.update(word.lower() for word in _WORD.findall(part))
    found.discard("")
    return frozenset(found)
