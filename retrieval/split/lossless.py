"""The lossless gate: checks that a text which a model wrote anew holds every fact of the old text, and no other.

Facts are numbers, prices, dates, e-mail addresses, phone numbers, web addresses, codes, names, blocks of code and rows of
tables. All but names are counted: what stood twice must stand twice. Why so, and what the gate can't see: README.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from retrieval.split.blocks import blocks
from retrieval.text.likeness import CALENDAR, WORD_OR_LETTER

NUMBER_PATTERN = r"\d+(?:[.,:'’/\u2212\u2013-]\d+)*"
CURRENCY_PATTERN = (
    r"(?:[€$£¥₹₽₩₺₴₪฿₫₦]|(?:EUR|USD|GBP|CHF|PLN|CZK|SEK|NOK|DKK|HUF|JPY|CNY|INR|AUD|CAD|BRL|TRY|UAH|Fr\.|kr|zł|Kč|Ft|lei"
    r"|euros?|dollars?|pounds?|francs?|Franken|円|元|원)(?![^\W\d_]))"
)
MONTH_PATTERN = rf"(?:{'|'.join(sorted(CALENDAR, key=len, reverse=True))})\.?(?![^\W\d_])"
FACT_PATTERNS = {
    "number": re.compile(rf"(?<![\d.,]){NUMBER_PATTERN}"),
    "price": re.compile(
        rf"{CURRENCY_PATTERN}[ \u00a0\u202f]?{NUMBER_PATTERN}|{NUMBER_PATTERN}[ \u00a0\u202f]?{CURRENCY_PATTERN}", re.I
    ),
    "date": re.compile(
        rf"\d{{1,2}}(?:\.|st|nd|rd|th)?[ \u00a0](?:de[ \u00a0])?{MONTH_PATTERN}(?:,?[ \u00a0](?:de[ \u00a0])?\d{{4}})?"
        rf"|(?<![^\W\d_]){MONTH_PATTERN}[ \u00a0]\d{{1,2}}(?:st|nd|rd|th)?(?:,?[ \u00a0]\d{{4}})?(?!\d)"
        r"|\d{4}[年/.-]\d{1,2}[月/.-]\d{1,2}日?",
        re.I,
    ),
    "e-mail": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "phone": re.compile(r"(?<!\d)\+?\(?\d{1,5}\)?(?:[ \u00a0/.\-\u2013]\(?\d{2,}\)?){1,6}(?!\d)"),
    "address": re.compile(r"(?:https?://|www\.)[^\s<>()\[\]\"'`|]*[^\s<>()\[\]\"'`|.,;:!?*_]|(?<=\]\()[^\s)]+"),
    "code": re.compile(r"(?=[\w./-]*[^\W\d_])(?=[\w./-]*\d)[^\W_]\w*(?:[-./]\w+)*|`[^`\n]+`"),
}
LIST_MARKER = re.compile(r"^[ \t>]*(?:\d{1,3}[.)]|[-*+•])[ \t]+", re.M)
"""The bullet or number before a list item: no fact, since the items may be told in another order."""
LEAST_PHONE_DIGITS = 7
"""Digits under which a group of numbers ("2 4", "10-12") is no telephone number."""
MOST_LOST_WORDS_SHARE = 0.1
"""The share of words that may be missing, since joining sentences changes a few; more is a summary. Chosen by hand."""
INSIDE_SENTENCE_SIGNS = ",;)’'&/"
"""Signs behind which a sentence goes on, so that a capital there is a name's."""


@dataclass(frozen=True, slots=True)
class Loss:
    """The facts that the new text lacks, and those that only the new text has; each as "kind: fact". False when there are none."""

    missing: tuple[str, ...] = ()
    new: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.new)


