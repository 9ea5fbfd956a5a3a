"""E-books (EPUB): the chapters in the order of the spine, each converted like a page of a website."""

from __future__ import annotations

import re
from urllib.parse import unquote

from retrieval.convert.html.page import convert_html
from retrieval.convert.office.package import Package, beside, opened
from retrieval.convert.office.text import name_of
from retrieval.convert.office.writing import Blocks, one_line
from retrieval.convert.office.xml import all_text, child, children, parse
from retrieval.document import Document
from retrieval.errors import ConvertError
from retrieval.text.language import detect

CHAPTER = ("application/xhtml+xml", "text/html", "application/xml")
WITHIN = re.compile(r"\[([^\]]*)\]\((?!https?:|mailto:|tel:)[^)]*\)")
"""Links from chapter to chapter: they lead nowhere outside of the book."""
FONTS = (b"http://www.idpf.org/2008/embedding", b"http://ns.adobe.com/pdf/enc#RC")
"""What fonts may be scrambled with in a book that is free to read."""


def convert_epub(body: bytes, url: str) -> Document:
    """The whole book; raises ConvertError for a file that isn't one, or is locked by its seller."""
    with opened(body, url, "an EPUB book") as package:
        name = _root_file(package, url)
        book = parse(package.read(name), url)
        if _is_locked(package):
            raise ConvertError(f"{url}: is locked by its seller (DRM) and can't be read; ask them for a free copy")
        blocks = Blocks()
        for chapter in _chapters(package, name, url):
            text = convert_html(package.read(chapter), "book:", CHAPTER[0], images=False).markdown
            blocks.raw(WITHIN.sub(r"\1", text))
        title = child(book, "metadata", "title")
    markdown = blocks.markdown()
    told = one_line(all_text(title)) if title is not None else ""
    return Document(url=url, title=told or name_of(url), markdown=markdown, language=detect(markdown))


def _root_file(package: Package, url: str) -> str:
    if "META-INF/container.xml" in package:
        container = parse(package.read("META-INF/container.xml"), url)
        for item in children(child(container, "rootfiles"), "rootfile"):
            if (name := item.get("full-path") or "") in package:
                return name
    raise ConvertError(f"{url}: can't be read as an EPUB book; export it anew and add it again")


def _is_locked(package: Package) -> bool:
    if "META-INF/encryption.xml" not in package:
        return False
    text = package.read("META-INF/encryption.xml")
    return text.count(b"<EncryptedData") + text.count(b":EncryptedData ") > sum(text.count(kind) for kind in FONTS)


def _chapters(package: Package, name: str, url: str) -> list[str]:
    """The files of the spine, or of a book without one all; a book's own list of contents is left out."""
    book = parse(package.read(name), url)
    items = {item.get("id"): item for item in children(child(book, "manifest"), "item")}
    found = []
    order = [items.get(reference.get("idref")) for reference in children(child(book, "spine"), "itemref")]
    for item in order or items.values():  # a book without a spine has its list of files
        if item is None or item.get("media-type") not in CHAPTER or "nav" in (item.get("properties") or "").split():
            continue
        at = beside(name, unquote(item.get("href") or ""))
        if at in package:
            found.append(at)
    return found
