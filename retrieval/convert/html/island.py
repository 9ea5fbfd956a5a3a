"""Data islands: the JSON that a page gives its scripts (`__NEXT_DATA__`, `__NUXT_DATA__` and the like), as a page of text.

Which of its strings are text can only be guessed: what reads like sentences, what is HTML, and what stands under a key
that names a heading. Configuration, addresses and translations of buttons stay out by that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html import escape, unescape
from typing import Any

from retrieval.document import Page

SCRIPT = re.compile(r"<script\b([^<>]{0,500})>", re.I)
ISLAND = re.compile(r"__NEXT_DATA__|__NUXT_DATA__|application/json|data-state|__APOLLO_STATE__|initial-state", re.I)
ASSIGNED = re.compile(r"\s*window\.__(?:NUXT|INITIAL_STATE|PRELOADED_STATE|APOLLO_STATE|DATA)__\s*=\s*(?=\{)")
HEADINGS = {"title", "heading", "headline", "name", "question", "subtitle", "label"}
NOT_TEXT = {
    "classname",
    "class",
    "href",
    "url",
    "src",
    "id",
    "slug",
    "type",
    "key",
    "locale",
    "buildid",
    "page",
    "icon",
    "hash",
}
MARKUP = re.compile(r"<(?:p|h[1-6]|ul|ol|li|div|br|strong|table)\b", re.I)
LEAST_WORDS = 4
MOST_STRINGS = 5000
MOST_DEPTH = 40


def from_islands(page: Page) -> Page | None:
    """The page with the text of its islands as its content; None when they hold none."""
    text = page.content.decode("utf-8", errors="replace")
    parts = [part for data in _read(text) for part in _told(data)]
    unique = list(dict.fromkeys(parts))[:MOST_STRINGS]
    if not unique:
        return None
    title = re.search(r"<title[^>]*>(.*?)</title", text, re.S | re.I)
    head = f"<head><meta charset=utf-8><title>{escape(unescape(title[1])) if title else ''}</title></head>"
    html = f"<!doctype html><html>{head}<body><main>{''.join(unique)}</main></body></html>"
    content = html.encode("utf-8", "replace")  # data may hold halves of letters
    return replace(page, content=content, content_type="text/html; charset=utf-8")


def _read(text: str) -> Iterator[Any]:
    lower, end = text.lower(), 0
    for opened in SCRIPT.finditer(text):
        if opened.start() < end:
            continue
        end = lower.find("</script", opened.end())
        if end < 0:
            return
        body = text[opened.end() : end]
        if assigned := ASSIGNED.match(body):
            body = body[assigned.end() :].rstrip().rstrip(";")
        elif not ISLAND.search(opened[1]) or "ld+json" in opened[1].lower():
            continue
        try:
            yield json.loads(body)
        except (ValueError, RecursionError):
            continue


def _told(data: Any, key: str = "", depth: int = 0) -> Iterator[str]:
    """Elements of HTML for the strings that are text, in the data's order."""
    if depth > MOST_DEPTH:
        return
    if isinstance(data, dict):
        for name, value in data.items():
            yield from _told(value, str(name).lower(), depth + 1)
    elif isinstance(data, list):
        for value in data:
            yield from _told(value, key, depth + 1)
    elif isinstance(data, str) and (element := _element(data.strip(), key)):
        yield element


def _element(text: str, key: str) -> str:
    if not text or key in NOT_TEXT or text.startswith(("http://", "https://", "/", "{", "[")):
        return ""
    if MARKUP.search(text):
        return f"<div>{text}</div>"
    if key in HEADINGS and len(text) <= 150 and " " in text:
        return f"<h2>{escape(text)}</h2>"
    if len(text.split()) >= LEAST_WORDS and re.search(r"[a-z]{2}|[^\x00-\x7f]", text):
        return f"<p>{escape(text)}</p>"
    return ""
