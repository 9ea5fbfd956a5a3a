"""A reply as WhatsApp shows it: its own marks, within 1600 characters a part.

While a text is put together and cut, marks are single private-use characters that open or close something.
So a cut never falls inside a mark, what is open at a border can be closed and opened again, and a mark that
WhatsApp wouldn't read (inside a word) can be left out. The real marks are written last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from bot.messages import Citation, Part, Reply, cut

MESSAGE_CHARACTERS = 1600
"""Twilio's limit for WhatsApp."""
RESERVED_CHARACTERS = 16
"""Room for what is closed at a part's end and opened again at its start."""

SOURCES_LABEL = {"en": "Sources", "de": "Quellen", "es": "Fuentes", "fr": "Sources"}
OPENING_MARKS = {"\ue000": "*", "\ue001": "_", "\ue002": "~", "\ue003": "`", "\ue004": "```\n"}
CLOSING_MARKS = {"\ue010": "*", "\ue011": "_", "\ue012": "~", "\ue013": "`", "\ue014": "\n```"}
BOLD, ITALIC, STRIKE, CODE, FENCE = OPENING_MARKS
_PAIR = dict(zip(OPENING_MARKS, CLOSING_MARKS, strict=True))
_EMPTY = re.compile("|".join(rf"{start}\s*{end}" for start, end in _PAIR.items()))
_STYLES = {"strong": BOLD, "em": ITALIC, "s": STRIKE}
_LINK = re.compile(r"(?:https?://|mailto:|tel:).", re.IGNORECASE)

# Without link definitions: a line `[1]: https://…` is text, and a marker `[1]` stays a marker.
_MARKDOWN = (
    MarkdownIt("commonmark", {"html": False, "maxNesting": 100}).enable(["table", "strikethrough"]).disable("reference")
)


def render(reply: Reply) -> list[Part]:
    """The reply's parts, in order, as `{"body": text}`."""
    blocks = [convert(reply.text)]
    blocks += ["\n".join(f"{n}. {choice}" for n, choice in enumerate(reply.choices, 1))]
    if reply.citations:
        blocks.append(_sources(reply.citations, reply.language))
    return [{"body": body} for body in split("\n\n".join(filter(None, blocks)))]


def _sources(citations: Sequence[Citation], language: str) -> str:
    label = SOURCES_LABEL.get(language.partition("-")[0].lower(), SOURCES_LABEL["en"])
    lines = [
        f"[{item.number}] " + " – ".join(filter(None, (" ".join(item.title.split()), item.url))) for item in citations
    ]
    return "\n".join([_mark(BOLD, label), *lines])


def convert(markdown: str) -> str:
    """Markdown as text with private-use marks."""
    known = dict.fromkeys(map(ord, OPENING_MARKS | CLOSING_MARKS))
    clean = markdown.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").translate(known)
    return _blocks(SyntaxTreeNode(_MARKDOWN.parse(clean)).children)


def _blocks(nodes: Sequence[SyntaxTreeNode], gap: str = "\n\n", depth: int = 0) -> str:
    return gap.join(_block(node, depth) for node in nodes)


def _block(node: SyntaxTreeNode, depth: int) -> str:
    match node.type:
        case "heading":
            return _mark(BOLD, _inline(node))
        case "bullet_list" | "ordered_list":
            return _items(node, depth)
        case "blockquote":
            return "\n".join(f"> {line}" for line in _blocks(node.children, "\n", depth).split("\n"))
        case "fence" | "code_block":
            return FENCE + node.content.rstrip("\n") + _PAIR[FENCE]
        case "table":
            rows = [" | ".join(map(_inline, row.children)) for part in node.children for row in part.children]
            return "\n".join([_mark(BOLD, rows[0]), *rows[1:]])
        case "hr":
            return "———"
        case _:
            return _inline(node)


def _items(node: SyntaxTreeNode, depth: int) -> str:
    first = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
    lines = []
    for number, item in enumerate(node.children):
        mark = "-" if first is None else f"{first + number}."
        lines.append("  " * depth + mark + " " + _blocks(item.children, "\n", depth + 1))
    return "\n".join(lines)


