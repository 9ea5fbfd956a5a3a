"""The lossless gate: whether a text that a model wrote anew still holds every fact of the old one, and no other.

Facts are what a reader relies on and a model bends: numbers, prices, dates, e-mail addresses, phone numbers, web addresses,
codes, names, blocks of code and rows of tables. All but names are counted; a fact that stood twice must stand twice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from retrieval.split.blocks import blocks
from retrieval.text.likeness import CALENDAR, WORD

NUMBER = r"\d+(?:[.,:'’/\u2212\u2013-]\d+)*"
CURRENCY = (
    r"(?:[€$£¥₹₽₩₺₴₪฿₫₦]|(?:EUR|USD|GBP|CHF|PLN|CZK|SEK|NOK|DKK|HUF|JPY|CNY|INR|AUD|CAD|BRL|TRY|UAH|Fr\.|kr|zł|Kč|Ft|lei"
    r"|euros?|dollars?|pounds?|francs?|Franken|円|元|원)(?![^\W\d_]))"
)
MONTH = rf"(?:{'|'.join(sorted(CALENDAR, key=len, reverse=True))})\.?(?![^\W\d_])"
PATTERNS = {
    "number": re.compile(rf"(?<![\d.,]){NUMBER}"),
    "price": re.compile(rf"{CURRENCY}[ \u00a0\u202f]?{NUMBER}|{NUMBER}[ \u00a0\u202f]?{CURRENCY}", re.I),
    "date": re.compile(
        rf"\d{{1,2}}(?:\.|st|nd|rd|th)?[ \u00a0](?:de[ \u00a0])?{MONTH}(?:,?[ \u00a0](?:de[ \u00a0])?\d{{4}})?"
        rf"|(?<![^\W\d_]){MONTH}[ \u00a0]\d{{1,2}}(?:st|nd|rd|th)?(?:,?[ \u00a0]\d{{4}})?(?!\d)"
        r"|\d{4}[年/.-]\d{1,2}[月/.-]\d{1,2}日?",
        re.I,
    ),
    "e-mail": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "phone": re.compile(r"(?<!\d)\+?\(?\d{1,5}\)?(?:[ \u00a0/.\-\u2013]\(?\d{2,}\)?){1,6}(?!\d)"),
    "address": re.compile(r"(?:https?://|www\.)[^\s<>()\[\]\"'`|]*[^\s<>()\[\]\"'`|.,;:!?*_]|(?<=\]\()[^\s)]+"),
    "code": re.compile(r"(?=[\w./-]*[^\W\d_])(?=[\w./-]*\d)[^\W_]\w*(?:[-./]\w+)*|`[^`\n]+`"),
}
MARKER = re.compile(r"^[ \t>]*(?:\d{1,3}[.)]|[-*+•])[ \t]+", re.M)
"""A list's numbers are not the text's: the items may be told in another order."""
LEAST_PHONE = 7
MOST_LOST_WORDS = 0.1
"""The share of a text's words that may be missing or changed, for joints between sentences; more is a summary."""
CONTINUES = ",;)’'&/"


@dataclass(frozen=True, slots=True)
class Loss:
    """What a text that was written anew lacks and what it holds beyond the old one; each as "kind: fact"."""

    missing: tuple[str, ...] = ()
    new: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.new)


def facts(markdown: str) -> Counter[tuple[str, str]]:
    """The counted facts of a text, by kind, in a form that ignores spacing."""
    found: Counter[tuple[str, str]] = Counter()
    prose = []
    for block in blocks(markdown):
        if block.kind == "code":
            found["code block", _bare(block.text)] += 1
        elif block.kind == "table":
            found.update(("row", row) for row in _rows(block.text))
        prose.append(block.text if block.kind != "heading" else block.name)
    text = MARKER.sub("", "\n".join(prose))
    for kind, pattern in PATTERNS.items():
        found.update((kind, _normal(kind, hit[0])) for hit in pattern.finditer(text))
    for digits in [key for key in found if key[0] == "phone" and len(key[1].lstrip("+")) < LEAST_PHONE]:
        del found[digits]
    return found


def names(markdown: str) -> set[str]:
    """Words that begin with a capital although no sentence begins there, and words in capitals. Scripts without have none."""
    found = set()
    for word in WORD.finditer(markdown):
        text = word[0]
        if len(text) < 2 or not text[0].isupper():
            continue
        before = markdown[max(0, word.start() - 3) : word.start()].rstrip(" \u00a0")[-1:]
        inside = bool(before) and (before.isalnum() or before in CONTINUES) and "\n" not in before
        if text.isupper() or inside:
            found.add(text)
    return found


def loss(old: str, new: str, *, known: str = "", titles: str = "", headings: str = "", nouns: bool = False) -> Loss:
    """What was lost of `old` in `new`, and what in `new` and its `titles` stands neither in `old` nor in `known`.

    `headings`: the old text's, whose facts may have gone into the titles. `nouns`: the language writes nouns with capitals,
    so that a capital in a title tells no name.
    """
    before, after = facts(old), facts(new)
    above = facts(headings)
    everything = after + facts(titles)
    missing = [*(before - after), *(key for key in above if key not in everything)]
    source = f"{old}\n{headings}\n{known}"
    allowed = facts(source)
    added = [key for key in everything if key not in allowed]
    words, kept = _words(source), _words(f"{new}\n{titles}")
    lost_names = sorted(name for name in names(f"{old}\n{headings}") if name.lower() not in kept)
    new_names = sorted(name for name in names(new if nouns else f"{new}\n{titles}") if name.lower() not in words)
    lacking = [f"{kind}: {fact}" for kind, fact in dict.fromkeys(missing)] + [f"name: {name}" for name in lost_names]
    if share := _shortened(_words(old), _words(new)):
        lacking.append(f"words: {share:.0%} of the text")
    return Loss(
        tuple(lacking), tuple([f"{kind}: {fact}" for kind, fact in added] + [f"name: {name}" for name in new_names])
    )


def _words(text: str) -> Counter[str]:
    return Counter(word.lower() for word in WORD.findall(MARKER.sub("", text)))


def _shortened(old: Mapping[str, int], new: Mapping[str, int]) -> float:
    """The share of the old text's words that are missing, if it is too large."""
    lost = sum(max(0, count - new.get(word, 0)) for word, count in old.items())
    share = lost / max(1, sum(old.values()))
    return share if share > MOST_LOST_WORDS else 0.0


def _rows(table: str) -> Iterable[str]:
    for line in table.split("\n"):
        cells = [" ".join(cell.split()) for cell in line.strip().strip("|").split("|")]
        if "|" in line and any(cell.strip(":- ") for cell in cells):
            yield " | ".join(cells)


def _normal(kind: str, text: str) -> str:
    if kind == "phone":
        return "+" * text.startswith("+") + re.sub(r"\D", "", text)
    return re.sub(r"\s", "", text).lower() if kind in ("price", "date") else text


def _bare(code: str) -> str:
    return "\n".join(
        line.rstrip() for line in code.strip().split("\n")[1:] if not line.strip().startswith(("```", "~~~"))
    )
