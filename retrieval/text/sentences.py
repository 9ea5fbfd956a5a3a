"""Where a text of any script may be cut: behind sentences, at line ends, behind clauses, at spaces, between letters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

LATIN = ".!?…‽"
ANYWHERE = "。！？｡।॥؟۔።፧፨։။៕។༎‼⁇⁈⁉"
SENTENCE = re.compile(rf"[{LATIN}{ANYWHERE}]+[\"'\u201d\u2019\u00bb)\]\u300d\u300f\uff09*_]*")
"""What ends a sentence: Latin marks where white space follows, those of other scripts anywhere."""
SHORT = frozenset(
    ("dr", "mr", "mrs", "ms", "st", "no", "nr", "prof", "vs", "ca", "bzw", "inkl", "zzgl", "tel", "approx")
)
"""Words that end in a point within a sentence, besides single letters and small numbers ("z. B.", "3. Mai")."""
LINE = re.compile(r"\n")
CLAUSE = re.compile(r"[,;:](?=\s)|[،؛、，；：]+")
SPACE = re.compile(r"[\s\u200b]+")
PARAGRAPH = re.compile(r"\n[ \t]*\n")
ITEM = re.compile(r"\n(?= {0,3}(?:[-*+•]|\d{1,9}[.)])\s)")
JOINERS = "\u200d\ufe0f\ufe0e"

Ends = Callable[[str, int, int], Iterator[int]]
"""Where parts of `text[start:end]` end, in order, without `end` itself."""


def _at(pattern: re.Pattern[str]) -> Ends:
    def ends(text: str, start: int, end: int) -> Iterator[int]:
        for found in pattern.finditer(text, start, end):
            if start < found.end() < end:
                yield found.end()

    return ends


def sentences(text: str, start: int, end: int) -> Iterator[int]:
    """Behind each sentence; a point inside a number, an address or behind an initial ends none."""
    for found in SENTENCE.finditer(text, start, end):
        at = found.end()
        ends_it = at < end and (text[at].isspace() or found[0][0] in ANYWHERE)
        if ends_it and not (found[0] == "." and _goes_on(text, max(start, at - 6), at)):
            yield at


def _goes_on(text: str, start: int, at: int) -> bool:
    """Whether the sentence goes on behind a point: it ends a short form, or what follows is a small letter."""
    word = text[start : at - 1].rpartition(" ")[2].lstrip("(\"'„“*_\n").lower()
    short = word in SHORT or (len(word) == 1 and word.isalpha()) or (len(word) <= 2 and word.isdigit())
    return short or text[at : at + 2].lstrip()[:1].islower()


lines, clauses, spaces, paragraphs, items = map(_at, (LINE, CLAUSE, SPACE, PARAGRAPH, ITEM))


def is_inside_letter(text: str, at: int) -> bool:
    """Whether what a reader sees as one letter stands on both sides: a mark on a letter, the parts of an emoji."""
    return 0 < at < len(text) and (
        text[at] in JOINERS or text[at - 1] == "\u200d" or unicodedata.category(text[at]).startswith("M")
    )
