"""Any fetched page as a document, by what it is: sniffed from its bytes first, then by declared type and name."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import unquote, urlsplit

from retrieval.charset import guess
from retrieval.document import Document, Page
from retrieval.errors import ConvertError
from retrieval.html import convert_html
from retrieval.language import detect
from retrieval.office import convert_docx
from retrieval.pdf import convert_pdf

HTML_START = re.compile(
    rb"^\s*(?:\xef\xbb\xbf)?\s*(<!--.*?-->\s*)*<(!doctype html|html|head|body|main|article|div|p|h1)\b",
    re.I | re.S,
)
KINDS = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "text/plain": "text",
}
ENDINGS = {
    "html": "html",
    "htm": "html",
    "pdf": "pdf",
    "docx": "docx",
    "md": "markdown",
    "markdown": "markdown",
    "txt": "text",
}
KNOWN = ", ".join(f".{ending}" for ending in ENDINGS)


def kind_of(page: Page) -> str:
    """html, pdf, docx, markdown or text; empty when it is none of them."""
    ending = ENDINGS.get(urlsplit(page.url).path.rsplit(".", 1)[-1].lower(), "")
    declared = KINDS.get(page.content_type.partition(";")[0].strip().lower(), "")
    if page.content[:1024].lstrip().startswith(b"%PDF-"):
        return "pdf"
    if page.content.startswith(b"PK\x03\x04"):
        return "docx" if "docx" in (ending, declared) else ""
    if HTML_START.match(page.content[:2048]):
        return "html"
    if b"\x00" in page.content[:2048] and not page.content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return ""
    return ending if declared in ("", "text") and ending else declared


def convert(page: Page, *, images: bool = True, source_url: bool = False) -> Document:
    """The page as Markdown; raises ConvertError with a sentence when it can't be.

    `images` keeps pictures with their alternative text; `source_url` appends the page's address.
    """
    kind = kind_of(page)
    if kind == "html":
        document = convert_html(page.content, page.url, page.content_type, images=images)
    elif kind == "pdf":
        document = convert_pdf(page.content, page.url)
    elif kind == "docx":
        document = convert_docx(page.content, page.url)
    elif kind in ("markdown", "text"):
        document = _convert_text(page, kind)
    else:
        raise ConvertError(f"{page.url}: is not a kind of file that can be read (known: {KNOWN})")
    if not source_url:
        return document
    return _with_source(document)


def _with_source(document: Document) -> Document:
    return replace(document, markdown=f"{document.markdown.rstrip()}\n\nSource: {document.url}\n")


def _convert_text(page: Page, kind: str) -> Document:
    text = page.content.decode(guess(page.content), errors="replace").removeprefix("\ufeff").replace("\r\n", "\n")
    heading = re.search(r"^# (.+)$", text, flags=re.M) if kind == "markdown" else None
    name = unquote(urlsplit(page.url).path.rsplit("/", 1)[-1])
    title = heading[1].strip() if heading else name
    return Document(url=page.url, title=title, markdown=text.strip() + "\n", language=detect(text))
