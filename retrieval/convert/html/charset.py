"""Bytes as text: the charset that a page declares is used only if its bytes can be read in it."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from charset_normalizer import from_bytes
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom

# What the pages of businesses without a declaration are written in; the detector is right far more often among few.
LIKELY_CHARSETS = ["cp1252", "cp1251", "cp1250", "cp1253", "cp1256", "big5", "gb18030", "shift_jis", "euc_jp", "euc_kr"]
SINGLE_BYTE_CHARSET = re.compile(r"cp12\d\d|iso8859|latin|ascii|koi8|mac")
MOST_UNREADABLE_SHARE = 0.001
"""The share of characters that may be unreadable in the declared charset: one slip isn't a wrong declaration."""


def decode(body: bytes, content_type: str = "") -> str:
    """The page as text; tries the byte-order mark, the HTTP header, the page's own declaration, UTF-8, and then guesses.

    A declared charset that can't read the bytes is passed over; when none can, what is unreadable becomes U+FFFD. Charsets
    of one byte a letter can read anything, so where one is declared, bytes that are valid UTF-8 are read as that
    (test_bytes_are_read_in_their_charset). `content_type`: the header of that name.
    """
    for name in _declared(body, content_type):
        try:
            return body.decode(name).removeprefix("\ufeff")
        except (UnicodeDecodeError, LookupError):
            continue
    for name in dict.fromkeys(_declared(body, content_type)):
        text = body.decode(name, errors="replace")
        if text.count("\ufffd") <= MOST_UNREADABLE_SHARE * len(text) + 1:
            return text.removeprefix("\ufeff")
    return body.decode(guess(body), errors="replace").removeprefix("\ufeff")


def _declared(body: bytes, content_type: str) -> Iterator[str]:
    """The charsets to try, in order; those that Python doesn't know are left out."""
    mark, _ = read_bom(body)
    names = (mark, http_content_type_encoding(content_type or None), html_body_declared_encoding(body[:4096]), "utf-8")
    for name in names:
        if name:
            try:
                python_name = codecs.lookup(name).name
            except LookupError:
                continue
            if SINGLE_BYTE_CHARSET.match(python_name) and not body.isascii():
                yield "utf-8"
            yield name


def guess(body: bytes) -> str:
    """The likeliest charset of bytes that declare none; only the first 200,000 are looked at."""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        best = from_bytes(body[:200_000], cp_isolation=LIKELY_CHARSETS).best()
        return best.encoding if best else "cp1252"
    return "utf-8"