def facts(markdown: str) -> Counter[tuple[str, str]]:
    """How often each fact stands in a text, by (kind, the fact without differences of spacing); names aren't among them."""
    counts: Counter[tuple[str, str]] = Counter()
    prose = []
    for block in blocks(markdown):
        if block.kind == "code":
            counts["code block", _code_lines(block.text)] += 1
        elif block.kind == "table":
            counts.update(("row", row) for row in _table_rows(block.text))
        prose.append(block.text if block.kind != "heading" else block.name)
    text = LIST_MARKER.sub("", "\n".join(prose))
    for kind, pattern in FACT_PATTERNS.items():
        counts.update((kind, _normal_form(kind, hit[0])) for hit in pattern.finditer(text))
    # a group of numbers looks like a telephone number too; it is counted as numbers anyway
    for too_short in [key for key in counts if key[0] == "phone" and len(key[1].lstrip("+")) < LEAST_PHONE_DIGITS]:
        del counts[too_short]
    return counts


def names(markdown: str) -> set[str]:
    """Words that begin with a capital inside a sentence, and words all in capitals; none in scripts without capitals."""
    capitals = set()
    for word in WORD_OR_LETTER.finditer(markdown):
        text = word[0]
        if len(text) < 2 or not text[0].isupper():
            continue
        before = markdown[max(0, word.start() - 3) : word.start()].rstrip(" \u00a0")[-1:]
        inside = bool(before) and (before.isalnum() or before in INSIDE_SENTENCE_SIGNS) and "\n" not in before
        if text.isupper() or inside:
            capitals.add(text)
    return capitals


def loss(
    old: str, new: str, *, background: str = "", titles: str = "", headings: str = "", nouns: bool = False
) -> Loss:
    """The facts of `old` that `new` lacks, and those of `new` and its `titles` that `old` doesn't have.

    `background`: text whose facts may be used as well, such as the page's title. `headings`: the old text's headings, whose
    facts may have gone into the titles. `nouns`: the language writes nouns with capitals, so a capital is no name in a title.
    """
    before, after = facts(old), facts(new)
    above = facts(headings)
    everything = after + facts(titles)
    missing = [*(before - after), *(key for key in above if key not in everything)]
    source = f"{old}\n{headings}\n{background}"
    allowed = facts(source)
    added = [key for key in everything if key not in allowed]
    old_words, new_words = _word_counts(source), _word_counts(f"{new}\n{titles}")
    # names are only looked for, not counted: a sentence may be turned so that one stands once more, or less
    lost_names = sorted(name for name in names(f"{old}\n{headings}") if name.lower() not in new_words)
    new_names = sorted(name for name in names(new if nouns else f"{new}\n{titles}") if name.lower() not in old_words)
    lacking = [f"{kind}: {fact}" for kind, fact in dict.fromkeys(missing)] + [f"name: {name}" for name in lost_names]
    if share := _lost_words_share(_word_counts(old), _word_counts(new)):
        lacking.append(f"words: {share:.0%} of the text")
    return Loss(
        tuple(lacking), tuple([f"{kind}: {fact}" for kind, fact in added] + [f"name: {name}" for name in new_names])
    )


def _word_counts(text: str) -> Counter[str]:
    """How often each word stands in a text, lower case."""
    return Counter(word.lower() for word in WORD_OR_LETTER.findall(LIST_MARKER.sub("", text)))


def _lost_words_share(old: Mapping[str, int], new: Mapping[str, int]) -> float:
    """The share of the old text's words that the new one lacks, 0 where it is small enough."""
    lost = sum(max(0, count - new.get(word, 0)) for word, count in old.items())
    share = lost / max(1, sum(old.values()))
    return share if share > MOST_LOST_WORDS_SHARE else 0.0


def _table_rows(table: str) -> Iterable[str]:
    """The rows of a Markdown table with single spaces, without the rule under its header."""
    for line in table.split("\n"):
        cells = [" ".join(cell.split()) for cell in line.strip().strip("|").split("|")]
        if "|" in line and any(cell.strip(":- ") for cell in cells):
            yield " | ".join(cells)


def _normal_form(kind: str, text: str) -> str:
    """A fact without what may be written either way: of phone numbers all but digits, of prices and dates the spaces."""
    if kind == "phone":
        return "+" * text.startswith("+") + re.sub(r"\D", "", text)
    return re.sub(r"\s", "", text).lower() if kind in ("price", "date") else text


def _code_lines(code: str) -> str:
    """The lines of a fenced block without its fences."""
    return "\n".join(
        line.rstrip() for line in code.strip().split("\n")[1:] if not line.strip().startswith(("```", "~~~"))
    )
