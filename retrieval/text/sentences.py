"""Where a text of any script may be cut: behind sentences, lines, clauses, list items, paragraphs, at spaces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

# Of the second row (Chinese, Devanagari, Arabic, Ethiopic, Armenian, Khmer …) each ends a sentence without white space behind it.
LATIN_ENDS = ".!?…‽"
ENDS_WITHOUT_SPACE = "。！？｡।॥؟۔።፧፨։။៕។༎‼⁇⁈⁉"
SENTENCE_END = re.compile(rf"[{LATIN_ENDS}{ENDS_WITHOUT_SPACE}]+[\"'\u201d\u2019\u00bb)\]\u300d\u300f\uff09*_]*")
"""The marks that end a sentence, with the quotes and brackets that close behind them."""
SHORT_FORMS = frozenset(
    ("dr", "mr", "mrs", "ms", "st", "no", "nr", "prof", "vs", "ca", "bzw", "inkl", "zzgl", "tel", "approx")
)
"""Abbreviations after which a sentence goes on; single letters and small numbers ("z. B.", "3. Mai") count as such too."""
LINE_BREAK = re.compile(r"\n")
CLAUSE_END = re.compile(r"[,;:](?=\s)|[،؛、，；：]+")
SPACE_RUN = re.compile(r"[\s\u200b]+")
PARAGRAPH_BREAK = re.compile(r"\n[ \t]*\n")
ITEM_BREAK = re.compile(r"\n(?= {0,3}(?:[-*+•]|\d{1,9}[.)])\s)")
LETTER_JOINERS = "\u200d\ufe0f\ufe0e"
"""What binds the parts of an emoji: the zero-width joiner and the variation selectors."""

CutPlaces = Callable[[str, int, int], Iterator[int]]
"""A function of (text, start, end): the places between start and end, both excluded, behind which the text may be cut."""


def _behind_matches(pattern: re.Pattern[str]) -> CutPlaces:
    """The function that gives the places behind each match of a pattern."""

    def ends(text: str, start: int, end: int) -> Iterator[int]:
        for found in pattern.finditer(text, start, end):
            if start < found.end() < end:
                yield found.end()

    return ends


def sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    """The places behind each sentence; a point inside a number or an address, or behind an initial, ends none."""
    for found in SENTENCE_END.finditer(text, start, end):
        at = found.end()
        ends_it = at < end and (text[at].isspace() or found[0][0] in ENDS_WITHOUT_SPACE)
        if ends_it and not (found[0] == "." and _sentence_goes_on(text, max(start, at - 6), at)):
            yield at


def _sentence_goes_on(text: str, start: int, at: int) -> bool:
    """Whether the sentence goes on behind a point: the point ends an abbreviation, or a small letter follows."""
    word = text[start : at - 1].rpartition(" ")[2].lstrip("(\"'„“*_\n").lower()
    short = word in SHORT_FORMS or (len(word) == 1 and word.isalpha()) or (len(word) <= 2 and word.isdigit())
    return short or text[at : at + 2].lstrip()[:1].islower()


line_ends = _behind_matches(LINE_BREAK)
clause_ends = _behind_matches(CLAUSE_END)
space_ends = _behind_matches(SPACE_RUN)
paragraph_ends = _behind_matches(PARAGRAPH_BREAK)
item_ends = _behind_matches(ITEM_BREAK)


def is_inside_letter(text: str, at: int) -> bool:
    """Whether a cut at this place would part what a reader sees as one letter: a letter and its accent, an emoji's parts."""
    return 0 < at < len(text) and (
        text[at] in LETTER_JOINERS or text[at - 1] == "\u200d" or unicodedata.category(text[at]).startswith("M")
    )
