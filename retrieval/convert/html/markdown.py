"""Writes a tree of elements as Markdown. Text is never dropped: of an unknown element the text is written."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import groupby

from retrieval.convert.html import accordion
from retrieval.convert.html import table as tables
from retrieval.convert.html.code import code_beside_line_numbers, code_language, code_text, is_line_numbers
from retrieval.convert.html.copies import without_copies
from retrieval.convert.html.inline import InlineWriter, holds_block, is_heading
from retrieval.convert.html.tree import BLOCK_TAGS, HEADING_TAGS, PageNode

OWN_BLOCK_TAGS = frozenset("ul ol dl table pre p h1 h2 h3 h4 h5 h6 details blockquote".split())
"""Elements that are written as blocks of their own when they are the root, and keep an item's lines apart."""
MOST_SHORT_CELL_CHARACTERS = 60
"""Characters under which the cells of a row in a layout table share a line, as a name and its value.

Chosen by hand, no command measures it.
"""
STANDALONE_STARTS = ("#", "| ", "```")
"""How blocks begin that are never indented into a list or a quotation: headings, tables, code."""
MARKDOWN_SIGN_AT_START = re.compile(r"^(?=#{1,6}\s|```|~~~)", re.M)
"""Where a line of text would read as a heading or a fence: the page only shows these signs."""


