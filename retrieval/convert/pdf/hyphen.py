"""Words broken at the end of a line: joined without their hyphen, unless it is one that belongs to them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

PREFIXES = frozenset(
    "well self non ex all half high low full two three four five six seven eight nine ten first second third long short "
    "ready hard soft cross mid anti up follow check drop part four-wheel state one open all-in".split()
)
"""What is mostly written with a hyphen before the word that follows."""
SUSPENDED = frozenset("und oder bzw sowie bis and or to y o e u et ou of en og och i ja".split())
"""After these a hyphen at the line's end stands for a word that comes later: `two- and three-day tours`."""
LONGEST = 80
"""Letters at a text's end that are looked at for its last word."""
END = re.compile(r"([^\W\d_][\w'’-]*)[-\u2010]$")
START = re.compile(r"[\w'’-]+")


@dataclass(frozen=True, slots=True)
class Spelling:
    """How the document itself spells words, where no line ends within them."""

    words: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, lines: Iterable[str]) -> Spelling:
        """Read off lines: their last words, if broken, don't count."""
        words: Counter[str] = Counter()
        for line in lines:
            found = [word.strip("-'’").lower() for word in re.findall(r"[\w'’-]+", line)]
            words.update(found[:-1] if line.endswith(("-", "\u00ad", "\u2010")) else found)
        return cls(words)


def join_lines(lines: Sequence[str], spelling: Spelling | None = None) -> str:
    """Lines as one text."""
    text = ""
    for line in lines:
        text = joined_text(text, line, spelling) if text else line
    return text


def joined_text(text: str, line: str, spelling: Spelling | None = None) -> str:
    """A line put behind a text."""
    if text.endswith("\u00ad"):
        return text[:-1] + line
    start = START.match(line)
    if not text.endswith(("-", "\u2010")) or start is None:
        return f"{text} {line}"
    end = END.search(text[-LONGEST:])
    if end is None:
        number = re.search(r"\d[-\u2010]$", text[-2:]) and line[:1].isdigit()
        return text + line if number else f"{text} {line}"
    first, second = end[1].lower(), start[0].strip("-'’").lower()
    if second in SUSPENDED:
        return f"{text} {line}"
    if not line[:1].islower() or _is_compound(first, second, spelling or Spelling()):
        return text + line
    return text[:-1] + line


def _is_compound(first: str, second: str, spelling: Spelling) -> bool:
    words = spelling.words
    if words[first + second]:
        return bool(words[f"{first}-{second}"] > words[first + second])
    if words[f"{first}-{second}"] or "-" in first or "-" in second:
        return True
    return first in PREFIXES or (len(first) > 3 and len(second) > 3 and bool(words[first] and words[second]))
