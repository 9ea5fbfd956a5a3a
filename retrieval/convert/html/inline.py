"""Running text as Markdown: emphasis, code, links, pictures, formulas. Text is never dropped."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from retrieval.convert.html.tree import BLOCKS, HEADINGS, Node

MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*", "del": "~~", "s": "~~", "strike": "~~"}
CODE = frozenset(("code", "kbd", "samp", "tt"))
RAISED = str.maketrans("0123456789+-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ")
LOWERED = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
RAISED_NUMBER = re.compile(r"([^\W\d_]{4}[*.,;:!?”\"')]?)?((?:\ue000\d+\ue001)+)")
"""Raised digits after a word are the signs of notes, which mustn't become a part of it; after a unit they are a power."""
SHIFTABLE = re.compile(r"[0-9+\-=()]{1,6}")
SPACE = re.compile(r"[ \t\r\n\f\u00a0\u200b\ufeff]+")
PICTURE = ("data-src", "data-lazy-src", "data-original", "data-lazy", "src")
ANCHOR_SIGNS = frozenset(("¶", "#", "§", "🔗", "🔗︎", "⚓", "link"))
"""What a heading's link to itself shows."""


class Inline:
    """Writes what stands in a line; `base` makes links absolute."""

    def __init__(self, base: str, *, images: bool = True) -> None:
        self.base = base
        self.images = images

    def line(self, node: Node) -> str:
        """A node's content on one line."""
        return " ".join(self.lines(node.kids).split("\n"))

    def heading(self, node: Node) -> str:
        """A heading's words: emphasis that marks all of it is gone, and so is a sign that only links to itself."""
        text = self.line(node)
        for mark in ("***", "**", "*"):
            if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark) and text.count(mark) == 2:
                text = text[len(mark) : -len(mark)].strip()
        return text

    def lines(self, kids: list[Node | str]) -> str:
        """Text and elements that flow together; a line break in the page is one here, white space is one space."""
        parts: list[str] = []
        for kid in kids:
            if parts and not isinstance(kid, str) and kid.tag == "a" and parts[-1].endswith(")"):
                parts.append(" ")  # two links side by side are two things, whatever the markup saves
            parts.append(self._one(kid))
        text = tidy("".join(parts))
        return RAISED_NUMBER.sub(_raised, text) if "\ue000" in text else text

    def _one(self, kid: Node | str) -> str:
        if isinstance(kid, str):
            return spaced(kid)
        tag = kid.tag
        if tag == "br":
            return "\n"
        if tag == "img":
            return self._image(kid)
        if tag in CODE:
            return _code(kid.text())
        if tag == "math":
            return _formula(kid)
        if tag == "span" and kid.get("class") in ("katex", "MathJax"):
            formula = next((inner for inner in kid.below() if inner.tag == "math"), None)
            if formula is not None:  # what is beside it draws the same once more
                return _formula(formula)
        inner = "".join(self._one(child) for child in kid.kids)
        if tag in MARKS:
            return _marked(inner, MARKS[tag])
        if tag == "a":
            return self._link(kid, inner)
        if tag == "q":
            return f"“{inner.strip()}”"
        if tag in ("sup", "sub"):
            return _shifted(inner, RAISED if tag == "sup" else LOWERED)
        if tag in BLOCKS:
            return f"\n{inner}\n"
        return inner

    def _image(self, node: Node) -> str:
        alt = SPACE.sub(" ", node.get("alt")).strip()
        address = next((value for name in PICTURE if (value := node.get(name).strip())), "")
        address = address or node.get("srcset").strip().partition(" ")[0].rstrip(",")
        if not self.images or not alt or not address or address.startswith("data:"):
            return ""
        return f"![{alt}]({self._absolute(address)})"

    def _link(self, node: Node, text: str) -> str:
        address = node.get("href").strip()
        label = text.strip()
        if "#" in address and label.casefold() in ANCHOR_SIGNS:
            return ""
        if not label or not address or address.startswith(("#", "javascript:")) or "\n" in label:
            return text
        before, after = _around(text)
        return f"{before}[{label}]({self._absolute(address)}){after}"

    def _absolute(self, address: str) -> str:
        if address.startswith(("https://", "http://", "mailto:", "tel:")):
            joined = address
        else:
            try:
                joined = urljoin(self.base, address)
            except ValueError:
                joined = address
        return SPACE.sub("%20", joined).replace(")", "%29").replace("(", "%28")


def spaced(text: str) -> str:
    """The text with every run of white space as one space."""
    words = " ".join(text.replace("\u200b", " ").replace("\ufeff", " ").split())
    if not words:
        return " " if text else ""
    return f"{' ' * text[0].isspace()}{words}{' ' * text[-1].isspace()}"


def tidy(text: str) -> str:
    """Each line with single spaces and none at its ends; empty lines gone."""
    if "\n" not in text:
        return " ".join(text.split())
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def holds_block(node: Node) -> bool:
    """Whether something inside starts a line of its own."""
    return node.tag not in CODE and node.has(BLOCKS)


def is_heading(node: Node) -> bool:
    """A heading by its tag or its role."""
    return node.tag in HEADINGS or node.attrs.get("role") == "heading"


def _around(text: str) -> tuple[str, str]:
    return text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]


def _marked(text: str, mark: str) -> str:
    core = text.strip()
    if not core or "\n" in core or not any(letter.isalnum() for letter in core) or core.startswith(mark):
        return text
    before, after = _around(text)
    return f"{before}{mark}{core}{mark}{after}"


def _code(text: str) -> str:
    inner = SPACE.sub(" ", text)
    core = inner.strip()
    if not core:
        return inner
    before, after = _around(inner)
    if "`" not in core:
        return f"{before}`{core}`{after}"
    fence = "`" * (max(len(run) for run in re.findall(r"`+", core)) + 1)
    return f"{before}{fence} {core} {fence}{after}"


def _shifted(text: str, table: dict[int, int]) -> str:
    core = text.strip()
    if table is RAISED and core.isascii() and core.isdigit():
        return f"\ue000{core}\ue001"  # what stands before decides
    return core.translate(table) if SHIFTABLE.fullmatch(core) else text


def _raised(found: re.Match[str]) -> str:
    word, numbers = found[1] or "", re.findall(r"\d+", found[2])
    return word + "".join(f"[{number}]" if word else number.translate(RAISED) for number in numbers)


def _formula(node: Node) -> str:
    """A formula by its TeX when the page carries it, else by its signs."""
    for inner in node.below():
        if inner.tag == "annotation" and "tex" in inner.get("encoding"):
            return f"${SPACE.sub(' ', inner.text()).strip()}$"
    return node.get("alttext") or SPACE.sub(" ", node.text())