class MarkdownWriter:
    """Writes the nodes of one page; `base`: the address that relative links are joined to."""

    def __init__(self, base: str, *, images: bool = True) -> None:
        self._inline = InlineWriter(base, images=images)
        self._level = 1  # of the heading that was written last: questions and terms are set one below it

    def write(self, nodes: list[PageNode]) -> str:
        """The nodes' content as Markdown; blocks are parted by one empty line, empty without any."""
        blocks = [block for node in nodes for block in self._blocks_of_root(node)]
        return "\n\n".join(without_copies(blocks)).strip("\n") + "\n" if blocks else ""

    def _blocks_of_root(self, node: PageNode) -> list[str]:
        return self._block(node) if node.tag in OWN_BLOCK_TAGS else self._flow(node.kids)

    def _flow(self, kids: list[PageNode | str]) -> list[str]:
        """The blocks of an element's children: texts and inline elements between two blocks make a paragraph."""
        blocks: list[str] = []
        run: list[PageNode | str] = []
        for kid in kids:
            if isinstance(kid, str) or not self._stands_alone(kid):
                run.append(kid)
                continue
            self._paragraph(run, blocks)
            blocks += self._block(kid)
        self._paragraph(run, blocks)
        return blocks

    @staticmethod
    def _stands_alone(node: PageNode) -> bool:
        return node.tag in BLOCK_TAGS or accordion.is_trigger(node) or holds_block(node)

    def _paragraph(self, run: list[PageNode | str], blocks: list[str]) -> None:
        """Append the run as a paragraph, if it has any text, and empty it."""
        text = self._inline.lines(run)
        if text:
            blocks.append(MARKDOWN_SIGN_AT_START.sub(r"\\", text))
        run.clear()

    def _block(self, node: PageNode) -> list[str]:
        if is_heading(node):
            return self._heading(node)
        if accordion.is_trigger(node):
            return self._question(node)
        write = BLOCK_WRITERS.get(node.tag)
        return write(self, node) if write else self._flow(node.kids)

    def _heading(self, node: PageNode) -> list[str]:
        """A heading; one that holds a page's worth of blocks is no heading but broken markup."""
        if node.size > 300 and holds_block(node):
            return self._flow(node.kids)  # a heading that was never closed
        text = self._inline.heading(node)
        if not text:
            return []
        level = int(node.tag[1]) if node.tag in HEADING_TAGS else _number_or(node.get("aria-level"), 2)
        self._level = min(max(level, 1), 6)
        return [f"{'#' * self._level} {text}"]

    def _question(self, node: PageNode) -> list[str]:
        """What opens a collapsed part, as a heading one level below the last one; that level stays as it is."""
        inner = next((part for part in node.descendants() if is_heading(part)), None)
        if inner is not None:
            return self._heading(inner) if inner.size == node.size else self._flow(node.kids)
        text = self._inline.heading(node).lstrip("#>-+* ")
        return [f"{'#' * min(self._level + 1, 6)} {text}"] if text else []

    def _details(self, node: PageNode) -> list[str]:
        """A collapsed part: its summary as a heading, headings inside of it below that (fixture details)."""
        outer = self._level
        summary = next((child for child in node.elements if child.tag == "summary"), None)
        blocks: list[str] = []
        if summary is not None:
            blocks = self._question(summary)
            self._level = min(outer + 1, 6)
        blocks += self._flow([kid for kid in node.kids if kid is not summary])
        self._level = outer
        return blocks

    def _nothing(self, _: PageNode) -> list[str]:
        """Of a rule across the page nothing is written: for a chunk it would say nothing."""
        return []

    def _pre(self, node: PageNode) -> list[str]:
        """Code between fences, without its line numbers (fixtures code, code_listings)."""
        if is_line_numbers(node):
            return []
        text = code_text(node).strip("\n")
        if not text.strip():
            return []
        fence = "````" if "```" in text else "```"  # code about Markdown holds fences itself
        return [f"{fence}{code_language(node)}\n{text}\n{fence}"]

    def _blockquote(self, node: PageNode) -> list[str]:
        """A quotation; code and tables in it stand outside of the quotation marks (fixture code_in_a_quotation)."""
        blocks: list[str] = []
        for is_standalone, group in groupby(self._flow(node.kids), lambda block: block.startswith(STANDALONE_STARTS)):
            if is_standalone:
                blocks += group
            else:
                blocks.append("\n".join(f"> {line}".rstrip() for line in "\n\n".join(group).split("\n")))
        return blocks

    def _bullets(self, node: PageNode) -> list[str]:
        return self._list(node, lambda _: "- ")

    def _numbers(self, node: PageNode) -> list[str]:
        first = _number_or(node.get("start"), 1)
        return self._list(node, lambda index: f"{first + index}. ")

    def _list(self, node: PageNode, marker: Callable[[int], str]) -> list[str]:
        """The items, a line each; one that holds headings, code or tables becomes blocks outside of the list.

        `marker`: what stands before the item with an index. Fixtures nested_lists, code_in_a_list.
        """
        blocks: list[str] = []
        lines: list[str] = []
        index = 0
        for kid in node.kids:
            is_item = not isinstance(kid, str) and kid.tag == "li"
            parts = self._item(kid.kids if is_item and not isinstance(kid, str) else [kid])
            if not parts:
                continue
            lead = marker(index) if is_item else "  "  # text outside of `<li>` goes on with the item above
            if any(part.startswith(STANDALONE_STARTS) for part in parts):
                blocks += ["\n".join(lines)] * bool(lines)
                lines = []
                blocks += (
                    parts if parts[0].startswith(STANDALONE_STARTS) or not is_item else [lead + parts[0], *parts[1:]]
                )
            else:
                lines.append(lead + "\n".join(parts).replace("\n", "\n" + " " * len(lead)))
            index += is_item
        return blocks + ["\n".join(lines)] * bool(lines)

    def _item(self, kids: list[PageNode | str]) -> list[str]:
        """The blocks of an item; short ones that only markup sets apart share a line."""
        parts = self._flow(kids)
        if any(_keeps_lines(kid) for kid in kids) or any(part.startswith(STANDALONE_STARTS) for part in parts):
            return parts
        if len(parts) > 1:
            parts = [" ".join(parts)]
        return [part.replace("\n", " ") for part in parts]

    def _definitions(self, node: PageNode) -> list[str]:
        """A list of terms: short terms and values as list items, else each term as a heading above its value.

        Fixtures definitions, terms_and_values_on_lines.
        """
        items: list[tuple[str, list[str]]] = []
        for child in _terms_and_values(node):
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

    def _table(self, node: PageNode) -> list[str]:
        """A table of data as a table; of one that only places things the blocks in it (fixture layout_table)."""
        captions = [child for child in node.elements if child.tag == "caption"]
        if tables.is_layout(node) or not tables.rows_of(node):
            if code := code_beside_line_numbers(node):  # fixture code_listings
                return self._pre(code)
            return [
                block for part in node.elements for block in self._flow(part.kids if part.tag == "caption" else [part])
            ]
        head = [f"**{self._inline.heading(caption)}**" for caption in captions if caption.size]
        return head + tables.as_table(tables.grid(node, self._cell))

    def _cell(self, node: PageNode) -> str:
        """A cell's content on one line (fixture table_lists_in_cells)."""
        if not holds_block(node):
            return self._inline.line(node)
        blocks = (_one_line(block) for block in self._flow(node.kids))
        return " ".join(blocks)

    def _layout_row(self, node: PageNode) -> list[str]:
        """A row of a table that only places things; short cells share a line, as a name and its value."""
        cells = tables.cells_of_row(node)
        texts = [self._flow(cell.kids) for cell in cells]
        filled = [blocks for blocks in texts if blocks]
        if len(filled) > 1 and all(
            len(blocks) == 1 and len(blocks[0]) < MOST_SHORT_CELL_CHARACTERS for blocks in filled
        ):
            return [" ".join(blocks[0].replace("\n", " ") for blocks in filled)]
        return [block for blocks in texts for block in blocks]


