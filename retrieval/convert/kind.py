"""What a page is: by its bytes first, then by the declared type, then by its name."""

from __future__ import annotations

import io
import re
import zipfile

from retrieval.convert.office.legacy import MAGIC
from retrieval.convert.office.text import is_text, name_of
from retrieval.document import Page

HTML_START = re.compile(
    rb"^\s*(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<(!doctype html|html|head|body|main|article|div|p|h1)\b",
    re.I | re.S,
)
WHOLE_PAGE = re.compile(
    rb"^\s*(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<(!doctype html|html)\b", re.I | re.S
)
OFFICE = "application/vnd.openxmlformats-officedocument."
KINDS = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
    f"{OFFICE}wordprocessingml.document": "docx",
    f"{OFFICE}spreadsheetml.sheet": "xlsx",
    f"{OFFICE}presentationml.presentation": "pptx",
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
KNOWN = ", ".join(f".{ending}" for ending in ENDINGS)
PACKED = ("docx", "xlsx", "pptx", "odt", "epub", "zip")
TEXTS = ("html", "csv", "markdown", "text")
FOLDERS = {"word/": "docx", "xl/": "xlsx", "ppt/": "pptx"}
"""In which the office programs keep what they pack."""


def kind_of(page: Page) -> str:
    """One of the kinds above; empty when it is none of them."""
    ending = ENDINGS.get(name_of(page.url).rpartition(".")[2].lower(), "")
    declared = KINDS.get(page.content_type.partition(";")[0].strip().lower(), "")
    if sniffed := _sniffed(page.content, (ending, declared)):
        return sniffed
    if not is_text(page.content):
        return ""
    told = ending if declared in ("", "text") and ending else declared
    return told if told in TEXTS or not page.content.strip() else ""


def _sniffed(content: bytes, told: tuple[str, str]) -> str:
    """What the bytes say, `told` what name and server say; empty for what may be any kind of text."""
    if content[:1024].lstrip().startswith(b"%PDF-"):
        return "pdf"
    if content.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _packed(content, told)
    if content.startswith(MAGIC):
        return "doc"
    if content[:64].lstrip().startswith(b"{\\rtf"):
        return "rtf"
    start = WHOLE_PAGE if "markdown" in told else HTML_START
    return "html" if start.match(content[:2048]) else ""


def _packed(content: bytes, told: tuple[str, str]) -> str:
    """Which kind of packed document it is; a broken one is what its name or server says."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            mime = _mimetype(archive) if names[:1] == ["mimetype"] else ""
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError, EOFError):
        names, mime = [], ""
    if mime in KINDS:
        return KINDS[mime]
    if mime.startswith("application/vnd.oasis."):
        return ""
    if "[Content_Types].xml" in names:
        found = next((kind for folder, kind in FOLDERS.items() if any(name.startswith(folder) for name in names)), "")
        if found:
            return found
    if "META-INF/container.xml" in names:
        return "epub"
    if names and "mimetype" in names and "content.xml" in names:
        return "odt"
    return next((kind for kind in told if kind in PACKED), "zip" if names else "")


def _mimetype(archive: zipfile.ZipFile) -> str:
    """What the archive says of itself; only the start is unpacked, since nothing of it has been checked yet."""
    with archive.open("mimetype") as file:
        return file.read(100).decode("latin-1").strip()
