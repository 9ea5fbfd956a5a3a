"""Reads blocks of code: their lines without line numbers, and their language (fixtures code, code_listings)."""

from __future__ import annotations

import re

from retrieval.convert.html.tree import BLOCK_TAGS, PageNode

LANGUAGE_CLASS = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight|brush:|sourceCode)[-: ]*([\w+#-]+)", re.I
)
NOT_A_LANGUAGE = frozenset(("default", "none", "text", "plaintext", "highlight", "notranslate", "code", "wrapper"))
LINE_NUMBER_NAMES = frozenset(("linenos", "lineno", "linenumbers", "gutter", "linenodiv"))


def is_line_numbers(node: PageNode) -> bool:
    """Whether an element holds the numbers of lines, by its class."""
    return not node.name_words.isdisjoint(LINE_NUMBER_NAMES)


def code_beside_line_numbers(table: PageNode) -> PageNode | None:
    """The `<pre>` with the code in a table that sets it beside its line numbers; None for other tables."""
    listings = [node for node in table.descendants() if node.tag == "pre"]
    code = [node for node in listings if not any(is_line_numbers(above) for above in (node, *node.ancestors()))]
    return code[0] if len(listings) > len(code) == 1 else None


def code_text(node: PageNode) -> str:
    """The text of a block of code; each block element in it is a line, line numbers are left out."""
    parts: list[str] = []

    def add(kids: list[PageNode | str]) -> None:
        for kid in kids:
            if isinstance(kid, str):
                parts.append(kid)
            elif kid.tag == "br":
                parts.append("\n")
            elif not is_line_numbers(kid):
                is_line = kid.tag in BLOCK_TAGS
                if is_line and parts and not parts[-1].endswith("\n"):
                    parts.append("\n")
                add(kid.kids)
                if is_line and parts and not parts[-1].endswith("\n"):
                    parts.append("\n")

    add(node.kids)
    return "".join(parts).replace("\r\n", "\n").replace("\r", "\n")


def code_language(node: PageNode) -> str:
    """The language that a block of code or an element around or in it names by its class; empty without."""
    around = [node, *node.elements, *([node.parent] if node.parent is not None else [])]
    for near in around:
        if (found := LANGUAGE_CLASS.search(near.get("class"))) and found[1].lower() not in NOT_A_LANGUAGE:
            return found[1].lower()
    return node.get("data-lang") or node.get("data-language")
