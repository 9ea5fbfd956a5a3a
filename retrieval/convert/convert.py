"""Converts any fetched page to a document: its kind decides which converter reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from retrieval.convert.archive import pages_of_archive
from retrieval.convert.epub import convert_epub
from retrieval.convert.html.page import convert_html
from retrieval.convert.kind import ENDINGS, KNOWN_ENDINGS, kind_of
from retrieval.convert.office.delimited import convert_csv
from retrieval.convert.office.legacy import convert_doc
from retrieval.convert.office.opendocument import convert_odt
from retrieval.convert.office.rtf import convert_rtf
from retrieval.convert.office.sheets import convert_xlsx
from retrieval.convert.office.slides import convert_pptx
from retrieval.convert.office.text import convert_text
from retrieval.convert.office.word import convert_docx
from retrieval.convert.pdf import convert_pdf
from retrieval.document import Document, Page
from retrieval.errors import ConvertError

__all__ = ["ENDINGS", "convert", "kind_of", "pages_of"]

CONVERTER_BY_KIND: dict[str, Callable[[bytes, str], Document]] = {
    "pdf": convert_pdf,
    "docx": convert_docx,
    "doc": convert_doc,
    "rtf": convert_rtf,
    "odt": convert_odt,
    "csv": convert_csv,
    "xlsx": convert_xlsx,
    "pptx": convert_pptx,
    "epub": convert_epub,
    "markdown": lambda body, url: convert_text(body, url, markdown=True),
    "text": lambda body, url: convert_text(body, url, markdown=False),
}


def convert(page: Page, *, images: bool = True, source_url: bool = False) -> Document:
    """The page as a document of Markdown; raises ConvertError with a sentence for its owner when it can't be read.

    `images`: keep pictures that have a description. `source_url`: put the page's address at the end of the text.
    """
    kind = kind_of(page)
    if kind == "zip":
        raise ConvertError("is an archive of several documents; take its files one by one", about=page.url)
    if kind != "html" and kind not in CONVERTER_BY_KIND:  # HTML has options of its own, so it isn't in the table
        raise ConvertError(f"is not a kind of file that can be read (known: {KNOWN_ENDINGS})", about=page.url)
    if not page.content.strip():
        raise ConvertError("is an empty file; save it anew and add it again", about=page.url)
    try:
        if kind == "html":
            document = convert_html(page.content, page.url, page.content_type, images=images)
        else:
            document = CONVERTER_BY_KIND[kind](page.content, page.url)
    except (ValueError, LookupError, ArithmeticError, RecursionError, TypeError) as error:
        # what damaged data do to a converter; an error of ours is among them, so the sentence names its class
        why = f"is so damaged that it can't be read as {kind} ({type(error).__name__})"
        raise ConvertError(f"{why}; save it anew and add it again", about=page.url) from error
    document = _storable(document)
    return _with_source(document) if source_url else document


def pages_of(page: Page) -> Iterator[Page | ConvertError]:
    """The page itself, or of an archive each of its files as a page; for a file that can't be taken out, the error.

    Raises ConvertError for an archive that is broken.
    """
    if kind_of(page) == "zip":
        yield from pages_of_archive(page)
    else:
        yield page


def _storable(document: Document) -> Document:
    """The document without halves of letters (surrogates), which JSON written as \\ud83d can hold and no database stores."""
    facts = document.frame_facts
    texts = (document.title, document.markdown, document.canonical, *document.links, *(facts or ()))
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return replace(
            document,
            title=_without_half_letters(document.title),
            markdown=_without_half_letters(document.markdown),
            canonical=_without_half_letters(document.canonical),
            links=tuple(map(_without_half_letters, document.links)),
            frame_facts=None if facts is None else tuple(map(_without_half_letters, facts)),
        )
    return document


def _without_half_letters(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _with_source(document: Document) -> Document:
    return replace(document, markdown=f"{document.markdown.rstrip()}\n\nSource: {document.url}\n")
