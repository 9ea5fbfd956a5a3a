"""Which facts of a page changed: figures, prices, dates, times and addresses, old → new, named by the words before them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache

from retrieval.text.likeness import WORD_OR_LETTER

MOST_CHANGES = 20
"""Facts that a report names of one page; the rest is counted. Chosen by hand."""
MOST_COMPARED_LINES = 300
"""Lines without a twin that are compared with each other; a page that is wholly new isn't told fact by fact."""
LEAST_LINE_LIKENESS = 0.5
"""Of the words of two lines, from which one is the other's new version. Chosen by hand."""
NAMING_WORDS = 5
"""Words before a figure that name it. Chosen by hand."""
FACT = re.compile(
    r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+"
    r"|(?:[€£$¥]\s?|\b(?:EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|CZK)\s)?\+?\d+(?:[.,:/'–-]?\d+)*(?:,-|\.-)?"
    r"(?:\s?(?:%|[€£$¥]|°C?|(?:EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|CZK|a\.?m|p\.?m|Uhr|h|min|kg|g|km|m|cm|mm|l|ml|kWh|W|V)\b))?"
)
LINE_MARKUP = re.compile(r"!?\[([^\[\]]{0,500})\]\([^()]{0,2000}\)|[*_`#>]+|^\s*(?:[-+]|\d+[.)])\s+")
TABLE_RULE = re.compile(r"^\s*\|(?:\s*:?-+:?\s*\|)+\s*$")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the text; a row of a table knows its header's cells."""

    text: str
    header: tuple[str, ...] = ()

    @property
    def shape(self) -> str:
        """The line with its facts taken out: lines of one shape say the same with other figures."""
        return FACT.sub("#", self.text.lower())

    def facts(self) -> list[tuple[str, str]]:
        """Each fact with the words that name it."""
        found, end = [], 0
        for match in FACT.finditer(self.text):
            found.append((self._name(end, match.start()), match[0].strip()))
            end = match.end()
        return found

    def _name(self, since: int, at: int) -> str:
        if not self.text.startswith("|"):
            return " ".join(self.text[since:at].split()[-NAMING_WORDS:]) or " ".join(self.text[:at].split()[:3])
        cells = [cell.strip() for cell in self.text.strip("|").split("|")]
        column = self.text[:at].count("|") - 1
        parts = (cells[0] if column else "", self.header[column] if column < len(self.header) else "")
        return ", ".join(part for part in parts if part)


def lines_of(markdown: str) -> list[Line]:
    """The lines that say something, without markup."""
    found: list[Line] = []
    header: tuple[str, ...] = ()
    for raw in markdown.splitlines():
        if TABLE_RULE.match(raw):
            header = tuple(cell.strip() for cell in found.pop().text.strip("|").split("|")) if found else ()
            continue
        text = LINE_MARKUP.sub(lambda match: match[1] or "", raw).strip()
        header = header if text.startswith("|") else ()
        if text:
            found.append(Line(text, header))
    return found


def changed_facts(before: str, after: str) -> str:
    """`Delivery costs 4.90 → 5.90; new: Sunday 10:00`; empty when no fact changed."""
    old, new = lines_of(before), lines_of(after)
    same = Counter(line.text for line in old) & Counter(line.text for line in new)
    old, new = _without(old, same.copy()), _without(new, same.copy())
    pairs, gone, come = _paired(old, new)
    told = [text for one, other in pairs for text in _differences(one, other, before, after)]
    told += _alone("gone", gone, after)
    told += _alone("new", come, before)
    more = f"; and {len(told) - MOST_CHANGES} more" if len(told) > MOST_CHANGES else ""
    return "; ".join(told[:MOST_CHANGES]) + more


def _without(lines: list[Line], common: Counter[str]) -> list[Line]:
    kept = []
    for line in lines:
        if common[line.text]:
            common[line.text] -= 1
        else:
            kept.append(line)
    return kept


def _paired(old: list[Line], new: list[Line]) -> tuple[list[tuple[Line, Line]], list[Line], list[Line]]:
    """Lines that say the same with other facts: of one shape first, then those with most words in common."""
    by_shape: defaultdict[str, list[Line]] = defaultdict(list)
    for line in old:
        by_shape[line.shape].append(line)
    pairs: list[tuple[Line, Line]] = []
    rest = []
    for line in new:
        if waiting := by_shape[line.shape]:
            pairs.append((waiting.pop(0), line))
        else:
            rest.append(line)
    left = [line for lines in by_shape.values() for line in lines]
    if max(len(left), len(rest)) > MOST_COMPARED_LINES:
        return pairs, left, rest
    come = []
    words = {line.text: frozenset(WORD_OR_LETTER.findall(line.shape)) for line in (*left, *rest)}
    for line in rest:
        best = max(left, key=lambda other: _alike(words[line.text], words[other.text]), default=None)
        if best is None or _alike(words[line.text], words[best.text]) < LEAST_LINE_LIKENESS:
            come.append(line)
        else:
            left.remove(best)
            pairs.append((best, line))
    return pairs, left, come


def _alike(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / max(len(first | second), 1)


def _differences(one: Line, other: Line, before: str, after: str) -> list[str]:
    old, new = one.facts(), other.facts()
    if len(old) == len(new):
        return [f"{name} {was} → {now}".strip() for (_, was), (name, now) in zip(old, new, strict=True) if was != now]
    gone = [value for _, value in old if value not in _facts_of(after)]
    come = [value for _, value in new if value not in _facts_of(before)]
    if not gone and not come:
        return []
    name = next((name for name, value in new or old if value in come or value in gone), "")
    return [f"{name} {', '.join(gone) or '(none)'} → {', '.join(come) or '(none)'}".strip()]


@lru_cache(maxsize=4)
def _facts_of(text: str) -> frozenset[str]:
    return frozenset(match[0].strip() for match in FACT.finditer(text))


def _alone(label: str, lines: list[Line], elsewhere: str) -> list[str]:
    """Facts of lines that only one version has, but for those that only moved to another line."""
    facts = [(name, value) for line in lines for name, value in line.facts() if value not in _facts_of(elsewhere)]
    return [f"{label}: {f'{name} {value}'.strip()}" for name, value in facts]
