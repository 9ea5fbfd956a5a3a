"""Citations: `[n]` in the model's text resolved to the sources it was given, numbered anew in the order of the text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.answer.passage import nearest
from bot.messages import Citation
from retrieval.document import Hit

MARKER = re.compile(r"\s?\[(\d{1,2}(?:\s*[,;]\s*\d{1,2})*)\]")
FILE = re.compile(r"\.(docx?|rtf|odt|csv|tsv|xlsx|epub|txt|md|markdown)$|\.zip#", re.I)
"""Files whose readers need more than a name to find a passage."""
OPEN_END = re.compile(r"\s?(\[[\d\s,;]*)?$")


class Citer:
    """Renumbers markers while the text streams; what may still become a marker is held back until it is decided."""

    def __init__(self, sources: int) -> None:
        self._sources = sources
        self._held = ""
        self.order: list[int] = []
        """The cited sources' own numbers, in the order of the new ones."""

    def feed(self, piece: str) -> str:
        """The text that is ready to be shown."""
        self._held += piece
        end = OPEN_END.search(self._held)
        at = end.start() if end else len(self._held)
        ready, self._held = self._held[:at], self._held[at:]
        return MARKER.sub(self._marker, ready)

    def finish(self) -> str:
        """What was held back at the end."""
        rest, self._held = self._held, ""
        return MARKER.sub(self._marker, rest)

    def _marker(self, match: re.Match[str]) -> str:
        numbers = [int(number) for number in re.findall(r"\d+", match[1])]
        known = [number for number in numbers if 1 <= number <= self._sources]
        for number in known:
            if number not in self.order:
                self.order.append(number)
        return "".join(f" [{self.order.index(number) + 1}]" for number in known)


def named(hit: Hit) -> str:
    """What a citation is called: the document with its page, or the section of a file that has no pages."""
    if hit.page:
        return f"{hit.title}, p. {hit.page}"
    if hit.heading_path and FILE.search(hit.url):
        return f"{hit.title}, {hit.heading_path[-1]}"
    return hit.title


def citations(text: str, order: Sequence[int], hits: Sequence[Hit]) -> tuple[Citation, ...]:
    """What a reader sees for each number in the text: the passage is the one nearest to the sentence that cites it."""
    found = []
    for number, source in enumerate(order, 1):
        hit = hits[source - 1]
        sentence = " ".join(part for part in re.split(r"(?<=\])\s+|\n", text) if f"[{number}]" in part)
        found.append(Citation(number, named(hit), hit.url, nearest(hit.text, sentence, hit.language)))
    return tuple(found)
