"""Near-duplicates: two documents that differ in a number, a size, a letter or a name; the question's own decides.

All pairs are put into one index, so each question has two hundred other documents to get lost in. It counts as found when its
document is the first hit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from retrieval.db import Database
from retrieval.document import Document
from retrieval.embed.embedder import LocalEmbedder
from retrieval.index.index import Entry, Index
from retrieval.search.floor import OffTopicLevels
from retrieval.search.search import Options, search
from retrieval.split.by_headings import split

LINES = (Path(__file__).parent / "near_duplicates.txt").read_text(encoding="utf-8").splitlines()


@dataclass(frozen=True)
class Twin:
    """One document of a pair, and the question that only it answers."""

    document: Document
    question: str


def twins(shape: str) -> list[tuple[Twin, Twin]]:
    """All pairs. `shape`: `titled` has the value in the title, `crossed` names the twin as well, `bare` has it in the text."""
    pairs = []
    for number, line in enumerate(line for line in LINES if not line.startswith("#")):
        language, title, text, question, one, other = line.split(" | ")
        texts = {"title": title, "text": text, "question": question, "language": language}
        pair = [
            _twin(f"{number}{side}", shape, texts, mine, twins_value)
            for side, mine, twins_value in (("a", one, other), ("b", other, one))
        ]
        pairs.append((pair[0], pair[1]))
    return pairs


def _twin(name: str, shape: str, texts: dict[str, str], mine: str, twins_value: str) -> Twin:
    (x, y), other = mine.split(" ~ "), twins_value.split(" ~ ")[0]
    title = texts["title"].format(x="" if shape == "bare" else x).strip(" ,:-")
    body = texts["text"].format(x=x, y=y)
    if shape == "crossed":
        body += f"\n\n→ [{texts['title'].format(x=other)}](https://x.example/other)"
    document = Document(f"https://x.example/{name}", title, f"# {title}\n\n{body}\n", texts["language"])
    question = texts["question"].format(x=x)
    return Twin(document, GLUED.sub(r"\1\2", question) if shape == "crossed" else question)


GLUED = re.compile(r"(\d) ?(mm|cm|m|g|kg|ml|GB|W|V|Wh|mAh)\b")
"""Numbers and units as people type them: 40mm."""


async def filled(index: Index, shape: str) -> list[tuple[Twin, Twin]]:
    pairs = twins(shape)
    for twin in (twin for pair in pairs for twin in pair):
        await index.replace(Entry("test", twin.document, twin.document.url, split(twin.document)))
    await index.refresh()
    return pairs


async def missed(index: Index, pairs: list[tuple[Twin, Twin]], options: Options) -> list[str]:
    """The questions whose own document isn't the first hit."""
    found = []
    for twin in (twin for pair in pairs for twin in pair):
        hits = (await search(index, twin.question, options, OffTopicLevels())).hits
        if not hits or hits[0].url != twin.document.url:
            found.append(f"{twin.question} → {hits[0].title if hits else 'nothing'}")
    return found


def test_there_are_a_hundred_pairs_in_four_languages() -> None:
    pairs = twins("titled")
    assert len(pairs) >= 100
    assert {one.document.language for one, _ in pairs} == {"en", "de", "es", "fr"}
    assert all(one.question != other.question for one, other in pairs)


@pytest.mark.parametrize("shape", ["titled", "crossed", "bare"])
async def test_by_words_alone_what_is_asked_decides_and_the_light_re_ranker_is_why(db: Database, shape: str) -> None:
    index = Index(db, None)
    pairs = await filled(index, shape)
    assert await missed(index, pairs, Options(mode="keyword")) == []
    assert len(await missed(index, pairs, Options(mode="keyword", light=False))) >= 5


async def test_with_both_legs_what_is_asked_decides_where_each_twin_names_the_other(
    db: Database, local_embedder: LocalEmbedder
) -> None:
    index = Index(db, local_embedder)
    pairs = await filled(index, "crossed")
    assert await missed(index, pairs, Options()) == []
