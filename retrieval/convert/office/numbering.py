"""Reads Word's styles and numbering: what a style makes of a paragraph, and the number that stands before it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from retrieval.convert.office.xml import child, children, value

ROMAN_NUMERALS: tuple[tuple[int, str], ...] = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
)
ROMAN_NUMERALS += ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


@dataclass(frozen=True, slots=True)
class WordStyle:
    """What a style means for its paragraphs; `level`: of a heading, 0 for others; `numbering`: its w:numPr, if any."""

    level: int = 0
    is_title: bool = False
    list_depth: int = -1
    """For a style of lists how deep it lies, from 0; -1 for others."""
    numbering: Element | None = None


class WordStyles:
    """A document's styles by their id, with what each takes from the styles that it is based on."""

    def __init__(self, root: Element | None) -> None:
        self._items = {item.get("styleId") or "": item for item in children(root, "style")}
        self._by_name: dict[str, WordStyle] = {}

    def of(self, name: str) -> WordStyle:
        """The style with an id; one that isn't there means nothing."""
        if name not in self._by_name:
            self._by_name[name] = self._read(name)
        return self._by_name[name]

    def _read(self, name: str) -> WordStyle:
        level, is_title, depth, numbering = 0, False, -1, None
        seen: set[str] = set()  # a broken file may base two styles on each other
        while name and name not in seen and (item := self._items.get(name)) is not None:
            seen.add(name)
            called = value(item, "name").lower()
            heading = re.match(r"heading (\d)", called)
            outline = value(item, "pPr", "outlineLvl")
            if not level and heading:
                level = int(heading[1])
            elif not level and outline.isdigit() and int(outline) < 6:
                level = int(outline) + 1
            is_title = is_title or called == "title"
            if depth < 0 and (in_list := re.match(r"list (?:bullet|number|continue)(?: (\d))?", called)):
                depth = int(in_list[1] or 1) - 1
            numbering = numbering if numbering is not None else child(item, "pPr", "numPr")
            name = value(item, "basedOn")
        return WordStyle(min(level, 6), is_title, depth, numbering)


class ListNumbering:
    """Counts the items of a document's numbered lists while its paragraphs are read in order."""

    def __init__(self, root: Element | None) -> None:
        kinds = {item.get("abstractNumId") or "": item for item in children(root, "abstractNum")}
        self._lists = {
            item.get("numId") or "": (value(item, "abstractNumId"), kinds.get(value(item, "abstractNumId")))
            for item in children(root, "num")
        }
        self._counts: dict[str, dict[int, int]] = {}

    def label(self, properties: Element | None, styled: Element | None) -> tuple[str, int]:
        """(What stands before a paragraph, how deep it lies in its list): `•`, `2.`, `1.3`, `b)`, empty for none.

        `properties`: the paragraph's w:pPr; `styled`: the w:numPr of its style.
        """
        own = child(properties, "numPr")
        number = value(own, "numId") or value(styled, "numId")
        if not number or number == "0" or number not in self._lists:
            return "", 0
        text = value(own, "ilvl") or value(styled, "ilvl")
        depth = min(int(text), 8) if text.isdigit() else 0
        kind, levels = self._lists[number]
        counts = self._counts.setdefault(kind or number, {})
        starts = {int(item.get("ilvl") or 0): item for item in children(levels, "lvl")}
        counts[depth] = counts.get(depth, _first_number(starts.get(depth)) - 1) + 1
        for deeper in [at for at in counts if at > depth]:  # an inner list begins anew under each outer item
            del counts[deeper]
        return self._label(depth, counts, starts), depth

    def _label(self, depth: int, counts: dict[int, int], levels: dict[int, Element]) -> str:
        level = levels.get(depth)
        kind = value(level, "numFmt") or "decimal"
        if level is None or kind in ("bullet", "none"):
            return "•" if kind != "none" else ""

        def shown(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            return _written_number(counts.get(at, _first_number(levels.get(at))), value(levels.get(at), "numFmt"))

        return re.sub(r"%(\d)", shown, value(level, "lvlText") or f"%{depth + 1}.").strip()


def _first_number(level: Element | None) -> int:
    """The number that a level of a list begins with."""
    text = value(level, "start")
    return int(text) if text.isdigit() else 1


def _written_number(number: int, kind: str) -> str:
    """A number as Word's format writes it: as letters (27 is aa), in Roman numerals, or in digits."""
    if kind in ("lowerLetter", "upperLetter"):
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter.upper() if kind == "upperLetter" else letter
    if kind in ("lowerRoman", "upperRoman"):
        text = ""
        for amount, letters in ROMAN_NUMERALS:
            while number >= amount:
                text, number = text + letters, number - amount
        return text.upper() if kind == "upperRoman" else text
    return str(number)
