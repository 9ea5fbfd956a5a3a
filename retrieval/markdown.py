"""A tree of HTML as Markdown. Text is never dropped: whatever isn't known is written as its text."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from selectolax.lexbor import LexborNode

from retrieval import table as tables

BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "center",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "menu",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
        "search",
    ]
)
MARKS = {
    "strong": "**",
    "b": "**",
    "em": "*",
    "i": "*",
    "del": "~~",
    "s": "~~",
    "code": "`",
    "kbd": "`",
    "samp": "`",
}
SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
SPACE = re.compile(r"[ \t\r\n\f\u00a0]+")
LINK = re.compile(r"!?\[([^\]]*)\]\(<?[^)\s>]*>?(?:\s+\"[^\"]*\")?\)")


def plain(markdown: str) -> str:
    """Markdown as a reader hears it: link and image addresses, table rules and emphasis marks gone."""
    text = LINK.sub(r"\1", markdown)
    text = re.sub(r"^\|(?:\s*:?-+:?\s*\|)+\s*$", "", text, flags=re.M)
    text = re.sub(r"(\*\*|~~|`+)", "", text)
    return re.sub(r"^#{1,6}\s+", "", text, flags=re.M)


class Writer:
    """Writes nodes of one page; `base` makes links absolute."""

    def __init__(self, base: str, *, images: bool = True) -> None:
        self.base = base
        self.images = images
        self._level = 1

    def write(self, nodes: list[LexborNode]) -> str:
        """The nodes' content as Markdown, blocks separated by one empty line."""
        blocks = [block for node in nodes for block in self._blocks(node)]
        return "\n\n".join(blocks).strip() + "\n" if blocks else ""

    def _blocks(self, node: LexborNode, but: LexborNode | None = None) -> list[str]:
        """The blocks of a node's children, except of one; the tree is never changed, since a node may be read again."""
        blocks: list[str] = []
        run: list[str] = []
        for child in node.iter(include_text=True):
            if but is not None and child.mem_id == but.mem_id:
                continue
            if child.tag in BLOCKS or (_may_wrap(child) and _holds_block(child)):
                self._flush(run, blocks)
                blocks += self._block(child)
            else:
                run.append(self._inline(child))
        self._flush(run, blocks)
        return blocks

    @staticmethod
    def _flush(run: list[str], blocks: list[str]) -> None:
        text = _tidy("".join(run))
        if text:
            blocks.append(text)
        run.clear()

    def _block(self, node: LexborNode) -> list[str]:
        tag = node.tag or ""
        if tag[0] == "h" and tag[1:].isdigit():
            return self._heading(node, int(tag[1]))
        writer = getattr(self, f"_{tag}", None)
        return writer(node) if writer else self._blocks(node)

    def _heading(self, node: LexborNode, level: int) -> list[str]:
        text = _tidy(self._flat(node)).replace("\n", " ")
        if not text:
            return []
        self._level = level
        return [f"{'#' * level} {text}"]

    def _hr(self, _: LexborNode) -> list[str]:
        return []

    def _pre(self, node: LexborNode) -> list[str]:
        for line_break in node.css("br"):
            line_break.replace_with("\n")
        text = node.text().strip("\n")
        code = node.css_first("code")
        names = ((code if code is not None else node).attributes.get("class") or "").split()
        language = next((name.split("-", 1)[1] for name in names if name.startswith(("language-", "lang-"))), "")
        fence = "````" if "```" in text else "```"
        return [f"{fence}{language}\n{text}\n{fence}"] if text.strip() else []

    def _blockquote(self, node: LexborNode) -> list[str]:
        inner = "\n\n".join(self._blocks(node))
        return ["\n".join(f"> {line}".rstrip() for line in inner.split("\n"))] if inner else []

    def _ul(self, node: LexborNode) -> list[str]:
        return self._list(node, lambda _: "- ")

    _menu = _ul

    def _ol(self, node: LexborNode) -> list[str]:
        start = node.attributes.get("start") or "1"
        first = int(start) if start.isdigit() else 1
        return self._list(node, lambda index: f"{first + index}. ")

    def _list(self, node: LexborNode, marker: object) -> list[str]:
        lines: list[str] = []
        index = 0
        for child in node.iter(include_text=True):
            if child.tag in ("ul", "ol"):
                blocks = self._block(child)
            else:
                blocks = self._blocks(child) if child.tag in BLOCKS else [_tidy(self._inline(child))]
            inner = "\n".join(block for block in blocks if block)
            if inner:
                lead = marker(index) if child.tag == "li" else "  "  # type: ignore[operator]
                lines.append(lead + inner.replace("\n", "\n" + " " * len(lead)))
                index += child.tag == "li"
        return ["\n".join(lines)] if lines else []

    def _dl(self, node: LexborNode) -> list[str]:
        """A short term and its value make a list item; a question or a long value makes a heading above its answer."""
        items: list[tuple[str, list[str]]] = []
        for child in _parts(node):
            if child.tag == "dt":
                items.append((_tidy(self._flat(child)).replace("\n", " ").strip("*: "), []))
            else:
                blocks = self._blocks(child) if child.tag == "dd" else [_tidy(self._inline(child))]
                blocks = [block for block in blocks if block]
                items = items or ([("", [])] if blocks else [])  # white space between the tags is nothing
                if blocks:
                    items[-1][1].extend(blocks)
        short = all(len(blocks) == 1 and len(blocks[0]) <= 160 and "\n" not in blocks[0] for _, blocks in items)
        if items and short and all(term and not term.endswith("?") for term, _ in items):
            return ["\n".join(f"- **{term}**: {blocks[0]}" for term, blocks in items)]
        level = min(self._level + 1, 6)
        return [
            block for term, blocks in items for block in (f"{'#' * level} {term}" if term else "", *blocks) if block
        ]

    def _details(self, node: LexborNode) -> list[str]:
        outer = self._level
        summary = next((child for child in node.iter() if child.tag == "summary"), None)
        blocks = self._heading(summary, min(outer + 1, 6)) if summary is not None else []
        blocks += self._blocks(node, but=summary)
        self._level = outer
        return blocks

    def _table(self, node: LexborNode) -> list[str]:
        if tables.is_layout(node):
            captions = [block for child in node.iter() if child.tag == "caption" for block in self._blocks(child)]
            cells = [cell for row in tables.rows_of(node) for cell in row.iter()]
            return captions + [block for cell in cells for block in self._blocks(cell)]
        caption = next((child for child in node.iter() if child.tag == "caption"), None)
        texts = tables.grid(node, lambda cell: _tidy(" ".join(self._blocks(cell))))
        text = tables.as_markdown(texts, tables.header_rows(node))
        head = [f"**{_tidy(self._flat(caption))}**"] if caption is not None else []
        return head + ([text] if text else [])

    def _flat(self, node: LexborNode) -> str:
        return "".join(self._inline(child) for child in node.iter(include_text=True))

    def _inline(self, node: LexborNode) -> str:
        tag = node.tag or ""
        if tag == "-text":
            return SPACE.sub(" ", node.text(deep=False))
        if tag.startswith(("-", "_", "!")):
            return ""
        if tag in ("br", "wbr"):
            return "\n" if tag == "br" else ""
        if tag == "img":
            return self._image(node)
        if tag in MARKS:
            return _marked(node.text() if MARKS[tag] == "`" else self._flat(node), MARKS[tag])
        text = self._flat(node)
        if tag == "sup" and text.strip().isdigit():
            return text.strip().translate(SUPERSCRIPT)
        if tag in BLOCKS:
            return f" {text} "
        return self._link(node, text) if tag == "a" else text

    def _image(self, node: LexborNode) -> str:
        attributes = node.attributes
        alt = SPACE.sub(" ", attributes.get("alt") or "").strip()
        address = attributes.get("data-src") or attributes.get("src") or ""
        if not self.images or not alt or not address or address.startswith("data:"):
            return ""
        return f"![{alt}]({_absolute(self.base, address)})"

    def _link(self, node: LexborNode, text: str) -> str:
        address = (node.attributes.get("href") or "").strip()
        label = text.strip()
        if not label or not address or address.startswith(("#", "javascript:")):
            return text
        before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        return f"{before}[{label}]({_absolute(self.base, address)}){after}"


def _absolute(base: str, address: str) -> str:
    try:
        return urljoin(base, address).replace(" ", "%20").replace(")", "%29").replace("(", "%28")
    except ValueError:
        return address


def _parts(node: LexborNode) -> list[LexborNode]:
    """The children of a list of terms; a `<div>` around a term and its value is looked through."""
    children = list(node.iter(include_text=True))
    return [part for child in children for part in (_parts(child) if child.tag == "div" else [child])]


def _may_wrap(node: LexborNode) -> bool:
    """Inline elements that pages put around blocks, and elements of a page's own (their names hold a hyphen)."""
    return node.tag in ("a", "span", "label", "font") or "-" in (node.tag or "")


def _holds_block(node: LexborNode) -> bool:
    return any(child.tag in BLOCKS or _holds_block(child) for child in node.iter())


def _marked(text: str, mark: str) -> str:
    inner = SPACE.sub(" ", text) if mark == "`" else text
    core = inner.strip()
    if not core:
        return inner
    before, after = inner[: len(inner) - len(inner.lstrip())], inner[len(inner.rstrip()) :]
    return f"{before}{mark}{core}{mark}{after}"


def _tidy(text: str) -> str:
    lines = (SPACE.sub(" ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
