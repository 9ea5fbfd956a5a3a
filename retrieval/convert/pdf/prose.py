"""Tells running text from other lines: its sentences go on from line to line, or its lines fill their width."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from retrieval.convert.pdf.line import PdfLine

# A colon and a semicolon end a line of text as well as a full stop does: what follows may be anything.
SENTENCE_STOP = re.compile(r"[.!?:;…。！？][\"'”’»)\]]*$")


def is_prose(lines: Sequence[PdfLine]) -> bool:
    """Whether lines that stand under each other are running text. The lengths (characters) and shares were chosen by hand."""
    if len(lines) < 2:
        return False
    ordered = sorted(lines, key=lambda line: line.bottom)
    length = median(len(line.text) for line in ordered)
    if len(ordered) == 2:
        return length >= 25 and sentence_goes_on(*ordered)
    if length < 18:
        return False
    going_on = sum(sentence_goes_on(a, b) for a, b in pairwise(ordered))
    widest = max(line.width for line in ordered)
    full = sum(line.width > 0.8 * widest for line in ordered)
    return going_on >= 0.35 * (len(ordered) - 1) or (length >= 30 and full >= 0.6 * len(ordered))


def sentence_goes_on(a: PdfLine, b: PdfLine) -> bool:
    """Whether a sentence seems to go on from line a to line b: b begins with a small letter, and a ends in no full stop."""
    return b.text[:1].islower() and not SENTENCE_STOP.search(a.text)
