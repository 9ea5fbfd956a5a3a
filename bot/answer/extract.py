"""The answer without a model: the best sentences of the best hits, word for word, each with its source."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bot.answer.cite import named
from bot.answer.passage import LONGEST, Passage, passages
from bot.messages import Citation
from retrieval.document import Hit
from retrieval.embed.embedder import Embedder
from retrieval.errors import RetrievalError
from retrieval.search.intent import expected_figure
from retrieval.split.blocks import stretches
from retrieval.text.analyse import Term, words
from retrieval.text.plain import LINK, plain

MOST_HITS = 14
MOST_CANDIDATES = 10
MOST_SOURCES = 2
SHORT_CHUNK = 420
"""A chunk of at most this many characters is given whole: cutting it further would lose its conditions."""
CLOSE = 0.9
FITTING = 0.35
SAME_LANGUAGE = 0.2
MOST_ITEMS = 4
LONGEST_CODE = 900


@dataclass(frozen=True, slots=True)
class Scored:
    """A passage of a hit and how well it fits the question."""

    hit: Hit
    passage: Passage
    score: float


async def extract(
    question: str, language: str, hits: Sequence[Hit], weights: Mapping[Term, float], embedder: Embedder | None
) -> tuple[str, tuple[Citation, ...]]:
    """Markdown with `[n]` markers, and its citations; empty when the hits hold no sentence."""
    scored = await _scored(question, language, hits[:MOST_HITS], weights, embedder)
    if not scored:
        return "", ()
    chosen: list[Scored] = []
    for best in sorted(scored, key=lambda item: -item.score):
        fresh = best.hit.language == language and all(best.hit.document_id != other.hit.document_id for other in chosen)
        if not chosen or (fresh and best.score >= CLOSE * chosen[0].score and len(chosen) < MOST_SOURCES):
            chosen.append(best)
    texts: list[str] = []
    citations: list[Citation] = []
    for number, item in enumerate(chosen, 1):
        texts.append(f"{LINK.sub(_label, _told(item, scored, question))} [{number}]")
        citations.append(Citation(number, named(item.hit), item.hit.url, item.passage.said[:LONGEST]))
    return "\n\n".join(texts), tuple(citations)


def _label(link: re.Match[str]) -> str:
    """A quoted link as its words: the citation leads to the page."""
    return link[1]


async def _scored(
    question: str, language: str, hits: Sequence[Hit], weights: Mapping[Term, float], embedder: Embedder | None
) -> list[Scored]:
    rough = [
        Scored(
            hit,
            passage,
            _lexical(hit, passage, weights) + _fitting(question, passage.text) + _place(hit, rank, language),
        )
        for rank, hit in enumerate(hits)
        for passage in passages(hit.text)
    ]
    best = sorted(rough, key=lambda item: -item.score)[:MOST_CANDIDATES]
    if embedder is None or not best:
        return best
    texts = [f"{item.hit.title}\n{' '.join(item.hit.heading_path)} {plain(item.passage.text)}" for item in best]
    try:
        asked = await embedder.embed([question], language=language, question=True)
        vectors = await embedder.embed(texts, language=_one({item.hit.language for item in best}))
    except RetrievalError:
        return best  # words alone, as the search does
    cosines = vectors @ asked.reshape(-1)
    return [
        Scored(item.hit, item.passage, item.score + float(cosine))
        for item, cosine in zip(best, np.maximum(cosines, 0), strict=True)
    ]


def _one(languages: Collection[str]) -> str:
    """The language of all, empty when there are several."""
    return next(iter(languages)) if len(languages) == 1 else ""


def _place(hit: Hit, rank: int, language: str) -> float:
    return (SAME_LANGUAGE if hit.language == language else 0.0) - 0.015 * rank


def _fitting(question: str, text: str) -> float:
    """What a passage gains by holding the kind of figure that is asked for, and loses without it."""
    figure = expected_figure(question)
    if figure is None:
        return 0.0
    return FITTING if figure.search(text) else -FITTING


def _lexical(hit: Hit, passage: Passage, weights: Mapping[Term, float]) -> float:
    own = set(words(plain(passage.text), hit.language))
    around = set(words(f"{hit.title} {' '.join(hit.heading_path)}", hit.language))
    whole = sum(weights.values()) or 1.0
    direct = sum(weight for term, weight in weights.items() if not own.isdisjoint(term.forms))
    above = sum(
        weight for term, weight in weights.items() if own.isdisjoint(term.forms) and not around.isdisjoint(term.forms)
    )
    return (direct + 0.75 * above) / whole


def _told(best: Scored, scored: Sequence[Scored], question: str) -> str:
    """The passage with what belongs to it: its short chunk whole, or the sentence that follows it."""
    text = best.hit.text
    if len(text) <= SHORT_CHUNK and not text.lstrip().startswith(("|", "#", "```")) and "\n|" not in text:
        return text.strip()
    if best.passage.kind == "row":
        rows = [
            item
            for item in scored
            if item.passage.kind == "row" and item.hit is best.hit and item.score >= 0.97 * best.score
        ]
        return "\n".join(f"- {item.passage.text}" for item in rows[:4])
    if best.passage.kind == "item":
        return _item(best, scored, question)
    own = passages(text)
    at = own.index(best.passage) if best.passage in own else -1
    following = own[at + 1] if 0 <= at < len(own) - 1 and own[at + 1].said.endswith((".", "!", "?", ":", ")")) else None
    if following and following.block == best.passage.block and len(best.passage.text) + len(following.text) < LONGEST:
        return f"{best.passage.text} {following.text}"
    return best.passage.text + _code_after(best)


def _code_after(best: Scored) -> str:
    """The code that a sentence ending in a colon announces."""
    own = list(stretches(best.hit.text))
    code = own[best.passage.block + 1] if best.passage.block + 1 < len(own) else ""
    announced = best.passage.text.rstrip().endswith(":") and code.startswith("```") and len(code) <= LONGEST_CODE
    return f"\n\n{code}\n" if announced else ""


def _item(best: Scored, scored: Sequence[Scored], question: str) -> str:
    """A list item; where a figure is asked for, with its neighbours of the same kind (the price for adults and for children)."""
    figure = expected_figure(question)
    same = [
        other.passage
        for other in scored
        if figure
        and other.hit is best.hit
        and other.passage.block == best.passage.block
        and figure.search(other.passage.text)
    ]
    kept = [passage for passage in passages(best.hit.text) if passage in same] if 1 < len(same) <= MOST_ITEMS else []
    return "\n".join(f"- {passage.text}" for passage in kept) or best.passage.text
