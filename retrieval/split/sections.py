"""A document's sections: the blocks between two headings, small neighbours joined, each FAQ question by itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from retrieval.document import Document
from retrieval.split.blocks import Block, blocks
from retrieval.split.questions import is_question, with_questions
from retrieval.text.plain import plain
from retrieval.text.tokens import count, tokens

SMALL = 0.25
"""Sections that together stay below this share of the limit are joined."""
MOST_LEAD = 300
"""Letters that a line may have to be what introduces the table, the list or the code under it."""
CAPTION = re.compile(
    r"\W*(?:table|tab\.|tabelle|tableau|tabla|tabella|tabela|tabel|tabell|taulukko|tabulka|tablo|таблица|таблиця|πίνακας"
    r"|جدول|טבלה|表|표|ตาราง|bảng)(?![^\W\d_])",
    re.I,
)
"""How a table's caption begins."""


@dataclass(slots=True)
class Section:
    """The blocks under one heading; `joined`: several sections, their headings in bold among the blocks."""

    path: tuple[str, ...]
    level: int
    offset: int
    blocks: list[Block] = field(default_factory=list)
    joined: bool = False
    tokens: list[int] | None = None
    """Of its text, where they are known already."""

    @property
    def parent(self) -> tuple[str, ...]:
        """The path that the section hangs under; of joined ones, the path that they share."""
        return self.path if self.joined else self.path[:-1]

    @property
    def text(self) -> str:
        """The section's text without its heading."""
        return "\n\n".join(block.text for block in self.blocks)


def sections(document: Document, small: int) -> list[Section]:
    """The sections in order; neighbours of one parent that together have fewer than `small` tokens are one."""
    found = list(_sections(document))
    if not found:  # a title alone is all that the page says
        found = [Section((), 0, 0, [Block("text", block.name, block.offset)]) for block in blocks(document.markdown)][
            :1
        ]
    for section in found:
        if section.path and not section.blocks:
            section.blocks.append(_bold(section))
    return _joined(found, small)


def _bold(section: Section) -> Block:
    """A heading as a line of text: one with nothing under it still says something."""
    return Block("text", f"**{section.path[-1]}**", section.offset)


def _sections(document: Document) -> Iterator[Section]:
    title = plain(document.title).strip()
    path: list[tuple[int, str]] = []
    section = Section((), 0, 0)
    for block in _marked(blocks(document.markdown)):
        if block.kind != "heading":
            section.blocks.append(block)
            continue
        if section.blocks or (section.path and block.level <= section.level):
            yield _whole(section)
        path = [*(step for step in path if step[0] < block.level), (block.level, block.name)]
        names = tuple(name for depth, name in path if name and not (depth == 1 and name == title))
        section = Section(names, block.level, block.offset)
    if section.blocks or section.path:
        yield _whole(section)


def _marked(found: Iterable[Block]) -> Iterator[Block]:
    """All blocks, with the questions that no heading marks as headings."""
    run: list[Block] = []
    for block in found:
        if block.kind == "heading":
            yield from with_questions(run)
            yield block
            run = []
        else:
            run.append(block)
    yield from with_questions(run)


def _whole(section: Section) -> Section:
    """The section with what introduces a table, a list or code as a part of it."""
    led: list[Block] = []
    for block in section.blocks:
        if led and _leads(led[-1], block):
            lead = led.pop()
            text = f"{lead.text}\n\n{block.text}"
            led.append(replace(block, text=text, offset=lead.offset, lead=len(lead.text) + 2))
        else:
            led.append(block)
    section.blocks = led
    return section


def _leads(lead: Block, block: Block) -> bool:
    if lead.kind != "text" or block.kind == "text" or len(lead.text) > MOST_LEAD:
        return False
    text = lead.text.strip()
    if text.rstrip("*_ ").endswith((":", "：")):
        return True
    return block.kind == "table" and (bool(CAPTION.match(text)) or _is_bold(text))


def _is_bold(text: str) -> bool:
    return len(text) > 4 and text[:2] == text[-2:] and text[:2] in ("**", "__") and "\n" not in text


def _joined(found: Sequence[Section], small: int) -> list[Section]:
    """Small sections joined with small neighbours under the same parent; headings stay in the text."""
    joined: list[Section] = []
    size = 0
    for section in found:
        own = _size(section, small)
        last = joined[-1] if joined else None
        if last and size + own < small and _belong(last, section):
            size += own + sum(count(one.path[-1]) + 4 for one in (last, section) if not one.joined)
            last.blocks = [*_headed(last), *_headed(section)]
            last.path, last.joined, last.tokens = last.parent, True, None
        else:
            joined.append(section)
            size = own
    return joined


def _headed(section: Section) -> list[Block]:
    """The section's blocks with its heading among them."""
    has_it = section.joined or section.blocks[0].offset == section.offset
    return section.blocks if has_it else [_bold(section), *section.blocks]


def _size(section: Section, small: int) -> int:
    """The tokens of a section's text, or `small` where its letters alone tell that it has more."""
    if sum(len(block.text) for block in section.blocks) > 8 * small:
        return small
    section.tokens = tokens(section.text)
    return len(section.tokens) + 1


def _belong(last: Section, section: Section) -> bool:
    if not (last.path or last.joined) or not section.path or section.level != last.level:
        return False
    if last.parent != section.path[:-1] or section.level > 6:
        return False
    return not any(is_question(path[-1]) for path in (last.path, section.path) if path)
