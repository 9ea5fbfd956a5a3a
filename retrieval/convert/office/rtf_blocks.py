"""Puts the text of an RTF file into blocks: paragraphs, headings, items, tables, and what stands beside them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from retrieval.convert.office.rtf_table import RtfTable
from retrieval.convert.office.writing import BlockWriter, one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class ParagraphFormat:
    """What a paragraph is: `level` of a heading, 0 for others; whether it stands in a cell; how deep it lies in a list."""

    level: int = 0
    in_table: bool = False
    list_depth: int = 0


@dataclass(frozen=True, slots=True)
class _Aside:
    """A text box or note that is being read, and the paragraph around it, which goes on behind it."""

    group: int
    is_note: bool
    text: str
    label: str
    bold: list[bool]


class RtfBlocks:
    """Collects text until a paragraph, a cell or a row ends. `text` and `label` are those of the paragraph so far."""

    def __init__(self) -> None:
        self.text = ""
        self.label = ""
        """What stands before an item of a list."""
        self.table = RtfTable()
        self._writer = BlockWriter()
        self._bold: list[bool] = []  # for each run of the paragraph so far whether it is bold
        self._cell = ""
        self._asides: list[_Aside] = []
        self._notes = 0
        self._after_paragraph: list[str] = []
        """Boxes and notes of the paragraph so far, which are written below it."""
        self._after_table: list[str] = []

    @property
    def in_aside(self) -> bool:
        """Whether a text box or note is being read."""
        return bool(self._asides)

    def put(self, text: str, *, bold: bool) -> None:
        """Add a run of text to the paragraph so far."""
        self.text += text
        self._bold += [bold] * bool(text.strip())

    def begin_aside(self, group: int, *, is_note: bool) -> None:
        """Begin a text box or note: it stands in the middle of a paragraph, but is written below it.

        `group`: how many groups are open in it; it ends where that one ends.
        """
        self._asides.append(_Aside(group, is_note, self.text, self.label, self._bold))
        self.text, self.label, self._bold = "", "", []

    def end_group(self, group: int) -> None:
        """End the text box or note that began with a group, if one did."""
        if self._asides and self._asides[-1].group == group:
            self._end_aside()

    def end_asides(self) -> None:
        """End the text boxes and notes that a file leaves open which was cut off."""
        while self._asides:
            self._end_aside()

    def _end_aside(self) -> None:
        aside, text = self._asides.pop(), self.text
        self.text, self.label, self._bold = aside.text, aside.label, aside.bold
        if aside.is_note:
            self._notes += 1
            self.text += f"[^{self._notes}]"
            text = f"[^{self._notes}]: {one_line(text)}"
        self._after_paragraph.append(text)

    def end_cell(self) -> None:
        """End a cell; a table in a box is read as its text."""
        if self._asides:
            self.text += " "
            return
        self.table.add_cell(one_line(f"{self._cell} {self.text}"))
        self._cell = self.text = self.label = ""
        self._bold.clear()
        self._after_table += self._after_paragraph
        self._after_paragraph = []

    def end_row(self) -> None:
        """End a row of cells."""
        if self._asides:
            self.text += "\n"
        else:
            self.table.end_row()

    def end_paragraph(self, paragraph: ParagraphFormat) -> None:
        """Write the paragraph so far; one of a box or a cell is only added to it."""
        text, label = self.text, one_line(self.label)
        bold = bool(self._bold) and all(self._bold)
        self.label = ""
        if self._asides:
            self.text += "\n"
            return
        self.text = ""
        self._bold.clear()
        if paragraph.in_table:
            self._cell += f" {text}"
            return
        self.end_table()
        self._write(text, label, paragraph, bold=bold)
        after, self._after_paragraph = self._after_paragraph, []
        for aside in after:
            self._writer.paragraph(aside)

    def _write(self, text: str, label: str, paragraph: ParagraphFormat, *, bold: bool) -> None:
        """Write a paragraph as what its level, its label or its bold type make of it."""
        line = one_line(text)
        if paragraph.level:
            self._writer.heading(paragraph.level, f"{label} {text}" if re.match(r"[\dA-Za-z]", label) else text)
        elif label:
            number = label if re.match(r"\(?\w{1,4}[.)]", label) and label != "o" else ""
            self._writer.item(text, paragraph.list_depth, number)
        elif match := re.match(r"[•·▪◦]\s*", line):
            self._writer.item(line[match.end() :])
        elif bold and len(line) <= 80 and not line.endswith((".", ",", ":", ";")):
            self._writer.heading(2, text)
        else:
            self._writer.paragraph(text)

    def end_table(self) -> None:
        """Write the table so far, if there is one, and the notes and boxes of its cells."""
        if rows := self.table.taken():
            self._writer.table(rows)
        self._cell = ""
        after, self._after_table = self._after_table, []
        for aside in after:
            self._writer.paragraph(aside)

    def markdown(self) -> str:
        """All that was written."""
        return self._writer.markdown()
