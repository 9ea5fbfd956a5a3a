"""Markdown as Telegram shows it: plain text and entities.

Text with entities can't be refused for its markup, unlike the three parse modes, and it can be cut anywhere.
Offsets and lengths are UTF-16 units, as Telegram counts them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from bot.messages import Citation

# Without link definitions: a line `[1]: https://…` is text, and a marker `[1]` stays a marker.
_MARKDOWN = (
    MarkdownIt("commonmark", {"html": False, "maxNesting": 100}).enable(["table", "strikethrough"]).disable("reference")
)
_LINK = re.compile(r"(?:https?://|mailto:|tel:).", re.IGNORECASE)
_INLINE = {"strong": "bold", "em": "italic", "s": "strikethrough"}


@dataclass(frozen=True, slots=True)
class Entity:
    """A stretch of the text and how it looks; `url` for text_link, `language` for pre."""

    type: str
    offset: int
    length: int
    url: str = ""
    language: str = ""

    def as_json(self) -> dict[str, Any]:
        """The entity as the Bot API takes it."""
        record: dict[str, Any] = {"type": self.type, "offset": self.offset, "length": self.length}
        return record | {key: value for key in ("url", "language") if (value := getattr(self, key))}


@dataclass(frozen=True, slots=True)
class Rich:
    """Plain text and its entities."""

    text: str
    entities: tuple[Entity, ...] = ()


def units(text: str) -> int:
    """The length in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def convert(markdown: str, citations: Sequence[Citation] = (), label: str = "Sources") -> Rich:
    """Markdown, and its sources listed under `label`, as text and entities."""
    writer = _Writer()
    clean = markdown.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    writer.blocks(SyntaxTreeNode(_MARKDOWN.parse(clean)).children)
    if citations:
        writer.sources(citations, label)
    return Rich("".join(writer.pieces), tuple(sorted(writer.entities, key=lambda item: item.offset)))


@dataclass(slots=True)
class _Writer:
    """Writes a syntax tree down, block by block."""

    pieces: list[str] = field(default_factory=list)
    size: int = 0
    entities: list[Entity] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    depth: int = 0

    def put(self, text: str) -> None:
        self.pieces.append(text)
        self.size += units(text)

    @contextmanager
    def span(self, kind: str, **extra: str) -> Iterator[None]:
        """What is written inside gets an entity, unless it is inside one of its kind already."""
        start, nested = self.size, kind in self.open
        self.open.append(kind)
        yield
        self.open.pop()
        if self.size > start and not nested:
            self.entities.append(Entity(kind, start, self.size - start, **extra))

    def blocks(self, nodes: Sequence[SyntaxTreeNode], gap: str = "\n\n") -> None:
        for number, node in enumerate(nodes):
            self.put(gap if number else "")
            self.block(node)

    def block(self, node: SyntaxTreeNode) -> None:
        match node.type:
            case "heading":
                with self.span("bold"):
                    self.inline(node)
            case "bullet_list" | "ordered_list":
                self.items(node)
            case "blockquote":
                with self.span("blockquote"):
                    self.blocks(node.children)
            case "fence" | "code_block":
                with self.span("pre", language=(node.info.split() or [""])[0]):
                    self.put(node.content.rstrip("\n"))
            case "table":
                self.rows(node)
            case "hr":
                self.put("———")
            case _:
                self.inline(node)

    def items(self, node: SyntaxTreeNode) -> None:
        first = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
        for number, item in enumerate(node.children):
            mark = "•" if first is None else f"{first + number}."
            self.put(("\n" if number else "") + "  " * self.depth + mark + " ")
            self.depth += 1
            self.blocks(item.children, "\n")
            self.depth -= 1

    def rows(self, table: SyntaxTreeNode) -> None:
        for number, row in enumerate(row for part in table.children for row in part.children):
            self.put("\n" if number else "")
            if number:
                self.cells(row)
                continue
            with self.span("bold"):
                self.cells(row)

    def cells(self, row: SyntaxTreeNode) -> None:
        for number, cell in enumerate(row.children):
            self.put(" | " if number else "")
            self.inline(cell)

    def inline(self, node: SyntaxTreeNode) -> None:
        for child in node.children:
            self.piece(child)

    def piece(self, node: SyntaxTreeNode) -> None:
        match node.type:
            case "softbreak" | "hardbreak":
                self.put("\n")
            case "code_inline":
                with self.span("code"):
                    self.put(node.content)
            case "strong" if node.markup == "__" and is_name(node):
                self.put(f"__{node.children[0].content}__")
            case "strong" | "em" | "s":
                with self.span(_INLINE[node.type]):
                    self.inline(node)
            case "link":
                self.link(node, str(node.attrs["href"]))
            case "image":
                self.link(node, str(node.attrs["src"]))
            case _:
                self.put("" if node.children else node.content)
                self.inline(node)

    def link(self, node: SyntaxTreeNode, url: str) -> None:
        """A link; an address that a person may have to copy (mail, phone) is written out as well."""
        if not _LINK.match(url):
            self.inline(node)
            return
        start = len(self.pieces)
        with self.span("text_link", url=url):
            self.inline(node)
            if len(self.pieces) == start:
                self.put(url)
        scheme, _, address = url.partition(":")
        if scheme.lower() in ("mailto", "tel") and address not in "".join(self.pieces[start:]):
            self.put(f" ({address})")

    def sources(self, citations: Sequence[Citation], label: str) -> None:
        self.put("\n\n" if self.size else "")
        with self.span("bold"):
            self.put(label)
        for item in citations:
            self.put(f"\n[{item.number}] ")
            title = " ".join(item.title.split()) or item.url
            if not _LINK.match(item.url):
                self.put(title)
                continue
            with self.span("text_link", url=item.url):
                self.put(title)


def is_name(node: SyntaxTreeNode) -> bool:
    """Whether underscores belong to a name, as in `__init__`, and mark no emphasis."""
    children = node.children
    return len(children) == 1 and re.fullmatch(r"\w+", children[0].content or "") is not None
