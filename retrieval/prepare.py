"""A fetched page made ready to be judged: its signs, its document, or why it has none."""

from __future__ import annotations

from dataclasses import dataclass, replace

from retrieval.convert import convert, kind_of
from retrieval.document import Document, Page
from retrieval.errors import ConvertError
from retrieval.island import from_islands
from retrieval.signs import Signs, header_signs, read_signs

LITTLE = 25
"""Words under which a page that is an app's shell counts as empty."""
NEEDS_SCRIPT = "needs JavaScript: without it the page holds no text"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A page as the crawl judges it. `problem`: why there is no document. `empty`: a browser might find more."""

    signs: Signs
    document: Document | None = None
    problem: str = ""
    empty: bool = False


def prepared(page: Page, *, images: bool, source_url: bool) -> Prepared:
    """Convert a page; never raises. Text that only scripts would show is taken from the data that they are given."""
    html = kind_of(page) == "html"
    signs = read_signs(page.url, page.content, page.robots) if html else header_signs(page.robots)
    document, problem = _converted(page, images=images, source_url=source_url)
    if document is None:
        return Prepared(signs, problem=problem)
    signs = replace(signs, noindex=signs.noindex or document.noindex, nofollow=signs.nofollow or document.nofollow)
    few = len(document.markdown.split()) < LITTLE
    if html and few and signs.scripted:
        told = _from_data(page, document, images=images, source_url=source_url)
        if told is not None:
            return Prepared(signs, told)
    if not document.markdown.strip():
        problem = NEEDS_SCRIPT if html and signs.scripted else "holds no text"
        return Prepared(signs, problem=problem, empty=html and signs.scripted)
    return Prepared(signs, document, empty=html and few and signs.scripted)


def _from_data(page: Page, shell: Document, *, images: bool, source_url: bool) -> Document | None:
    """The document of the page's data islands, where they say more than the shell does."""
    island = from_islands(page)
    if island is None:
        return None
    document, _ = _converted(island, images=images, source_url=source_url)
    if document is None or len(document.markdown.split()) <= max(len(shell.markdown.split()), LITTLE):
        return None
    links = tuple(dict.fromkeys((*shell.links, *document.links)))
    return replace(document, title=shell.title or document.title, links=links, canonical=shell.canonical)


def _converted(page: Page, *, images: bool, source_url: bool) -> tuple[Document | None, str]:
    try:
        return convert(page, images=images, source_url=source_url), ""
    except ConvertError as error:
        return None, str(error).partition(": ")[2] or str(error)
    except (ValueError, RecursionError, LookupError) as error:  # a page so broken that a parser gives up
        return None, f"can't be converted ({type(error).__name__})"
