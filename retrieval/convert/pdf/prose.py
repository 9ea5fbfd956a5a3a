"""Running text told from other lines: sentences go on from line to line, or the lines fill their width."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from retrieval.convert.pdf.line import Line

FULL_STOP = re.compile(r"[.!?:;…。！？][\"'”’»)\]]*$")


def is_prose(lines: Sequence[Line]) -> bool:
    """Whether lines under each other are running text."""
    if len(lines) < 2:
        return False
    ordered = sorted(lines, key=lambda line: line.bottom)
    length = median(len(line.text) for line in ordered)
    if len(ordered) == 2:
        return length >= 25 and goes_on(*ordered)
    if length < 18:
        return False
    on = sum(goes_on(a, b) for a, b in pairwise(ordered))
    widest = max(line.width for line in ordered)
    full = sum(line.width > 0.8 * widest for line in ordered)
    return on >= 0.35 * (len(ordered) - 1) or (length >= 30 and full >= 0.6 * len(ordered))


def goes_on(a: Line, b: Line) -> bool:
    """Whether a sentence seems to go on from one line to the next."""
    return b.text[:1].islower() and not FULL_STOP.search(a.text)
