"""What a body is, told from its first bytes and its declared type, before the rest of it is read."""

from __future__ import annotations

import re

MOST_TEXT_BYTES = 10 * 1024 * 1024
"""Of a page of text after unpacking. Chosen by hand."""
MOST_FILE_BYTES = 50 * 1024 * 1024
"""Of a document or sitemap, as the sitemaps protocol has it for itself."""
HEAD_BYTES = 1024
"""Bytes that are enough to tell."""
FILE_SIGNATURES = (b"%PDF-", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"{\\rtf", b"\x1f\x8b")
"""PDF, office files and other archives, old office files, RTF, gzip: allowed to be as large as files are."""
BINARY_SIGNATURES = (
    (b"\x89PNG", "an image"), (b"\xff\xd8\xff", "an image"), (b"GIF8", "an image"), (b"BM", "an image"),
    (b"\x00\x00\x01\x00", "an image"), (b"OggS", "a sound or a film"), (b"ID3", "a sound"), (b"fLaC", "a sound"),
    (b"\x1aE\xdf\xa3", "a film"), (b"RIFF", "an image, a sound or a film"), (b"wOFF", "a font"), (b"wOF2", "a font"),
    (b"MZ", "a program"), (b"\x7fELF", "a program"), (b"7z\xbc\xaf", "an archive"), (b"Rar!", "an archive"),
)  # fmt: skip
"""First bytes of what holds nothing to read, and what to call it."""
UNREADABLE_TYPES = {"image": "an image", "audio": "a sound", "video": "a film", "font": "a font"}
MARKUP_START = re.compile(rb"^\s*(?:\xef\xbb\xbf)?\s*<(?:!doctype|!--|\?xml|[a-z])", re.I)
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
"""A text in UTF-16 holds zero bytes, and is text all the same."""


def refusal(content_type: str, head: bytes) -> str:
    """What makes the body nothing to read, as words ("is an image"); empty when it may be text or a document."""
    if MARKUP_START.match(head) or head.lstrip().startswith(FILE_SIGNATURES):
        return "" if not _is_drawing(content_type, head) else "is an image"
    for start, name in BINARY_SIGNATURES:
        if head.startswith(start) and (len(start) > 2 or b"\x00" in head):
            return f"is {name}"
    if head[4:8] == b"ftyp":
        return "is a film"
    kind = content_type.partition("/")[0].strip().lower()
    if kind in UNREADABLE_TYPES:
        return f"is {UNREADABLE_TYPES[kind]}"
    if b"\x00" in head and not head.startswith(UTF16_MARKS):
        return "is binary and no kind of file that can be read"
    return ""


def _is_drawing(content_type: str, head: bytes) -> bool:
    return (
        "svg" in content_type.lower()
        and b"<svg" in head[:HEAD_BYTES].lower()
        and b"<html" not in head[:HEAD_BYTES].lower()
    )


def most_bytes(content_type: str, head: bytes) -> int:
    """How large such a body may be after unpacking."""
    declared = content_type.partition(";")[0].strip().lower()
    text = (declared.startswith("text/") and declared != "text/xml") or declared in ("", "application/xhtml+xml")
    file = head.lstrip().startswith(FILE_SIGNATURES) or b"<urlset" in head or b"<sitemapindex" in head
    return MOST_TEXT_BYTES if text and not file else MOST_FILE_BYTES
