"""Collects the cells of an RTF table, and puts each into all places of the grid that it covers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

MOST_BORDER_GAP = 60
"""Twips (1/20 point) by which the borders of one column may differ from row to row; chosen by hand."""


@dataclass(slots=True)
class RtfRow:
    """The texts of a row's cells; where each ends, in twips; and which goes on with the cell to its left or above."""

    texts: list[str] = field(default_factory=list)
    borders: tuple[int, ...] = ()
    merges: tuple[str, ...] = ()


class RtfTable:
    """Takes the cells of one table in the order of the file; a row's definition may stand before or behind its cells."""

    def __init__(self) -> None:
        self._rows: list[RtfRow] = []
        self._texts: list[str] = []
        self._borders: list[int] = []
        self._merges: list[str] = []
        self._merge = ""

    def define_row(self) -> None:
        """Forget the definition of the row before: a new one follows. Without, a row is like the one above."""
        self._borders, self._merges, self._merge = [], [], ""

    def merge(self, direction: str) -> None:
        """Say that the cell which is defined next goes on with the one to its `left` or `above`."""
        self._merge = direction

    def define_cell(self, right: int) -> None:
        """Say where a cell of the row ends, in twips."""
        self._borders.append(right)
        self._merges.append(self._merge)
        self._merge = ""

    def add_cell(self, text: str) -> None:
        """Add a cell to the row."""
        self._texts.append(text)

    def end_row(self) -> None:
        """End the row."""
        self._rows.append(RtfRow(self._texts, tuple(self._borders), tuple(self._merges)))
        self._texts = []

    def taken(self) -> list[list[str]]:
        """The rows so far, none for no table; they are taken out, and the next cell begins another table."""
        if self._texts:
            self.end_row()
        rows, self._rows = self._rows, []
        if any(len(row.borders) != len(row.texts) for row in rows):
            return [row.texts for row in rows]  # a broken definition, or a table within a cell
        columns = _columns(border for row in rows for border in row.borders)
        if len(columns) > max((len(row.texts) for row in rows), default=0):
            columns = []  # no row has them all: tables that follow each other with nothing in between
        spread: list[list[str]] = []
        for row in rows:
            spread.append(_in_places(row, columns, spread[-1] if spread else []))
        return spread


def _columns(borders: Iterable[int]) -> list[int]:
    """The right borders of the grid's columns, from the left; those that are nearly the same are one."""
    columns: list[int] = []
    for border in sorted(set(borders)):
        if not columns or border - columns[-1] > MOST_BORDER_GAP:
            columns.append(border)
    return columns


def _in_places(row: RtfRow, columns: list[int], above: list[str]) -> list[str]:
    """A row's texts by the grid's columns, or a place a cell if there are none; a cell that is the whole row stands there once."""
    texts: list[str] = []
    for text, border, merge in zip(row.texts, row.borders, row.merges, strict=True):
        end = bisect_right(columns, border)
        if merge == "left" and texts:
            text = texts[-1]
        elif merge == "above" and len(texts) < len(above):
            text = above[len(texts)]
        span = max(1, end - len(texts))
        texts += [text] * span if len(row.texts) > 1 else [text] + [""] * (span - 1)
    return texts
