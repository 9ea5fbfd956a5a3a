"""Blocks of code on a page: their lines, their language, the table that sets them beside line numbers."""

from __future__ import annotations

import re

from retrieval.convert.html.tree import BLOCKS, Node

LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source|highlight|brush:|sourceCode)[-: ]*([\w+#-]+)", re.I)
NOT_A_LANGUAGE = frozenset(("default", "none", "text", "plaintext", "highlight", "notranslate", "code", "wrapper"))
LINE_NUMBERS = frozenset(("linenos", "lineno", "linenumbers", "gutter", "linenodiv"))


def is_line_numbers(node: Node) -> bool:
    """Whether this holds the numbers of lines, not lines."""
    return not node.names.isdisjoint(LINE_NUMBERS)


def listing(table: Node) -> Node | None:
    """The code of a table that sets it beside its line numbers."""
    listings = [node for node in table.below() if node.tag == "pre"]
    code = [node for node in listings if not any(is_line_numbers(above) for above in (node, *node.above()))]
    return code[0] if len(listings) > len(code) == 1 else None


def text_of(node: Node) -> str:
    """The text of code: every line that markup sets apart is a line; line numbers are left out."""
    parts: list[str] = []

    def add(kids: list[Node | str]) -> None:
        for kid in kids:
            if isinstance(kid, str):
                parts.append(kid)
            elif kid.tag == "br":
                parts.append("\n")
            elif not is_line_numbers(kid):
                apart = kid.tag in BLOCKS
                if apart and parts and not parts[-1].endswith("\n"):
                    parts.append("\n")
                add(kid.kids)
                if apart and parts and not parts[-1].endswith("\n"):
                    parts.append("\n")

    add(node.kids)
    return "".join(parts).replace("\r\n", "\n").replace("\r", "\n")


def language_of(node: Node) -> str:
    """The language that a block of code, or what stands around it, names; empty when none does."""
    around = [node, *node.elements, *([node.parent] if node.parent is not None else [])]
    for place in around:
        if (found := LANGUAGE.search(place.get("class"))) and found[1].lower() not in NOT_A_LANGUAGE:
            return found[1].lower()
    return node.get("data-lang") or node.get("data-language")
