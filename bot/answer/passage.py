"""Sentences of a chunk: the candidates of an extractive answer, and the passage that a citation shows."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from retrieval.split.blocks import stretches
from retrieval.text.analyse import words
from retrieval.text.plain import plain

SENTENCE = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+(?=[^a-z])|(?<=[。！？।])")
ONLY_LINKS = re.compile(r"(?:[-*•|\s]*!?\[[^\]]*\]\([^)]*\)[\s.,;|]*)+")
LONGEST = 320
FIGURE = 3.0
"""A shared number counts as this many shared words: who cites a price must see it in the passage."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence, list item or table row. `text` is what a reader gets, `said` the words on the page, a line a block."""

    text: str
    said: str
    block: int
    kind: Literal["sentence", "item", "row"] = "sentence"


def passages(markdown: str) -> list[Passage]:
    """The chunk's sentences, list items and table rows in order; a row is told with its column headings."""
    found: list[Passage] = []
    for block, text in enumerate(stretches(markdown)):
        if text.startswith("|"):
            found += _rows(text, block)
        elif not text.startswith(("```", "~~~", "!")) and not ONLY_LINKS.fullmatch(text):
            found += [_passage(part.strip(), block, kind) for kind, part in _parts(text) if part.strip()]
    return found


def _parts(text: str) -> list[tuple[Literal["sentence", "item"], str]]:
    if re.match(r"\s*([-*]|\d+[.)])\s", text):
        return [("item", re.sub(r"^\s*([-*]|\d+[.)])\s+", "", line)) for line in text.split("\n")]
    return [("sentence", part) for part in SENTENCE.split(text.replace("\n", " "))]


def _passage(text: str, block: int, kind: Literal["sentence", "item"]) -> Passage:
    """A term and its value stand in two blocks of the page, so its words do as well."""
    return Passage(text, plain(re.sub(r"^(\*\*[^*]+\*\*):\s+", r"\1\n", text)).strip(), block, kind)


def cells(line: str) -> list[str]:
    """The cells of a Markdown table's line."""
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def _rows(table: str, block: int) -> list[Passage]:
    lines = table.split("\n")
    head = cells(lines[0])
    found = []
    for line in lines[2:]:
        values = cells(line)
        pairs = [
            f"{name}: {value}" if name else value for name, value in zip(head[1:], values[1:], strict=False) if value
        ]
        lead = f"{values[0]} – " if values and values[0] else ""
        found.append(Passage(lead + ", ".join(pairs), plain(values[0] if values else ""), block, "row"))
    return found


def nearest(markdown: str, reference: str, language: str) -> str:
    """The passage of a chunk that shares most words with a text; what a citation of that text points to."""
    wanted = set(words(plain(re.sub(r"\[\d+\]", " ", reference)), language))
    best = max(passages(markdown), key=lambda passage: _overlap(passage, wanted, language), default=None)
    return best.said[:LONGEST] if best else plain(markdown)[:LONGEST].strip()


def _overlap(passage: Passage, wanted: Collection[str], language: str) -> float:
    own = set(words(plain(passage.text), language))
    shared = sum(FIGURE if word.isdigit() else 1.0 for word in own.intersection(wanted))
    return shared / math.sqrt(len(own) + 4)
