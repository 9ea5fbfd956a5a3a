"""Writes running text as Markdown: emphasis, code, links, pictures, formulas. Text is never dropped."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from retrieval.convert.html.tree import BLOCK_TAGS, HEADING_TAGS, PageNode

EMPHASIS_MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*", "del": "~~", "s": "~~", "strike": "~~"}
CODE_TAGS = frozenset(("code", "kbd", "samp", "tt"))
SUPERSCRIPTS = str.maketrans("0123456789+-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ")
SUBSCRIPTS = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
RAISED_NUMBERS = re.compile(r"([^\W\d_]{4}[*.,;:!?”\"')]?)?((?:\ue000\d+\ue001)+)")
"""Raised digits between U+E000 and U+E001, and the word before them if it has four letters.

After a word they number a note, and become [1]; after a unit they are a power, and become ² (fixture formulas_and_notes).
"""
# What can be written with Unicode's raised and lowered signs.
SHIFTABLE_SIGNS = re.compile(r"[0-9+\-=()]{1,6}")
WHITE_SPACE = re.compile(r"[ \t\r\n\f\u00a0\u200b\ufeff]+")
# Where scripts that load pictures late keep the address; `src` is then only a placeholder, so it comes last.
PICTURE_ATTRIBUTES = ("data-src", "data-lazy-src", "data-original", "data-lazy", "src")
ANCHOR_SIGNS = frozenset(("¶", "#", "§", "🔗", "🔗︎", "⚓", "link"))
"""What a link to its own heading shows; such a link is left out (fixture headings_with_signs)."""


class InlineWriter:
    """Writes what stands in a line; `base`: the address that relative links are joined to; `images`: keep pictures."""

    def __init__(self, base: str, *, images: bool = True) -> None:
        self.base = base
        self.images = images

    def line(self, node: PageNode) -> str:
        """A node's content on one line."""
        return " ".join(self.lines(node.kids).split("\n"))

    def heading(self, node: PageNode) -> str:
        """A heading's words, without emphasis that marks all of them."""
        text = self.line(node)
        for mark in ("***", "**", "*"):
            if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark) and text.count(mark) == 2:
                text = text[len(mark) : -len(mark)].strip()
        return text

    def lines(self, kids: list[PageNode | str]) -> str:
        """Texts and elements that flow together; `<br>` is a line break, other white space a single space."""
        parts: list[str] = []
        for kid in kids:
            if parts and not isinstance(kid, str) and kid.tag == "a" and parts[-1].endswith(")"):
                parts.append(" ")  # two links side by side are two things, whatever the markup saves
            parts.append(self._written(kid))
        text = tidy_lines("".join(parts))
        return RAISED_NUMBERS.sub(_note_or_power, text) if "\ue000" in text else text

    def _written(self, kid: PageNode | str) -> str:
        """One text or element; of an unknown element what is in it."""
        if isinstance(kid, str):
            return single_spaced(kid)
        tag = kid.tag
        if tag == "br":
            return "\n"
        if tag == "img":
            return self._image(kid)
        if tag in CODE_TAGS:
            return _code(kid.text())
        if tag == "math":
            return _formula(kid)
        if tag == "span" and kid.get("class") in ("katex", "MathJax"):
            formula = next((inner for inner in kid.descendants() if inner.tag == "math"), None)
            if formula is not None:  # what is beside it draws the same once more: fixture formula_drawn_twice
                return _formula(formula)
        inner = "".join(self._written(child) for child in kid.kids)
        if tag in EMPHASIS_MARKS:
            return _emphasised(inner, EMPHASIS_MARKS[tag])
        if tag == "a":
            return self._link(kid, inner)
        if tag == "q":
            return f"“{inner.strip()}”"
        if tag in ("sup", "sub"):
            return _raised_or_lowered(inner, SUPERSCRIPTS if tag == "sup" else SUBSCRIPTS)
        if tag in BLOCK_TAGS:
            return f"\n{inner}\n"
        return inner

    def _image(self, node: PageNode) -> str:
        """A picture that says what it shows; without a description it holds nothing to be found by."""
        alt = WHITE_SPACE.sub(" ", node.get("alt")).strip()
        address = next((value for name in PICTURE_ATTRIBUTES if (value := node.get(name).strip())), "")
        address = address or node.get("srcset").strip().partition(" ")[0].rstrip(",")
        if not self.images or not alt or not address or address.startswith("data:"):
            return ""
        return f"![{alt}]({self._absolute(address)})"

    def _link(self, node: PageNode, text: str) -> str:
        """A link with its text; the text alone where the address leads nowhere, or the text has several lines."""
        address = node.get("href").strip()
        label = text.strip()
        if "#" in address and label.casefold() in ANCHOR_SIGNS:
            return ""
        if not label or not address or address.startswith(("#", "javascript:")) or "\n" in label:
            return text
        before, after = _spaces_around(text)
        return f"{before}[{label}]({self._absolute(address)}){after}"

    def _absolute(self, address: str) -> str:
        """The address joined to the page's, with signs escaped that would end a link of Markdown."""
        if address.startswith(("https://", "http://", "mailto:", "tel:")):
            joined = address
        else:
            try:
                joined = urljoin(self.base, address)
            except ValueError:
                joined = address
        return WHITE_SPACE.sub("%20", joined).replace(")", "%29").replace("(", "%28")


