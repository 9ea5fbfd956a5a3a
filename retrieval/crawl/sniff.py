"""What a body is, told from its first bytes and its declared type, before the rest of it is read."""

from __future__ import annotations

import re

MOST_TEXT = 10 * 1024 * 1024
MOST_FILE = 50 * 1024 * 1024
HEAD = 1024
"""Bytes that are enough to tell."""
FILES = (b"%PDF-", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"{\\rtf", b"\x1f\x8b")
"""PDF, office files and other archives, old office files, RTF, gzip: allowed to be as large as files are."""
BINARY = (
    (b"\x89PNG", "an image"), (b"\xff\xd8\xff", "an image"), (b"GIF8", "an image"), (b"BM", "an image"),
    (b"\x00\x00\x01\x00", "an image"), (b"OggS", "a sound or a film"), (b"ID3", "a sound"), (b"fLaC", "a sound"),
    (b"\x1aE\xdf\xa3", "a film"), (b"RIFF", "an image, a sound or a film"), (b"wOFF", "a font"), (b"wOF2", "a font"),
    (b"MZ", "a program"), (b"\x7fELF", "a program"), (b"7z\xbc\xaf", "an archive"), (b"Rar!", "an archive"),
)  # fmt: skip
TYPES = {"image": "an image", "audio": "a sound", "video": "a film", "font": "a font"}
MARKUP = re.compile(rb"^\s*(?:\xef\xbb\xbf)?\s*<(?:!doctype|!--|\?xml|[a-z])", re.I)
WIDE = (b"\xff\xfe", b"\xfe\xff")


def refusal(content_type: str, head: bytes) -> str:
    """What makes the body nothing to read, as words ("is an image"); empty when it may be text or a document."""
    if MARKUP.match(head) or head.lstrip().startswith(FILES):
        return "" if not _is_drawing(content_type, head) else "is an image"
    for start, name in BINARY:
        if head.startswith(start) and (len(start) > 2 or b"\x00" in head):
            return f"is {name}"
    if head[4:8] == b"ftyp":
        return "is a film"
    kind = content_type.partition("/")[0].strip().lower()
    if kind in TYPES:
        return f"is {TYPES[kind]}"
    if b"\x00" in head and not head.startswith(WIDE):
        return "is binary and no kind of file that can be read"
    return ""


def _is_drawing(content_type: str, head: bytes) -> bool:
    return "svg" in content_type.lower() and b"<svg" in head[:HEAD].lower() and b"<html" not in head[:HEAD].lower()


def most_bytes(content_type: str, head: bytes) -> int:
    """How large such a body may be after unpacking."""
    declared = content_type.partition(";")[0].strip().lower()
    text = (declared.startswith("text/") and declared != "text/xml") or declared in ("", "application/xhtml+xml")
    file = head.lstrip().startswith(FILES) or b"<urlset" in head or b"<sitemapindex" in head
    return MOST_TEXT if text and not file else MOST_FILE
