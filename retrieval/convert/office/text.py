"""Reads plain text and Markdown in any encoding."""

from __future__ import annotations

import codecs
import re
from urllib.parse import unquote, urlsplit

from charset_normalizer import from_bytes

from retrieval.document import Document
from retrieval.text.language import detect

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What businesses' files are in; among few the detector is right far more often (test_a_text_is_read_in_any_encoding).
LIKELY_ENCODINGS = (
    "cp1252 cp1250 cp1251 cp1253 cp1254 cp1255 cp1256 cp1257 koi8_r mac_roman shift_jis euc_jp euc_kr big5 gb18030 cp850"
).split()
SAMPLE_BYTES = 64 * 1024
"""Bytes that the detector looks at; more doesn't make it surer, only slower. Chosen by hand."""


def decoded(body: bytes) -> str:
    """Bytes as text with `\\n` for line ends; tries the byte-order mark, UTF-16 by its zeros, UTF-8, and then guesses."""
    for mark, charset in BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return _with_line_breaks(body[len(mark) :].decode(charset, "replace"))
    if charset := _utf16_without_mark(body):
        return _with_line_breaks(body.decode(charset, "replace"))
    try:
        return _with_line_breaks(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        if error.start >= len(body) - 3 and error.start > 16:  # cut within its last letter
            return _with_line_breaks(body.decode("utf-8", "ignore"))
    return _with_line_breaks(body.decode(_likeliest_encoding(body), "replace"))


def _utf16_without_mark(body: bytes) -> str:
    """The byte order of UTF-16 without a mark, where every other byte is mostly zero; empty for what is none."""
    sample = body[:2000]
    if len(sample) < 4 or len(body) % 2:
        return ""
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if odd > 0.6 * len(sample) / 2 and even < 0.1 * len(sample) / 2:
        return "utf-16-le"
    return "utf-16-be" if even > 0.6 * len(sample) / 2 and odd < 0.1 * len(sample) / 2 else ""


def is_text(body: bytes) -> bool:
    """Whether bytes can be text: they have no zeros, or are in an encoding that has some."""
    sample = body[:4096]
    return (
        b"\x00" not in sample
        or any(body.startswith(mark) for mark, _ in BYTE_ORDER_MARKS)
        or bool(_utf16_without_mark(body))
    )


def _likeliest_encoding(body: bytes) -> str:
    """The encoding that the detector takes for the likeliest; cp1252 where there is too little to tell."""
    sample = body[:SAMPLE_BYTES]
    # only lines with foreign letters tell anything; a price list of a megabyte may have one
    foreign = [line for line in sample.split(b"\n") if any(byte > 127 for byte in line)]
    best = from_bytes(b"\n".join(foreign) or sample, cp_isolation=LIKELY_ENCODINGS).best()
    if best is None:
        return "cp1252"
    high = sum(byte > 127 for byte in sample)
    latin = best.encoding in ("cp1250", "cp1257", "cp1254", "mac_roman", "cp850")
    return "cp1252" if latin and high < 12 and _fits_western(sample) else best.encoding


def _fits_western(sample: bytes) -> bool:
    """Whether the letters beyond ASCII are those of western languages when read as cp1252."""
    text = sample.decode("cp1252", "replace")
    high = [letter for letter in text if ord(letter) > 127]
    return sum(letter in "äöüßÄÖÜéèêëàâáçñíóúùûîïôœæåøÅØÆÉ€£–—‘’“”„…°§«»" for letter in high) > 0.8 * len(high)


def _with_line_breaks(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")


def convert_text(body: bytes, url: str, *, markdown: bool) -> Document:
    """The text as it is, as a document; with `markdown` its title is its first heading."""
    text = decoded(body)
    heading = re.search(r"^# (.+)$", text, flags=re.M) if markdown else None
    return Document(
        url=url,
        title=heading[1].strip() if heading else name_of(url),
        markdown=text.strip() + "\n" if text.strip() else "",
        language=detect(text),
    )


def name_of(url: str) -> str:
    """The name of the file that an address leads to, also inside of an archive (`a.zip#folder/b.md` is b.md)."""
    parts = urlsplit(url)
    inside = parts.fragment if ".zip#" in url.lower() else ""
    return unquote((inside or parts.path).rstrip("/").rsplit("/", 1)[-1]) or url
