"""The missing-content log: questions without an answer, grouped by meaning into topics."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

import numpy as np

from bot.answer.turn import Gap, Turn
from bot.desk.audit import audited
from retrieval.db import Database, Row, Tx, now
from retrieval.embed.embedder import Embedder, Vectors
from retrieval.errors import EmbedError
from retrieval.text.analyse import terms

LEAST_SHARED_WORDS = 0.6
"""Without vectors, questions that share this much of their words (Jaccard) form one topic."""


@dataclass(frozen=True, slots=True)
class TopicChoice:
    """Where a gap belongs: a topic, and what a new topic would be recognised by."""

    topic_id: str
    new: bool
    words: str
    vector: Vectors | None
    model: str


async def topic_of(
    db: Database, embedder: Embedder | None, gap: Gap, similarity: float, language: str = ""
) -> TopicChoice:
    """The topic of a question: the nearest one by meaning above `similarity` (cosine), else a new one."""
    own = " ".join(sorted({form for term in terms(gap.question, "", ()) for form in term.forms}))
    vector = await _vector(embedder, gap.question, language)
    model = embedder.name if embedder and vector is not None else "words"
    best = await _nearest(db, vector, own, model, similarity)
    return TopicChoice(best or token_hex(6), not best, own, vector, model)


async def _vector(embedder: Embedder | None, text: str, language: str) -> Vectors | None:
    if embedder is None:
        return None
    try:
        vectors = await embedder.embed([text], language=language, question=True)
    except EmbedError:
        return None
    return vectors.reshape(-1)


async def _nearest(db: Database, vector: Vectors | None, own: str, model: str, similarity: float) -> str:
    rows = await db.read(
        "SELECT id, vector, words FROM topics WHERE model = $1 ORDER BY last_at DESC LIMIT 5000", model
    )
    if not rows:
        return ""
    if vector is not None:
        cosines = np.stack([np.frombuffer(row["vector"], np.float32) for row in rows]) @ vector
        at = int(np.argmax(cosines))
        return str(rows[at]["id"]) if cosines[at] >= similarity else ""
    mine = set(own.split())
    shares = [len(mine & set(row["words"].split())) / (len(mine | set(row["words"].split())) or 1) for row in rows]
    at = int(np.argmax(shares))
    return str(rows[at]["id"]) if shares[at] >= LEAST_SHARED_WORDS else ""


async def write_gap(tx: Tx, turn: Turn, gap: Gap, choice: TopicChoice, channel: str) -> None:
    """The gap and its topic, inside the turn's transaction; a closed topic that is asked again opens."""
    blob = choice.vector.tobytes() if choice.vector is not None else None
    await tx.run(
        "INSERT INTO topics (id, title, model, vector, words, first_at, last_at) VALUES ($1, $2, $3, $4, $5, $6, $6)"
        " ON CONFLICT (id) DO UPDATE SET last_at = $6, state = 'open'",
        choice.topic_id,
        gap.question,
        choice.model,
        blob,
        choice.words,
        now(),
    )
    nearest = [{"title": hit.title, "url": hit.url} for hit in _one_each(gap)]
    await tx.run(
        "INSERT INTO gaps (id, turn_id, topic_id, question, reason, channel, language, confidence, best_semantic, best_keyword,"
        " nearest, asked_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        token_hex(8),
        turn.id,
        choice.topic_id,
        gap.question,
        gap.reason,
        channel,
        turn.language,
        gap.found.confidence,
        gap.found.best.get("semantic", 0.0),
        gap.found.best.get("keyword", 0.0),
        json.dumps(nearest, ensure_ascii=False),
        now(),
    )


def _one_each(gap: Gap) -> Sequence[Any]:
    return list({hit.document_id: hit for hit in reversed(gap.found.hits)}.values())[::-1][:3]


async def topics(db: Database, *, open_only: bool = False) -> list[dict[str, Any]]:
    """Topics with their gaps, the most asked first, newest question first in each."""
    rows = await db.read(
        "SELECT g.*, t.title, t.state, t.first_at, t.last_at FROM gaps g JOIN topics t ON t.id = g.topic_id"
        " WHERE $1 = 0 OR t.state = 'open' ORDER BY g.asked_at DESC",
        int(open_only),
    )
    grouped: dict[str, list[Row]] = {}
    for row in rows:
        grouped.setdefault(row["topic_id"], []).append(row)
    found = [_topic(topic_id, members) for topic_id, members in grouped.items()]
    return sorted(found, key=lambda topic: (-topic["count"], topic["last_at"]))


def _topic(topic_id: str, members: Sequence[Row]) -> dict[str, Any]:
    first = members[0]
    return {
        "topic_id": topic_id,
        "title": first["title"],
        "state": first["state"],
        "count": len(members),
        "first_at": first["first_at"],
        "last_at": first["last_at"],
        "channels": sorted({row["channel"] for row in members}),
        "languages": sorted({row["language"] for row in members}),
        "gaps": [
            {
                "question": row["question"],
                "reason": row["reason"],
                "channel": row["channel"],
                "language": row["language"],
                "asked_at": row["asked_at"],
                "confidence": round(row["confidence"], 3),
                "best": {
                    "semantic": round(row["best_semantic"], 3),
                    "keyword": round(row["best_keyword"], 3),
                },
                "nearest": json.loads(row["nearest"]),
            }
            for row in members
        ],
    }


async def set_state(db: Database, topic_id: str, state: str, who: str) -> bool:
    """Close or open a topic, with a line in the audit."""
    async with db.write() as tx:
        rows = await tx.run("UPDATE topics SET state = $2 WHERE id = $1 RETURNING id", topic_id, state)
        if rows:
            await audited(tx, who, f"topic {state}", topic_id)
    return bool(rows)


async def tidy(tx: Tx) -> None:
    """Topics without gaps go; a topic whose title was an erased question takes that of its oldest one that is left."""
    await tx.run("DELETE FROM topics WHERE id NOT IN (SELECT topic_id FROM gaps)")
    await tx.run(
        "UPDATE topics SET words = '', title = (SELECT question FROM gaps WHERE topic_id = topics.id ORDER BY asked_at LIMIT 1)"
        " WHERE title NOT IN (SELECT question FROM gaps WHERE topic_id = topics.id)"
    )