def _inline(node: SyntaxTreeNode) -> str:
    return "".join(map(_piece, node.children))


def _piece(node: SyntaxTreeNode) -> str:
    match node.type:
        case "softbreak" | "hardbreak":
            return "\n"
        case "code_inline":
            return node.content if "`" in node.content else _mark(CODE, node.content)
        case "strong" if node.markup == "__" and _is_name(node):
            return f"__{node.children[0].content}__"
        case "strong" | "em" | "s":
            return _mark(_STYLES[node.type], _inline(node))
        case "link":
            return _link(_inline(node), str(node.attrs["href"]))
        case "image":
            return _link(_inline(node), str(node.attrs["src"]))
        case _:
            return _inline(node) if node.children else node.content


def _is_name(node: SyntaxTreeNode) -> bool:
    """Whether underscores belong to a name, as in `__init__`, and mark no emphasis."""
    return len(node.children) == 1 and re.fullmatch(r"\w+", node.children[0].content or "") is not None


def _link(text: str, url: str) -> str:
    """`text (address)`; the address alone when the text says nothing else; other schemes are left out."""
    if not _LINK.match(url):
        return text
    shown = re.sub(r"^(mailto|tel):", "", url, flags=re.IGNORECASE)
    return f"{text} ({shown})" if text and shown not in text else text or shown


def _mark(start: str, text: str) -> str:
    """Marked text; WhatsApp's marks end with the line, so each line has its own."""
    return "\n".join(start + line + _PAIR[start] for line in text.split("\n"))


def split(text: str) -> list[str]:
    """Bodies within the limit; what is open at a border is closed and opened again."""
    text = _tidy(text)
    bodies, at, still_open = [], 0, ""
    for piece in cut(text, MESSAGE_CHARACTERS - RESERVED_CHARACTERS, _size):
        start = at + len(text[at:]) - len(text[at:].lstrip())
        at = start + len(piece)
        indent = _indent(text, start) if FENCE in still_open else ""
        marked = (
            still_open + (indent if _size(indent + piece) <= MESSAGE_CHARACTERS - RESERVED_CHARACTERS else "") + piece
        )
        still_open = _open_at_end(marked)
        bodies.append(_written(marked + "".join(_PAIR[mark] for mark in reversed(still_open))))
    return [body for body in bodies if body]


def _indent(text: str, start: int) -> str:
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return before if before.isspace() else ""


def _size(text: str) -> int:
    """UTF-16 units of the written text: never fewer than characters; a fence is four."""
    return len(text.encode("utf-16-le")) // 2 + 3 * (text.count(FENCE) + text.count(_PAIR[FENCE]))


def _open_at_end(text: str) -> str:
    found: list[str] = []
    for mark in text:
        if mark in OPENING_MARKS:
            found.append(mark)
        elif mark in CLOSING_MARKS:
            found.pop()
    return "".join(found)


def _tidy(text: str) -> str:
    """The text without marks that WhatsApp wouldn't read: in a word, around nothing, in their own kind."""
    chars, open_at = list(text), list[int]()
    for at, mark in enumerate(chars):
        if mark in OPENING_MARKS:
            open_at.append(at)
        elif mark in CLOSING_MARKS:
            start = open_at.pop()
            nested = any(chars[outer] == chars[start] for outer in open_at)
            if nested or _in_word(text, start, -1) or _in_word(text, at, 1):
                chars[start] = chars[at] = ""
    return _EMPTY.sub("", "".join(chars))


def _in_word(text: str, at: int, step: int) -> bool:
    """Whether the next visible character on that side of a mark belongs to a word."""
    at += step
    while 0 <= at < len(text) and (text[at] in OPENING_MARKS or text[at] in CLOSING_MARKS):
        at += step
    return 0 <= at < len(text) and text[at].isalnum() and text[at - step] not in (FENCE, _PAIR[FENCE])


def _written(text: str) -> str:
    text = _EMPTY.sub("", text)
    return "".join(OPENING_MARKS.get(char) or CLOSING_MARKS.get(char, char) for char in text).strip()
