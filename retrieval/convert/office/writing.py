"""Writes headings, paragraphs, lists and tables as Markdown, whatever format they come from."""

from __future__ import annotations

import re
from collections.abc import Sequence

from retrieval.convert.office.tables import has_head, markdown_table

MOST_LIST_DEPTH = 9
"""Levels of a list, as many as the office programs have; a file may claim billions, and would be all spaces."""


class BlockWriter:
    """Takes blocks one after the other; one empty line is put between them, none between the items of a list."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._list = ""  # "number" or "bullet" while a list is being written, else empty

    @property
    def length(self) -> int:
        """The offset at which the next block will begin."""
        return self._length + 2 if self._parts else 0

    def heading(self, level: int, text: str) -> None:
        """Add a heading of level 1 to 6; other levels are the nearest of these."""
        if line := one_line(text):
            self._put(f"{'#' * max(1, min(level, 6))} {line}")

    def paragraph(self, text: str) -> None:
        """Add running text; its own line breaks are kept."""
        lines = [one_line(line) for line in text.split("\n")]
        joined = "\n".join(line for line in lines if line)
        if joined:
            self._put("\\" + joined if re.match(r"#{1,6}\s|\|", joined) else joined)

    def item(self, text: str, depth: int = 0, label: str = "") -> None:
        """Add an item of a list; `label`: its number (`1.`, `b)`), empty for a bullet; `depth`: from 0."""
        line = one_line(text)
        if not line:
            return
        number = re.fullmatch(r"(\d+)[.)]", label)
        mark = f"{number[1]}. " if number else f"- {label} " if label else "- "
        kind = "number" if number else "bullet"
        item = "   " * min(depth, MOST_LIST_DEPTH) + mark + line
        if self._list and (depth or self._list == kind):
            self._write("\n" + item)
        else:
            self._put(item)
        self._list = self._list if depth and self._list else kind

    def table(self, rows: Sequence[Sequence[str]], *, head: bool | None = None) -> None:
        """Add a table; `head`: its first row is a header, None: find out. Rows of one cell above it are titles in bold."""
        rows = list(rows)
        while len(rows) > 2 and _is_caption(rows[0]) and len(rows[1]) > 1 and all(rows[1][:2]):
            self.paragraph(f"**{one_line(rows.pop(0)[0])}**")
        if text := markdown_table(rows, head=has_head(rows) if head is None else head):
            self._put(text)

    def raw(self, markdown: str) -> None:
        """Add Markdown as it is."""
        if markdown.strip():
            self._put(markdown.strip())

    def _put(self, block: str) -> None:
        self._write(f"\n\n{block}" if self._parts else block)
        self._list = ""

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def markdown(self) -> str:
        """All that was added, with a line break at the end; empty for nothing."""
        return "".join(self._parts) + "\n" if self._parts else ""


def _is_caption(row: Sequence[str]) -> bool:
    """Whether a row holds nothing but its first cell."""
    return len(row) > 1 and bool(row[0]) and not any(row[1:])


def one_line(text: str) -> str:
    """The text without line breaks and soft hyphens, and with single spaces."""
    return " ".join(text.replace("\u00ad", "").split())


def linked(text: str, link: str) -> str:
    """The text as a Markdown link; as it is where the address leads nowhere outside, or is the text itself."""
    if not link.startswith(("http://", "https://", "mailto:", "tel:")):
        return text
    bare = re.sub(r"^(https?://|mailto:|tel:)|/$", "", link)
    shown = re.sub(r"^https?://|/$", "", text.strip("()[]").rstrip(".,;"))
    if bare == shown or not text.strip():
        return text
    address = link.replace("(", "%28").replace(")", "%29").replace(" ", "%20")
    label = text.strip()
    before, _, after = text.partition(label)
    return f"{before}[{label}]({address}){after}"
