"""What the library passes from hand to hand: a page, a document, a chunk, a hit, and what a search found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Verdict = Literal["answerable", "uncertain", "nothing"]
Relevance = Literal["HIGH", "MEDIUM", "LOW"]


@dataclass(frozen=True, slots=True)
class Page:
    """Fetched content, as the server or the disk gave it.

    `robots` is its X-Robots-Tag; `cut` says why it isn't whole, where the start of it is of use too.
    """

    url: str
    content: bytes
    content_type: str = ""
    etag: str = ""
    last_modified: str = ""
    robots: str = ""
    cut: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A page as Markdown.

    `links` are absolute addresses found in the content and its frame, for the crawl. `pages` are the character offsets
    at which the pages of a paged document begin. `notes` tell the owner what could not be read.
    """

    url: str
    title: str
    markdown: str
    language: str = ""
    links: tuple[str, ...] = ()
    canonical: str = ""
    pages: tuple[int, ...] = ()
    id: str = ""
    """The id of an imported document; empty: made from the address."""
    frame_facts: tuple[str, ...] | None = None
    """Lines of a web page's frame that tell how to reach the business and when: they belong to the site. None: no page."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parent:
    """The larger piece around a chunk that is small: what a hit shows. `id` is the database's, nought before it has one."""

    text: str
    tokens: int
    page: int | None = None
    id: int = 0


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document about one subject; `tokens` counts its text, `page` is from 1 in a paged document.

    `context` says where in its document it stands: it is searched with the text, never shown.
    """

    text: str
    heading_path: tuple[str, ...] = ()
    tokens: int = 0
    page: int | None = None
    parent: Parent | None = None
    context: str = ""


@dataclass(frozen=True, slots=True)
class Leg:
    """A chunk's place in one leg's list: rank from 1, the leg's own raw score."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk found for a question, with every score that led to it; `score` is the fused one and only orders."""

    chunk_id: int
    document_id: str
    url: str
    title: str
    heading_path: tuple[str, ...]
    text: str
    tokens: int
    score: float
    semantic: Leg | None = None
    keyword: Leg | None = None
    language: str = ""
    fetched_at: str = ""
    page: int | None = None
    coverage: float = 0.0
    relevance: Relevance = "MEDIUM"
    parent: Parent | None = None
    rerank: float | None = None
    """A cross-encoder's score, on the scale of a logit; `relevance` is read off it where there is one."""


@dataclass(frozen=True, slots=True)
class Found:
    """A search's result: hits in order, and a verdict read off raw scores.

    `confidence` is the estimated probability that the hits answer the question; under `floor` nothing counts as found.
    """

    question: str
    hits: tuple[Hit, ...]
    verdict: Verdict
    confidence: float
    floor: float
    mode: str
    elapsed_ms: float
    best: dict[str, float] = field(default_factory=dict)