BLOCK_WRITERS: dict[str, Callable[[MarkdownWriter, PageNode], list[str]]] = {
    "details": MarkdownWriter._details,
    "summary": MarkdownWriter._question,
    "hr": MarkdownWriter._nothing,
    "pre": MarkdownWriter._pre,
    "blockquote": MarkdownWriter._blockquote,
    "ul": MarkdownWriter._bullets,
    "menu": MarkdownWriter._bullets,
    "dir": MarkdownWriter._bullets,
    "ol": MarkdownWriter._numbers,
    "dl": MarkdownWriter._definitions,
    "table": MarkdownWriter._table,
    "tr": MarkdownWriter._layout_row,
}
"""What writes a block, by its tag; of other tags the children are written. Headings and what opens a part are told first."""


def _one_line(block: str) -> str:
    """A block without its marks on one line, as it may stand in a cell."""
    if block.startswith("```"):
        return " ".join(f"`{line.strip()}`" for line in block.split("\n")[1:-1] if line.strip() and "`" not in line)
    lines = (re.sub(r"^\s*(?:[-*]|\d+\.|#{1,6}|>)\s+", "", line) for line in block.split("\n"))
    return ("; " if block.startswith("- ") else " ").join(lines)


def _keeps_lines(kid: PageNode | str) -> bool:
    """Whether an item with this in it needs lines of its own: a list, a table, or a long paragraph."""
    if isinstance(kid, str):
        return False
    inner_blocks = OWN_BLOCK_TAGS - {"p"}
    is_long = kid.tag == "p" and kid.size > 2 * MOST_SHORT_CELL_CHARACTERS
    return kid.tag in inner_blocks or kid.has(inner_blocks) or is_long


def _bold(term: str) -> str:
    return term if "`" in term or "*" in term else f"**{term}**"


def _terms_and_values(node: PageNode) -> list[PageNode | str]:
    """The children of a `<dl>`; a `<div>` around a term and its value is looked through."""
    return [
        part
        for kid in node.kids
        for part in (_terms_and_values(kid) if not isinstance(kid, str) and kid.tag == "div" else [kid])
    ]


def _number_or(value: str, otherwise: int) -> int:
    """The number that an attribute begins with."""
    found = re.match(r"\s*(\d{1,6})", value)
    return int(found[1]) if found else otherwise
