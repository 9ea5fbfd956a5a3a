"""Reads the text of pages that only scripts show, from the JSON that the page gives its scripts (`__NEXT_DATA__` and others).

Which of its strings are text can only be guessed: those that read like sentences, those that are HTML, and those under a key
that names a heading. Configuration, addresses and the labels of buttons stay out by that. Cases: test_island.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html import escape, unescape
from typing import Any

from retrieval.document import Page

SCRIPT_TAG = re.compile(r"<script\b([^<>]{0,500})>", re.I)
ISLAND_ATTRIBUTES = re.compile(
    r"__NEXT_DATA__|__NUXT_DATA__|application/json|data-state|__APOLLO_STATE__|initial-state", re.I
)
# Data that a script assigns to a variable instead: window.__INITIAL_STATE__ = {…};
ASSIGNED_STATE = re.compile(r"\s*window\.__(?:NUXT|INITIAL_STATE|PRELOADED_STATE|APOLLO_STATE|DATA)__\s*=\s*(?=\{)")
HEADING_KEYS = {"title", "heading", "headline", "name", "question", "subtitle", "label"}
KEYS_WITHOUT_TEXT = {
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
HTML_IN_STRING = re.compile(r"<(?:p|h[1-6]|ul|ol|li|div|br|strong|table)\b", re.I)
LEAST_SENTENCE_WORDS = 4
"""Words from which a string without markup is taken for text; fewer are labels. Chosen by hand."""
MOST_STRINGS = 5000
MOST_DATA_DEPTH = 40


def from_islands(page: Page) -> Page | None:
    """The page with the text of its scripts' data as its HTML; None where these hold no text."""
    text = page.content.decode("utf-8", errors="replace")
    elements = [element for data in _data_of_scripts(text) for element in _elements_of(data)]
    unique = list(dict.fromkeys(elements))[:MOST_STRINGS]
    if not unique:
        return None
    title = re.search(r"<title[^>]*>(.*?)</title", text, re.S | re.I)
    head = f"<head><meta charset=utf-8><title>{escape(unescape(title[1])) if title else ''}</title></head>"
    html = f"<!doctype html><html>{head}<body><main>{''.join(unique)}</main></body></html>"
    content = html.encode("utf-8", "replace")  # data may hold halves of letters
    return replace(page, content=content, content_type="text/html; charset=utf-8")


def _data_of_scripts(text: str) -> Iterator[Any]:
    """The parsed data of a page's scripts; schema.org's is read elsewhere, broken data is left out."""
    lower, end = text.lower(), 0
    for opened in SCRIPT_TAG.finditer(text):
        if opened.start() < end:
            continue
        end = lower.find("</script", opened.end())
        if end < 0:
            return
        body = text[opened.end() : end]
        if assigned := ASSIGNED_STATE.match(body):
            body = body[assigned.end() :].rstrip().rstrip(";")
        elif not ISLAND_ATTRIBUTES.search(opened[1]) or "ld+json" in opened[1].lower():
            continue
        try:
            yield json.loads(body)
        except (ValueError, RecursionError):
            continue


def _elements_of(data: Any, key: str = "", depth: int = 0) -> Iterator[str]:
    """HTML elements for those strings that are text, in the data's order; `key`: the name that the data stand under."""
    if depth > MOST_DATA_DEPTH:
        return
    if isinstance(data, dict):
        for name, value in data.items():
            yield from _elements_of(value, str(name).lower(), depth + 1)
    elif isinstance(data, list):
        for value in data:
            yield from _elements_of(value, key, depth + 1)
    elif isinstance(data, str) and (element := _element(data.strip(), key)):
        yield element


def _element(text: str, key: str) -> str:
    """The HTML element for one string; empty if it isn't text."""
    if not text or key in KEYS_WITHOUT_TEXT or text.startswith(("http://", "https://", "/", "{", "[")):
        return ""
    if HTML_IN_STRING.search(text):
        return f"<div>{text}</div>"
    if key in HEADING_KEYS and len(text) <= 150 and " " in text:
        return f"<h2>{escape(text)}</h2>"
    if len(text.split()) >= LEAST_SENTENCE_WORDS and re.search(r"[a-z]{2}|[^\x00-\x7f]", text):
        return f"<p>{escape(text)}</p>"
    return ""
