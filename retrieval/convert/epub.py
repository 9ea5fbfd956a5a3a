"""Reads e-books (EPUB): their chapters in reading order, each converted like a page of a website."""

from __future__ import annotations

import re
from urllib.parse import unquote

from retrieval.convert.html.page import convert_html
from retrieval.convert.office.package import Package, opened, path_beside
from retrieval.convert.office.text import name_of
from retrieval.convert.office.writing import BlockWriter, one_line
from retrieval.convert.office.xml import all_text, child, children, parse_xml
from retrieval.document import Document
from retrieval.errors import ConvertError
from retrieval.text.language import detect

CHAPTER_TYPES = ("application/xhtml+xml", "text/html", "application/xml")
LINK_WITHIN_BOOK = re.compile(r"\[([^\]]*)\]\((?!https?:|mailto:|tel:)[^)]*\)")
"""A link from chapter to chapter, which leads nowhere outside of the book."""
FONT_SCRAMBLING = (b"http://www.idpf.org/2008/embedding", b"http://ns.adobe.com/pdf/enc#RC")
"""The algorithms that scramble only fonts, as books do that are free to read."""


def convert_epub(body: bytes, url: str) -> Document:
    """The book as one document; raises ConvertError for a file that isn't one, or that its seller locked."""
    with opened(body, url, "an EPUB book") as package:
        name = _package_file(package, url)
        book = parse_xml(package.read(name), url)
        if _is_locked(package):
            raise ConvertError("is locked by its seller (DRM) and can't be read; ask them for a free copy", about=url)
        blocks = BlockWriter()
        for chapter in _chapters(package, name, url):
            text = convert_html(package.read(chapter), "book:", CHAPTER_TYPES[0], images=False).markdown
            blocks.raw(LINK_WITHIN_BOOK.sub(r"\1", text))
        title = child(book, "metadata", "title")
    markdown = blocks.markdown()
    declared = one_line(all_text(title)) if title is not None else ""
    return Document(url=url, title=declared or name_of(url), markdown=markdown, language=detect(markdown))


def _package_file(package: Package, url: str) -> str:
    """The name of the file that lists the book's parts, as META-INF/container.xml says."""
    if "META-INF/container.xml" in package:
        container = parse_xml(package.read("META-INF/container.xml"), url)
        for item in children(child(container, "rootfiles"), "rootfile"):
            if (name := item.get("full-path") or "") in package:
                return name
    raise ConvertError("can't be read as an EPUB book; export it anew and add it again", about=url)


def _is_locked(package: Package) -> bool:
    """Whether anything but fonts is encrypted."""
    if "META-INF/encryption.xml" not in package:
        return False
    text = package.read("META-INF/encryption.xml")
    return text.count(b"<EncryptedData") + text.count(b":EncryptedData ") > sum(
        text.count(kind) for kind in FONT_SCRAMBLING
    )


def _chapters(package: Package, name: str, url: str) -> list[str]:
    """The names of the chapters' files in the order of the spine; the book's own list of contents is left out."""
    book = parse_xml(package.read(name), url)
    items = {item.get("id"): item for item in children(child(book, "manifest"), "item")}
    names = []
    order = [items.get(reference.get("idref")) for reference in children(child(book, "spine"), "itemref")]
    for item in order or items.values():  # a book without a spine has its list of files
        if (
            item is None
            or item.get("media-type") not in CHAPTER_TYPES
            or "nav" in (item.get("properties") or "").split()
        ):
            continue
        chapter = path_beside(name, unquote(item.get("href") or ""))
        if chapter in package:
            names.append(chapter)
    return names