def single_spaced(text: str) -> str:
    """The text with each run of white space as one space, also at its ends."""
    words = " ".join(text.replace("\u200b", " ").replace("\ufeff", " ").split())
    if not words:
        return " " if text else ""
    return f"{' ' * text[0].isspace()}{words}{' ' * text[-1].isspace()}"


def tidy_lines(text: str) -> str:
    """The text with single spaces, none at the ends of its lines, and without empty lines."""
    if "\n" not in text:
        return " ".join(text.split())
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def holds_block(node: PageNode) -> bool:
    """Whether a block is inside, which begins a line of its own; code is written as one piece whatever is in it."""
    return node.tag not in CODE_TAGS and node.has(BLOCK_TAGS)


def is_heading(node: PageNode) -> bool:
    """Whether an element is a heading by its tag or its role."""
    return node.tag in HEADING_TAGS or node.attrs.get("role") == "heading"


def _spaces_around(text: str) -> tuple[str, str]:
    """The white space at the beginning and at the end of a text: marks stand inside of it, or they don't work."""
    return text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]


def _emphasised(text: str, mark: str) -> str:
    """The text between marks; without them if it has no letters, several lines, or marks already."""
    core = text.strip()
    if not core or "\n" in core or not any(letter.isalnum() for letter in core) or core.startswith(mark):
        return text
    before, after = _spaces_around(text)
    return f"{before}{mark}{core}{mark}{after}"


def _code(text: str) -> str:
    """Inline code, between more backticks than are in it."""
    inner = WHITE_SPACE.sub(" ", text)
    core = inner.strip()
    if not core:
        return inner
    before, after = _spaces_around(inner)
    if "`" not in core:
        return f"{before}`{core}`{after}"
    fence = "`" * (max(len(run) for run in re.findall(r"`+", core)) + 1)
    return f"{before}{fence} {core} {fence}{after}"


def _raised_or_lowered(text: str, table: dict[int, int]) -> str:
    """`<sup>` and `<sub>`: raised numbers are marked for `_note_or_power`, which sees the word before them."""
    core = text.strip()
    if table is SUPERSCRIPTS and core.isascii() and core.isdigit():
        return f"\ue000{core}\ue001"  # what stands before decides
    return core.translate(table) if SHIFTABLE_SIGNS.fullmatch(core) else text


def _note_or_power(found: re.Match[str]) -> str:
    """A match of RAISED_NUMBERS as [1] behind a word, else as raised digits."""
    word, numbers = found[1] or "", re.findall(r"\d+", found[2])
    return word + "".join(f"[{number}]" if word else number.translate(SUPERSCRIPTS) for number in numbers)


def _formula(node: PageNode) -> str:
    """A formula as its TeX where the page has it, else as its text (fixture formulas_and_notes)."""
    for inner in node.descendants():
        if inner.tag == "annotation" and "tex" in inner.get("encoding"):
            return f"${WHITE_SPACE.sub(' ', inner.text()).strip()}$"
    return node.get("alttext") or WHITE_SPACE.sub(" ", node.text())
