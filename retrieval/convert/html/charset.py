"""Bytes as text: what a page declares is believed only as far as its bytes bear it out."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from charset_normalizer import from_bytes
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom

LIKELY = ["cp1252", "cp1251", "cp1250", "cp1253", "cp1256", "big5", "gb18030", "shift_jis", "euc_jp", "euc_kr"]
SINGLE_BYTE = re.compile(r"cp12\d\d|iso8859|latin|ascii|koi8|mac")
GRUDGING = 0.001
"""The share of bytes that may be unreadable in a charset that a page declares: one slip isn't a wrong declaration."""


def decode(body: bytes, content_type: str = "") -> str:
    """Bytes as text: byte-order mark, then the header, then the page's own word, then UTF-8, then a guess.

    A declared charset that can't read the bytes is passed over; when none can, what can't be read is replaced. One byte a
    letter can read anything: there bytes that are valid UTF-8 beyond ASCII are believed before the declaration.
    """
    for name in _declared(body, content_type):
        try:
            return body.decode(name).removeprefix("\ufeff")
        except (UnicodeDecodeError, LookupError):
            continue
    for name in dict.fromkeys(_declared(body, content_type)):
        text = body.decode(name, errors="replace")
        if text.count("\ufffd") <= GRUDGING * len(text) + 1:
            return text.removeprefix("\ufeff")
    return body.decode(guess(body), errors="replace").removeprefix("\ufeff")


def _declared(body: bytes, content_type: str) -> Iterator[str]:
    mark, _ = read_bom(body)
    names = (mark, http_content_type_encoding(content_type or None), html_body_declared_encoding(body[:4096]), "utf-8")
    for name in names:
        if name:
            try:
                found = codecs.lookup(name).name
            except LookupError:
                continue
            if SINGLE_BYTE.match(found) and not body.isascii():
                yield "utf-8"
            yield name


def guess(body: bytes) -> str:
    """The charset of bytes that declare none."""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        best = from_bytes(body[:200_000], cp_isolation=LIKELY).best()
        return best.encoding if best else "cp1252"
    return "utf-8"
