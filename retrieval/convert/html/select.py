"""Which part of a page is content: `<main>`, else every `<article>`, else what the page calls its content, else `<body>`.

A landmark is believed only while it holds what there is to read: an empty shell, or articles that are only teasers, is
passed over.
"""

from __future__ import annotations

from retrieval.convert.html.frame_rules import is_plainly_frame
from retrieval.convert.html.tree import Node

SHELL = 140
"""Characters under which a landmark is taken for an empty shell, when most of the page is elsewhere."""
CALLED_CONTENT = frozenset(("maincontent", "mainbar", "contents", "entrycontent", "postcontent", "articlebody"))


def select(top: Node, order: list[Node]) -> list[Node]:
    """The outermost nodes that hold the content, in document order."""
    return _mains(top, order) or _articles(top, order) or _called_content(top, order) or [top]


def _mains(top: Node, order: list[Node]) -> list[Node]:
    mains = _outermost(
        [node for node in order if node.size and (node.tag == "main" or node.attrs.get("role") == "main")]
    )
    size, prose = sum(main.size for main in mains), sum(main.prose for main in mains)
    beside = _beside(top, mains)
    shell = size < SHELL and size < 0.5 * top.size and not prose and beside > 0
    if not mains or shell or beside > max(3, 2.4 * prose):
        return []
    return _only_article(mains, order, prose) or mains


def _beside(top: Node, mains: list[Node]) -> int:
    """The paragraphs that stand neither in the main part nor in what is plainly frame."""
    count, stack = 0, [top]
    while stack:
        node = stack.pop()
        if node in mains or not node.prose or is_plainly_frame(node):
            continue
        inner = [kid for kid in node.elements if kid.prose]
        count += not inner
        stack += inner
    return count


def _only_article(mains: list[Node], order: list[Node], prose: int) -> list[Node]:
    """The one article that is nearly all of the main part; what stands around it is about other pages."""
    articles = [node for node in order if node.tag == "article" and node.prose >= 3 and _inside(node, mains)]
    articles = _outermost(articles)
    unlinked = sum(main.size - main.linked for main in mains)
    if len(articles) != 1 or articles[0].prose < 0.75 * prose:
        return []
    article = articles[0]
    if not article.titled and any(main.titled for main in mains):
        return []
    return articles if article.size - article.linked >= 0.6 * unlinked else []


def _articles(top: Node, order: list[Node]) -> list[Node]:
    articles = _outermost([node for node in order if node.tag == "article" and node.size])
    unlinked = top.size - top.linked
    held = sum(article.size - article.linked for article in articles)
    alone = len(articles) == 1 and articles[0].prose >= 3 and held >= 0.3 * unlinked
    prose = sum(article.prose for article in articles)
    most = held >= 0.5 * unlinked and prose >= 0.6 * top.prose
    if not (articles and (most or alone)):
        return []
    around = _around(articles)
    return articles if around is top else [around]


def _around(nodes: list[Node]) -> Node:
    """The smallest part that holds all of them, with the headings between them."""
    shared = [nodes[0], *nodes[0].above()]
    for node in nodes[1:]:
        line = [node, *node.above()]
        shared = [above for above in shared if any(above is other for other in line)]
    return shared[0]


def _called_content(top: Node, order: list[Node]) -> list[Node]:
    """The smallest part that the page's own names call content and that holds most of the unlinked text."""
    best: Node | None = None
    for node in order:
        if node.tag not in ("div", "section", "td") or node.size < 200 or not _is_called_content(node):
            continue
        if top.titled and not node.titled:
            continue
        if node.size - node.linked >= 0.6 * (top.size - top.linked) and (best is None or node.size <= best.size):
            best = node
    return [best] if best is not None else []


def _is_called_content(node: Node) -> bool:
    if node.get("itemprop") in ("mainContentOfPage", "articleBody"):
        return True
    names = node.names
    if names & CALLED_CONTENT:
        return True
    return "content" in names and (not names.isdisjoint(("main", "page", "body")) or len(names) <= 2)


def _outermost(nodes: list[Node]) -> list[Node]:
    return [node for node in nodes if not _inside(node, nodes)]


def _inside(node: Node, others: list[Node]) -> bool:
    return any(above is other for above in node.above() for other in others)
