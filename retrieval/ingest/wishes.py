"""What a page says about itself besides its text: its wishes for robots, a redirect, a login form, an empty shell.

Read off the source with a few patterns, since a second parse of the page would cost as much as converting it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape

from retrieval.address import joined
from retrieval.convert.html.charset import decode
from retrieval.crawl.robots import AGENT

LONGEST_REFRESH_SECONDS = 5.0
"""Seconds within which a refresh is a redirect; later it is a page that renews itself."""
MOST_HEAD_BYTES = 512 * 1024
"""Of a page that are looked through: wishes stand in its head, a login form not far below. Chosen by hand."""
UNREAD_PART = re.compile(r"<!--|<(script|style|noscript|template|textarea)\b[^<>]{0,2000}>", re.I)
META_TAG = re.compile(r"<meta\b[^<>]{0,2000}>", re.I)
ATTRIBUTE = re.compile(r"""([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
REFRESH_CONTENT = re.compile(r"^\s*([\d.]+)\s*(?:[;,]\s*(?:url\s*=\s*)?['\"]?(.*?)['\"]?\s*)?$", re.I | re.S)
PASSWORD_FIELD = re.compile(r"<input\b[^<>]{0,500}?\btype\s*=\s*[\"']?password\b", re.I)
FRAME_TAG = re.compile(r"<(header|nav|footer|aside|dialog)\b[^<>]{0,2000}>", re.I)
"""Parts whose password field is a way in for members, not a wall."""
APP_SHELL = re.compile(
    r"<(?:div|main|section|body)\b[^<>]{0,500}?\bid\s*=\s*[\"']?(?:root|app|__next|__nuxt|svelte|gatsby|___gatsby|app-root|react-root|"
    r"q-app|main-app|application)\b|<app-root\b|\bng-version\b|\bdata-reactroot\b|\bng-app\b",
    re.I,
)
APP_SCRIPT = re.compile(r"<script\b[^<>]{0,500}?(?:\bsrc\s*=|type\s*=\s*[\"']?module)|<script\b[^<>]{0,500}>[^<]", re.I)
ROBOTS_DIRECTIVES = {"none": {"noindex", "nofollow"}, "noindex": {"noindex"}, "nofollow": {"nofollow"}}


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a page says about itself.

    `noindex`, `nofollow`: its wishes for robots. `refresh`: where it sends its reader at once. `password`: it has a field for
    one. `scripted`: its body is an empty place that a script fills.
    """

    noindex: bool = False
    nofollow: bool = False
    refresh: str = ""
    password: bool = False
    scripted: bool = False


def read_wishes(url: str, body: bytes, header: str) -> Wishes:
    """What an HTML page says about itself; `header` is its X-Robots-Tag, which speaks for any kind of page."""
    text = decode(body[:MOST_HEAD_BYTES])
    plain = _without(UNREAD_PART, text)
    metas = [_attributes(tag) for tag in META_TAG.findall(plain)]
    wishes = _header(header)
    for meta in metas:
        if meta.get("name", "").lower() in ("robots", AGENT.lower()):
            wishes |= _directives(meta.get("content", ""))
    return Wishes(
        noindex="noindex" in wishes,
        nofollow="nofollow" in wishes,
        refresh=next((target for meta in metas if (target := _refresh(url, meta))), ""),
        password=bool(PASSWORD_FIELD.search(plain)) and bool(PASSWORD_FIELD.search(_without(FRAME_TAG, plain))),
        scripted=bool(APP_SHELL.search(plain) or APP_SCRIPT.search(text)),
    )


def _without(parts: re.Pattern[str], text: str) -> str:
    """The source without comments, scripts and the like; in one pass, however they are broken."""
    lower, kept, at = text.lower(), [], 0
    for opened in parts.finditer(text):
        if opened.start() < at:
            continue
        kept.append(text[at : opened.start()])
        close = f"</{opened[1].lower()}" if opened[1] else "-->"
        end = lower.find(close, opened.end())
        if end < 0:
            return "".join(kept)
        at = end + len(close)
    return "".join([*kept, text[at:]])


def header_wishes(header: str) -> Wishes:
    """The wishes of an X-Robots-Tag alone, for what is no HTML."""
    wishes = _header(header)
    return Wishes(noindex="noindex" in wishes, nofollow="nofollow" in wishes)


def _attributes(tag: str) -> dict[str, str]:
    found = ATTRIBUTE.findall(tag)
    return {name.lower(): unescape(double or single or bare) for name, double, single, bare in found}


def _directives(text: str) -> set[str]:
    words = re.split(r"[\s,]+", text.lower())
    return set().union(*(ROBOTS_DIRECTIVES.get(word, set()) for word in words))


def _header(text: str) -> set[str]:
    """`noindex, otherbot: nofollow, frontdeskbot: none`: a name with a colon says whom what follows it is meant for."""
    wishes: set[str] = set()
    meant = True
    for part in text.split(","):
        name, colon, rest = part.strip().partition(":")
        if colon and name.strip().lower() not in (
            "unavailable_after",
            "max-snippet",
            "max-image-preview",
            "max-video-preview",
        ):
            meant = name.strip().lower() == AGENT.lower()
            part = rest
        if meant:
            wishes |= _directives(part)
    return wishes


def _refresh(url: str, meta: dict[str, str]) -> str:
    if meta.get("http-equiv", "").lower() != "refresh" or not (found := REFRESH_CONTENT.match(meta.get("content", ""))):
        return ""
    try:
        soon = float(found[1]) <= LONGEST_REFRESH_SECONDS
    except ValueError:
        return ""
    target = joined(url, found[2]) if soon and found[2] else ""
    return "" if target == url else target  # a page that shows itself anew
