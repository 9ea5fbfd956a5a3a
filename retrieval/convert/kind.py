"""Tells what kind of file a page is: by its bytes first, then by the declared type, then by the ending of its name."""

from __future__ import annotations

import io
import re
import zipfile

from retrieval.convert.office.legacy import OLE_START
from retrieval.convert.office.text import is_text, name_of
from retrieval.document import Page

# Comments and an XML declaration may stand before the first tag. Markdown files may begin with a tag too (`<p align=center>`),
# so of those only a whole page is HTML.
HTML_START = re.compile(
    rb"^\s*(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<(!doctype html|html|head|body|main|article|div|p|h1)\b",
    re.I | re.S,
)
HTML_PAGE_START = re.compile(
    rb"^\s*(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<(!doctype html|html)\b", re.I | re.S
)
OPENXML_TYPE = "application/vnd.openxmlformats-officedocument."
# Only types that say something: application/octet-stream and their like are left to bytes and name.
KIND_BY_TYPE = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
    f"{OPENXML_TYPE}wordprocessingml.document": "docx",
    f"{OPENXML_TYPE}spreadsheetml.sheet": "xlsx",
    f"{OPENXML_TYPE}presentationml.presentation": "pptx",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/msword": "doc",
    "application/rtf": "rtf",
    "text/rtf": "rtf",
    "text/csv": "csv",
    "text/tab-separated-values": "csv",
    "application/epub+zip": "epub",
    "application/zip": "zip",
    "application/x-zip-compressed": "zip",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "text/plain": "text",
}
ENDINGS = {
    "html": "html",
    "htm": "html",
    "xhtml": "html",
    "pdf": "pdf",
    "docx": "docx",
    "doc": "doc",
    "rtf": "rtf",
    "odt": "odt",
    "csv": "csv",
    "tsv": "csv",
    "xlsx": "xlsx",
    "pptx": "pptx",
    "md": "markdown",
    "markdown": "markdown",
    "txt": "text",
    "epub": "epub",
    "zip": "zip",
}
KNOWN_ENDINGS = ", ".join(f".{ending}" for ending in ENDINGS)
ZIPPED_KINDS = ("docx", "xlsx", "pptx", "odt", "epub", "zip")
TEXT_KINDS = ("html", "csv", "markdown", "text")
KIND_BY_FOLDER = {"word/": "docx", "xl/": "xlsx", "ppt/": "pptx"}
"""The folder of a package in which each office program keeps its content."""


def kind_of(page: Page) -> str:
    """The page's kind, one of the values of ENDINGS; empty when it is none of them."""
    ending = ENDINGS.get(name_of(page.url).rpartition(".")[2].lower(), "")
    declared = KIND_BY_TYPE.get(page.content_type.partition(";")[0].strip().lower(), "")
    if sniffed := _kind_by_bytes(page.content, (ending, declared)):
        return sniffed
    if not is_text(page.content):
        return ""
    claimed = ending if declared in ("", "text") and ending else declared  # servers call CSV and Markdown text/plain
    return claimed if claimed in TEXT_KINDS or not page.content.strip() else ""


def _kind_by_bytes(content: bytes, claimed: tuple[str, str]) -> str:
    """The kind that the bytes show, empty for what may be any kind of text; `claimed`: the kinds by name and by server."""
    if content[:1024].lstrip().startswith(b"%PDF-"):
        return "pdf"
    if content.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _kind_of_zip(content, claimed)
    if content.startswith(OLE_START):
        return "doc"
    if content[:64].lstrip().startswith(b"{\\rtf"):
        return "rtf"
    start = HTML_PAGE_START if "markdown" in claimed else HTML_START
    return "html" if start.match(content[:2048]) else ""


def _kind_of_zip(content: bytes, claimed: tuple[str, str]) -> str:
    """The kind of a ZIP file by the files in it; a broken one is what its name or its server says."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            mime = _declared_type(archive) if names[:1] == ["mimetype"] else ""
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError, EOFError):
        names, mime = [], ""
    if mime in KIND_BY_TYPE:
        return KIND_BY_TYPE[mime]
    if mime.startswith("application/vnd.oasis."):
        return ""
    if "[Content_Types].xml" in names:
        kinds = (kind for folder, kind in KIND_BY_FOLDER.items() if any(name.startswith(folder) for name in names))
        if kind := next(kinds, ""):
            return kind
    if "META-INF/container.xml" in names:
        return "epub"
    if names and "mimetype" in names and "content.xml" in names:
        return "odt"
    return next((kind for kind in claimed if kind in ZIPPED_KINDS), "zip" if names else "")


def _declared_type(archive: zipfile.ZipFile) -> str:
    """The type that an ODT or EPUB says of itself; only the start is unpacked, since no size has been checked yet."""
    with archive.open("mimetype") as file:
        return file.read(100).decode("latin-1").strip()
