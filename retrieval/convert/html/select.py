"""Chooses the part of a page that is content: `<main>`, else its `<article>`s, else what its names call content, else `<body>`.

A `<main>` that is an empty shell, and articles that are only teasers, are passed over (fixtures main_is_an_empty_shell,
articles_are_only_teasers). The shares and sizes in this file were chosen by hand: no command of this
repository measures them, the fixtures hold the cases.
"""

from __future__ import annotations

from retrieval.convert.html.frame_rules import is_plainly_frame
from retrieval.convert.html.tree import PageNode

MOST_SHELL_CHARACTERS = 140
"""Characters under which a `<main>` is taken for an empty shell, if most of the page is elsewhere."""
CONTENT_NAMES = frozenset(("maincontent", "mainbar", "contents", "entrycontent", "postcontent", "articlebody"))


def select_content(top: PageNode, order: list[PageNode]) -> list[PageNode]:
    """The nodes that hold the content, in document order, none inside another; `order`: all elements under `top`."""
    return _mains(top, order) or _articles(top, order) or _part_named_content(top, order) or [top]


def _mains(top: PageNode, order: list[PageNode]) -> list[PageNode]:
    """The page's main parts, or the one article that is most of them; none if more is to be read outside of them."""
    mains = _outermost(
        [node for node in order if node.size and (node.tag == "main" or node.attrs.get("role") == "main")]
    )
    size, prose = sum(main.size for main in mains), sum(main.prose for main in mains)
    outside = _paragraphs_outside(top, mains)
    is_shell = size < MOST_SHELL_CHARACTERS and size < 0.5 * top.size and not prose and outside > 0
    # three paragraphs outside may be anything; far more than are inside, and `<main>` stands around the wrong part
    if not mains or is_shell or outside > max(3, 2.4 * prose):
        return []
    return _article_that_is_most(mains, order, prose) or mains


def _paragraphs_outside(top: PageNode, mains: list[PageNode]) -> int:
    """How many paragraphs stand neither in the main parts nor in what is plainly frame."""
    count, stack = 0, [top]
    while stack:
        node = stack.pop()
        if node in mains or not node.prose or is_plainly_frame(node):
            continue
        inner = [kid for kid in node.elements if kid.prose]
        count += not inner
        stack += inner
    return count


def _article_that_is_most(mains: list[PageNode], order: list[PageNode], prose: int) -> list[PageNode]:
    """The one article that is nearly all of the main part, else none; what stands around it is about other pages."""
    articles = [node for node in order if node.tag == "article" and node.prose >= 3 and _inside(node, mains)]
    articles = _outermost(articles)
    unlinked = sum(main.size - main.linked for main in mains)
    if len(articles) != 1 or articles[0].prose < 0.75 * prose:
        return []
    article = articles[0]
    if not article.titled and any(main.titled for main in mains):
        return []  # the h1 would be lost
    return articles if article.size - article.linked >= 0.6 * unlinked else []


def _articles(top: PageNode, order: list[PageNode]) -> list[PageNode]:
    """The part around all articles, if these hold half of the unlinked text, or one alone holds a third; else none."""
    articles = _outermost([node for node in order if node.tag == "article" and node.size])
    unlinked = top.size - top.linked
    in_articles = sum(article.size - article.linked for article in articles)
    alone = len(articles) == 1 and articles[0].prose >= 3 and in_articles >= 0.3 * unlinked
    prose = sum(article.prose for article in articles)
    most = in_articles >= 0.5 * unlinked and prose >= 0.6 * top.prose
    if not (articles and (most or alone)):
        return []
    part = _nearest_common_parent(articles)
    return articles if part is top else [part]


def _nearest_common_parent(nodes: list[PageNode]) -> PageNode:
    """The smallest part that holds all nodes: the headings between them are content too."""
    shared = [nodes[0], *nodes[0].ancestors()]
    for node in nodes[1:]:
        chain = [node, *node.ancestors()]
        shared = [above for above in shared if any(above is other for other in chain)]
    return shared[0]


def _part_named_content(top: PageNode, order: list[PageNode]) -> list[PageNode]:
    """The smallest part that its class or id calls content and that holds most of the unlinked text; none without."""
    best: PageNode | None = None
    for node in order:
        if node.tag not in ("div", "section", "td") or node.size < 200 or not _is_named_content(node):
            continue
        if top.titled and not node.titled:
            continue  # it holds the text, but not the h1: a part around it is better
        if node.size - node.linked >= 0.6 * (top.size - top.linked) and (best is None or node.size <= best.size):
            best = node
    return [best] if best is not None else []


def _is_named_content(node: PageNode) -> bool:
    if node.get("itemprop") in ("mainContentOfPage", "articleBody"):
        return True
    names = node.name_words
    if names & CONTENT_NAMES:
        return True
    return "content" in names and (not names.isdisjoint(("main", "page", "body")) or len(names) <= 2)


def _outermost(nodes: list[PageNode]) -> list[PageNode]:
    return [node for node in nodes if not _inside(node, nodes)]


def _inside(node: PageNode, others: list[PageNode]) -> bool:
    return any(above is other for above in node.ancestors() for other in others)
