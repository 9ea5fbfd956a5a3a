"""Joins words that are broken at the end of a line, without the hyphen unless it belongs to them (test_hyphen.py)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

HYPHENATED_PREFIXES = frozenset(
    "well self non ex all half high low full two three four five six seven eight nine ten first second third long short "
    "ready hard soft cross mid anti up follow check drop part four-wheel state one open all-in".split()
)
"""First parts of words that are mostly written with a hyphen: well-known, self-service, four-wheel drive."""
WORDS_AFTER_SUSPENDED_HYPHEN = frozenset("und oder bzw sowie bis and or to y o e u et ou of en og och i ja".split())
"""Words before which a hyphen at the line's end stands for a word that comes later: `two- and three-day tours`."""
MOST_WORD_CHARACTERS = 80
"""Characters at a text's end that are looked at for its last word."""
BROKEN_WORD_END = re.compile(r"([^\W\d_][\w'’-]*)[-\u2010]$")
FIRST_WORD = re.compile(r"[\w'’-]+")


@dataclass(frozen=True, slots=True)
class DocumentSpelling:
    """How the document itself spells words where no line ends inside them: how often it has each, lower case."""

    words: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, lines: Iterable[str]) -> DocumentSpelling:
        """The spelling in lines of text; last words that are broken don't count."""
        words: Counter[str] = Counter()
        for line in lines:
            line_words = [word.strip("-'’").lower() for word in re.findall(r"[\w'’-]+", line)]
            words.update(line_words[:-1] if line.endswith(("-", "\u00ad", "\u2010")) else line_words)
        return cls(words)


def join_lines(lines: Sequence[str], spelling: DocumentSpelling | None = None) -> str:
    """Lines joined to one text."""
    text = ""
    for line in lines:
        text = joined_text(text, line, spelling) if text else line
    return text


def joined_text(text: str, line: str, spelling: DocumentSpelling | None = None) -> str:
    """A text with one more line behind it; `spelling` decides whether a hyphen between them belongs to the word."""
    if text.endswith("\u00ad"):
        return text[:-1] + line
    start = FIRST_WORD.match(line)
    if not text.endswith(("-", "\u2010")) or start is None:
        return f"{text} {line}"
    end = BROKEN_WORD_END.search(text[-MOST_WORD_CHARACTERS:])
    if end is None:
        number = re.search(r"\d[-\u2010]$", text[-2:]) and line[:1].isdigit()
        return text + line if number else f"{text} {line}"
    first, second = end[1].lower(), start[0].strip("-'’").lower()
    if second in WORDS_AFTER_SUSPENDED_HYPHEN:
        return f"{text} {line}"
    if not line[:1].islower() or _is_compound(first, second, spelling or DocumentSpelling()):
        return text + line
    return text[:-1] + line


def _is_compound(first: str, second: str, spelling: DocumentSpelling) -> bool:
    """Whether two parts are written with a hyphen: as the document does elsewhere, else by what the first part is."""
    words = spelling.words
    if words[first + second]:
        return bool(words[f"{first}-{second}"] > words[first + second])
    if words[f"{first}-{second}"] or "-" in first or "-" in second:
        return True
    return first in HYPHENATED_PREFIXES or (len(first) > 3 and len(second) > 3 and bool(words[first] and words[second]))
