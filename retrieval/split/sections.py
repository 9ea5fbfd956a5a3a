"""A document as sections: the blocks under one heading; small neighbours are joined, each FAQ question stays by itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from retrieval.document import Document
from retrieval.split.blocks import Block, blocks
from retrieval.split.questions import is_question, with_questions
from retrieval.text.plain import plain
from retrieval.text.tokens import count, tokens

JOINED_SHARE = 0.25
"""Neighbouring sections are joined while together they stay below this share of a chunk's size.

Chosen by hand; `python -m benchmarks.quality --data DIR` shows what a change does to finding the right page.
"""
MOST_LEAD_CHARACTERS = 300
"""Characters that a paragraph may have to count as what introduces the table, list or code under it; chosen by hand."""
TABLE_CAPTION = re.compile(
    r"\W*(?:table|tab\.|tabelle|tableau|tabla|tabella|tabela|tabel|tabell|taulukko|tabulka|tablo|таблица|таблиця|πίνακας"
    r"|جدول|טבלה|表|표|ตาราง|bảng)(?![^\W\d_])",
    re.I,
)
"""How the caption of a table begins, in some twenty languages."""


@dataclass(slots=True)
class Section:
    """The blocks under one heading.

    `path`: the headings that it stands under, its own last; `level` and `offset`: its own heading's. `joined`: it is several
    sections in one, with their headings as bold lines among the blocks, and `path` is what they share.
    """

    path: tuple[str, ...]
    level: int
    offset: int
    blocks: list[Block] = field(default_factory=list)
    joined: bool = False
    tokens: list[int] | None = None
    """The tokens of its text, where they have been counted already."""

    @property
    def parent(self) -> tuple[str, ...]:
        """The headings above the section; of joined ones, the path that they share."""
        return self.path if self.joined else self.path[:-1]

    @property
    def text(self) -> str:
        """The section's text without its heading, blocks parted by an empty line."""
        return "\n\n".join(block.text for block in self.blocks)


def sections(document: Document, small: int) -> list[Section]:
    """The sections in order; neighbours under one parent that together have fewer than `small` tokens are joined."""
    parted = list(_sections(document))
    if not parted:  # a title alone is all that the page says
        parted = [Section((), 0, 0, [Block("text", block.name, block.offset)]) for block in blocks(document.markdown)][
            :1
        ]
    for section in parted:
        if section.path and not section.blocks:
            section.blocks.append(_heading_as_text(section))
    return _small_ones_joined(parted, small)


def _heading_as_text(section: Section) -> Block:
    """A section's heading as a bold line: one with nothing under it still says something."""
    return Block("text", f"**{section.path[-1]}**", section.offset)


def _sections(document: Document) -> Iterator[Section]:
    """The sections as the headings part them; the page's title is left out of their paths, since each chunk has it anyway."""
    title = plain(document.title).strip()
    path: list[tuple[int, str]] = []
    section = Section((), 0, 0)
    for block in _with_questions_marked(blocks(document.markdown)):
        if block.kind != "heading":
            section.blocks.append(block)
            continue
        if section.blocks or (section.path and block.level <= section.level):
            yield _with_leads_joined(section)
        path = [*(step for step in path if step[0] < block.level), (block.level, block.name)]
        names = tuple(name for depth, name in path if name and not (depth == 1 and name == title))
        section = Section(names, block.level, block.offset)
    if section.blocks or section.path:
        yield _with_leads_joined(section)


def _with_questions_marked(blocks: Iterable[Block]) -> Iterator[Block]:
    """All blocks, with questions that no heading marks turned into headings."""
    run: list[Block] = []
    for block in blocks:
        if block.kind == "heading":
            yield from with_questions(run)
            yield block
            run = []
        else:
            run.append(block)
    yield from with_questions(run)


def _with_leads_joined(section: Section) -> Section:
    """The section, with each paragraph that introduces a table, a list or code merged into that block."""
    led: list[Block] = []
    for block in section.blocks:
        if led and _introduces(led[-1], block):
            lead = led.pop()
            text = f"{lead.text}\n\n{block.text}"
            led.append(replace(block, text=text, offset=lead.offset, lead=len(lead.text) + 2))
        else:
            led.append(block)
    section.blocks = led
    return section


def _introduces(lead: Block, block: Block) -> bool:
    """Whether a paragraph introduces the block under it: it ends in a colon, or is a table's caption or bold title."""
    if lead.kind != "text" or block.kind == "text" or len(lead.text) > MOST_LEAD_CHARACTERS:
        return False
    text = lead.text.strip()
    if text.rstrip("*_ ").endswith((":", "：")):
        return True
    return block.kind == "table" and (bool(TABLE_CAPTION.match(text)) or _is_bold(text))


def _is_bold(text: str) -> bool:
    return len(text) > 4 and text[:2] == text[-2:] and text[:2] in ("**", "__") and "\n" not in text


def _small_ones_joined(sections: Sequence[Section], small: int) -> list[Section]:
    """The sections, small ones joined with small neighbours under the same parent; their headings become bold lines."""
    joined: list[Section] = []
    size = 0
    for section in sections:
        own = _tokens_of(section, small)
        last = joined[-1] if joined else None
        if last and size + own < small and _may_be_joined(last, section):
            # 4: for the ** around the heading and the empty line behind it
            size += own + sum(count(one.path[-1]) + 4 for one in (last, section) if not one.joined)
            last.blocks = [*_blocks_with_heading(last), *_blocks_with_heading(section)]
            last.path, last.joined, last.tokens = last.parent, True, None
        else:
            joined.append(section)
            size = own
    return joined


def _blocks_with_heading(section: Section) -> list[Block]:
    """The section's blocks, its heading as a bold line before them unless it is there already."""
    is_headed = section.joined or section.blocks[0].offset == section.offset
    return section.blocks if is_headed else [_heading_as_text(section), *section.blocks]


def _tokens_of(section: Section, small: int) -> int:
    """How many tokens a section's text has; `small` where its length alone tells that it has more, which saves counting."""
    if sum(len(block.text) for block in section.blocks) > 8 * small:  # texts have fewer than 8 characters a token
        return small
    section.tokens = tokens(section.text)
    return len(section.tokens) + 1


def _may_be_joined(last: Section, section: Section) -> bool:
    """Whether two neighbours have the same parent and level, and neither is a question of an FAQ."""
    if not (last.path or last.joined) or not section.path or section.level != last.level:
        return False
    if last.parent != section.path[:-1] or section.level > 6:
        return False
    return not any(is_question(path[-1]) for path in (last.path, section.path) if path)
