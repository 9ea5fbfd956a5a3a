"""A tree as Markdown. Text is never dropped: whatever isn't known is written as its text."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import groupby

from retrieval.convert.html import accordion
from retrieval.convert.html import table as tables
from retrieval.convert.html.code import is_line_numbers, language_of, listing, text_of
from retrieval.convert.html.copies import once
from retrieval.convert.html.inline import Inline, holds_block, is_heading
from retrieval.convert.html.tree import BLOCKS, HEADINGS, Node

WRITTEN = frozenset("details summary hr pre blockquote ul menu dir ol dl table tr".split())
WHOLE = frozenset("ul ol dl table pre p h1 h2 h3 h4 h5 h6 details blockquote".split())
SHORT = 60
"""Characters under which cells of a row that only places things are a name and its value."""
STANDING = ("#", "| ", "```")
"""How blocks begin that stand by themselves, also out of a list."""
BLOCK_START = re.compile(r"^(?=#{1,6}\s|```|~~~)", re.M)
"""Where a line would read as a heading or a fence although the page only shows these signs."""


class Writer:
    """Writes the nodes of one page; `base` makes links absolute."""

    def __init__(self, base: str, *, images: bool = True) -> None:
        self._inline = Inline(base, images=images)
        self._level = 1

    def write(self, nodes: list[Node]) -> str:
        """The nodes' content as Markdown, blocks separated by one empty line."""
        blocks = [block for node in nodes for block in self._own(node)]
        return "\n\n".join(once(blocks)).strip("\n") + "\n" if blocks else ""

    def _own(self, node: Node) -> list[str]:
        return self._block(node) if node.tag in WHOLE else self._flow(node.kids)

    def _flow(self, kids: list[Node | str]) -> list[str]:
        """The blocks of children: texts and inline elements between two blocks make a paragraph."""
        blocks: list[str] = []
        run: list[Node | str] = []
        for kid in kids:
            if isinstance(kid, str) or not self._stands_alone(kid):
                run.append(kid)
                continue
            self._paragraph(run, blocks)
            blocks += self._block(kid)
        self._paragraph(run, blocks)
        return blocks

    @staticmethod
    def _stands_alone(node: Node) -> bool:
        return node.tag in BLOCKS or accordion.is_trigger(node) or holds_block(node)

    def _paragraph(self, run: list[Node | str], blocks: list[str]) -> None:
        text = self._inline.lines(run)
        if text:
            blocks.append(BLOCK_START.sub(r"\\", text))
        run.clear()

    def _block(self, node: Node) -> list[str]:
        if is_heading(node):
            return self._heading(node)
        if accordion.is_trigger(node):
            return self._question(node)
        writer = getattr(self, f"_{node.tag}") if node.tag in WRITTEN else None
        return writer(node) if writer else self._flow(node.kids)

    def _heading(self, node: Node) -> list[str]:
        if node.size > 300 and holds_block(node):
            return self._flow(node.kids)
        text = self._inline.heading(node)
        if not text:
            return []
        level = int(node.tag[1]) if node.tag in HEADINGS else _number(node.get("aria-level"), 2)
        self._level = min(max(level, 1), 6)
        return [f"{'#' * self._level} {text}"]

    def _question(self, node: Node, deeper: int = 1) -> list[str]:
        """What opens a collapsed part becomes the heading above it; the level of the page's headings stays."""
        inner = next((part for part in node.below() if is_heading(part)), None)
        if inner is not None:
            return self._heading(inner) if inner.size == node.size else self._flow(node.kids)
        text = self._inline.heading(node).lstrip("#>-+* ")
        return [f"{'#' * min(self._level + deeper, 6)} {text}"] if text else []

    def _details(self, node: Node) -> list[str]:
        outer = self._level
        summary = next((child for child in node.elements if child.tag == "summary"), None)
        blocks: list[str] = []
        if summary is not None:
            blocks = self._question(summary)
            self._level = min(outer + 1, 6)
        blocks += self._flow([kid for kid in node.kids if kid is not summary])
        self._level = outer
        return blocks

    def _summary(self, node: Node) -> list[str]:
        return self._question(node)

    def _hr(self, _: Node) -> list[str]:
        return []

    def _pre(self, node: Node) -> list[str]:
        if is_line_numbers(node):
            return []
        text = text_of(node).strip("\n")
        if not text.strip():
            return []
        fence = "````" if "```" in text else "```"
        return [f"{fence}{language_of(node)}\n{text}\n{fence}"]

    def _blockquote(self, node: Node) -> list[str]:
        """A quotation; code and tables in it stand by themselves, where every reader of Markdown finds them."""
        blocks: list[str] = []
        for standing, group in groupby(self._flow(node.kids), lambda block: block.startswith(STANDING)):
            if standing:
                blocks += group
            else:
                blocks.append("\n".join(f"> {line}".rstrip() for line in "\n\n".join(group).split("\n")))
        return blocks

    def _ul(self, node: Node) -> list[str]:
        return self._list(node, lambda _: "- ")

    _menu = _dir = _ul

    def _ol(self, node: Node) -> list[str]:
        first = _number(node.get("start"), 1)
        return self._list(node, lambda index: f"{first + index}. ")

    def _list(self, node: Node, marker: Callable[[int], str]) -> list[str]:
        """Items line by line; one that holds headings, code or tables is written as blocks of its own."""
        blocks: list[str] = []
        lines: list[str] = []
        index = 0
        for kid in node.kids:
            listed = not isinstance(kid, str) and kid.tag == "li"
            parts = self._item(kid.kids if listed and not isinstance(kid, str) else [kid])
            if not parts:
                continue
            lead = marker(index) if listed else "  "
            if any(part.startswith(STANDING) for part in parts):
                blocks += ["\n".join(lines)] * bool(lines)
                lines = []
                blocks += parts if parts[0].startswith(STANDING) or not listed else [lead + parts[0], *parts[1:]]
            else:
                lines.append(lead + "\n".join(parts).replace("\n", "\n" + " " * len(lead)))
            index += listed
        return blocks + ["\n".join(lines)] * bool(lines)

    def _item(self, kids: list[Node | str]) -> list[str]:
        """The blocks of an item; short parts that only markup sets apart share a line."""
        parts = self._flow(kids)
        if any(_keeps_lines(kid) for kid in kids) or any(part.startswith(STANDING) for part in parts):
            return parts
        if len(parts) > 1:
            parts = [" ".join(parts)]
        return [part.replace("\n", " ") for part in parts]

    def _dl(self, node: Node) -> list[str]:
        """A short term and its value make a list item; a question or a long value makes a heading above its answer."""
        items: list[tuple[str, list[str]]] = []
        for child in _parts(node):
            if not isinstance(child, str) and child.tag == "dt":
                items.append((self._inline.heading(child).rstrip(": "), []))
            else:
                blocks = self._flow([child] if isinstance(child, str) or child.tag != "dd" else child.kids)
                items = items or ([("", [])] if blocks else [])  # white space between the tags is nothing
                if blocks:
                    items[-1][1].extend(blocks)
        short = all(len(blocks) == 1 and len(blocks[0]) <= 160 and "\n" not in blocks[0] for _, blocks in items)
        if items and short and all(term and not term.endswith("?") for term, _ in items):
            return ["\n".join(f"- {_bold(term)}: {blocks[0]}" for term, blocks in items)]
        level = min(self._level + 1, 6)
        return [
            block for term, blocks in items for block in (f"{'#' * level} {term}" if term else "", *blocks) if block
        ]

    def _table(self, node: Node) -> list[str]:
        captions = [child for child in node.elements if child.tag == "caption"]
        if tables.is_layout(node) or not tables.rows_of(node):
            if code := listing(node):
                return self._pre(code)
            return [
                block for part in node.elements for block in self._flow(part.kids if part.tag == "caption" else [part])
            ]
        head = [f"**{self._inline.heading(caption)}**" for caption in captions if caption.size]
        return head + tables.as_table(tables.grid(node, self._cell))

    def _cell(self, node: Node) -> str:
        if not holds_block(node):
            return self._inline.line(node)
        blocks = (_one_line(block) for block in self._flow(node.kids))
        return " ".join(blocks)

    def _tr(self, node: Node) -> list[str]:
        """A row of a table that only places things; two short cells are a name and its value."""
        cells = tables.cells_of(node)
        texts = [self._flow(cell.kids) for cell in cells]
        filled = [blocks for blocks in texts if blocks]
        if len(filled) > 1 and all(len(blocks) == 1 and len(blocks[0]) < SHORT for blocks in filled):
            return [" ".join(blocks[0].replace("\n", " ") for blocks in filled)]
        return [block for blocks in texts for block in blocks]


def _one_line(block: str) -> str:
    if block.startswith("```"):
        return " ".join(f"`{line.strip()}`" for line in block.split("\n")[1:-1] if line.strip() and "`" not in line)
    lines = (re.sub(r"^\s*(?:[-*]|\d+\.|#{1,6}|>)\s+", "", line) for line in block.split("\n"))
    return ("; " if block.startswith("- ") else " ").join(lines)


def _keeps_lines(kid: Node | str) -> bool:
    return not isinstance(kid, str) and (
        kid.tag in WHOLE - {"p"} or kid.has(WHOLE - {"p"}) or (kid.tag == "p" and kid.size > SHORT * 2)
    )


def _bold(term: str) -> str:
    return term if "`" in term or "*" in term else f"**{term}**"


def _parts(node: Node) -> list[Node | str]:
    """The children of a list of terms; a `<div>` around a term and its value is looked through."""
    return [
        part for kid in node.kids for part in (_parts(kid) if not isinstance(kid, str) and kid.tag == "div" else [kid])
    ]


def _number(value: str, otherwise: int) -> int:
    found = re.match(r"\s*(\d{1,6})", value)
    return int(found[1]) if found else otherwise
