"""How documents become chunks: the settings, and the splitter that they choose among the three."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Literal

from retrieval.document import Chunk, Document
from retrieval.errors import WriteError
from retrieval.split.by_headings import split
from retrieval.split.small2big import small2big
from retrieval.split.subjects import by_subject
from retrieval.text.tokens import count
from retrieval.writer import Writer

Strategy = Literal["headings", "small2big", "subjects"]


@dataclass(frozen=True, slots=True)
class Splitting:
    """The strategy and its sizes: `chunk_tokens` for headings and subjects, `child_words` and `parent_words` for small2big.

    `overlap` is a share of a chunk, 0 to 1. The strategy "subjects" needs a writer; without one it is "headings".
    """

    strategy: Strategy = "headings"
    chunk_tokens: int = 320
    overlap: float = 0.12
    child_words: int = 200
    parent_words: int = 400
    subjects_from: int = 1600
    """Tokens of a page above which the strategy "subjects" asks the model."""

    @property
    def recipe(self) -> tuple[object, ...]:
        """The settings that this strategy's chunks depend on; a page is split anew when they change."""
        own = {"small2big": (self.child_words, self.parent_words), "subjects": (self.subjects_from,)}
        return (self.strategy, self.chunk_tokens, self.overlap, *own.get(self.strategy, ()))


BY_HEADINGS = Splitting()


def chunks_of(document: Document, splitting: Splitting) -> list[Chunk]:
    """The document's chunks, without asking a model."""
    if splitting.strategy == "small2big":
        return small2big(
            document,
            child_words=splitting.child_words,
            parent_words=splitting.parent_words,
            overlap=splitting.overlap,
        )
    return split(document, chunk_tokens=splitting.chunk_tokens, overlap=splitting.overlap)


class Splitter:
    """Splits documents by the settings, asking the writer's model where they say so."""

    def __init__(self, splitting: Splitting, writer: Writer | None) -> None:
        self._splitting = splitting
        self._writer = writer if splitting.strategy == "subjects" else None
        self._made: dict[Document, tuple[list[Chunk], str]] = {}

    @property
    def writes(self) -> bool:
        """Whether a model is asked at all."""
        return self._writer is not None

    async def ahead(self, document: Document) -> None:
        """Split a document whose chunks are wanted soon, so that the model answers while other pages are fetched."""
        self._made[document] = await self._split(document)

    async def chunks(self, document: Document) -> tuple[list[Chunk], str]:
        """The document's chunks, and why they aren't the model's where it was asked (else empty)."""
        return self._made.pop(document, None) or await self._split(document)

    async def _split(self, document: Document) -> tuple[list[Chunk], str]:
        failure = ""
        if self._writer and count(document.markdown) > self._splitting.subjects_from:
            try:
                return await by_subject(document, self._writer, self._splitting.chunk_tokens), ""
            except WriteError as error:
                failure = f"split by its headings: {error}"  # the crawl's report says so
        return await asyncio.to_thread(chunks_of, document, self._splitting), failure
