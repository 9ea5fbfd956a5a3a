"""What the owner sees of conversations: figures, the list, and one of them with its turns and hits."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retrieval.db import Database, Row


async def figures(db: Database) -> dict[str, Any]:
    """How many questions there were, answered and unanswered, and thumbs; None where there was none."""
    row = await db.one(
        "SELECT count(*) AS asked, sum(outcome = 'answered') AS answered, sum(outcome = 'no_answer') AS unanswered,"
        " sum(rating = 1) AS up, sum(rating = -1) AS down FROM turns WHERE kind = 'question'"
    )
    return dict(row) if row else {}


async def waiting(db: Database) -> dict[str, int]:
    """What waits: payloads, parts of replies, and open topics."""
    row = await db.one(
        "SELECT (SELECT count(*) FROM inbox WHERE state = 'waiting') AS inbox_waiting,"
        " (SELECT count(*) FROM deliveries WHERE state = 'waiting') AS deliveries_waiting,"
        " (SELECT count(*) FROM topics WHERE state = 'open') AS topics_open"
    )
    return dict(row) if row else {}


async def newest(db: Database, most: int, after: int) -> Sequence[Row]:
    """Conversations by their last turn, the newest first; `after`: how many to pass over."""
    return await db.read(
        "SELECT c.id, c.channel, c.name, c.language, count(t.id) AS turns, max(t.ended_at) AS last_at,"
        " sum(t.outcome = 'no_answer') AS unanswered,"
        " (SELECT question FROM turns q WHERE q.conversation_id = c.id AND q.kind = 'question'"
        " ORDER BY q.seq DESC LIMIT 1) AS question"
        " FROM conversations c JOIN turns t ON t.conversation_id = c.id"
        " GROUP BY c.id ORDER BY last_at DESC LIMIT $1 OFFSET $2",
        most,
        after,
    )


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation, its questionnaire answers, and its turns, each with its `hits`."""

    conversation: Row
    answers: Mapping[str, str]
    turns: Sequence[Mapping[str, Any]]


async def transcript(db: Database, conversation_id: str) -> Transcript | None:
    """One conversation whole; None when there is no such one any more."""
    row = await db.one("SELECT * FROM conversations WHERE id = $1", conversation_id)
    if row is None:
        return None
    turns = await db.read("SELECT * FROM turns WHERE conversation_id = $1 ORDER BY seq", conversation_id)
    hits = await db.read(
        "SELECT h.* FROM turn_hits h JOIN turns t ON t.id = h.turn_id WHERE t.conversation_id = $1"
        " ORDER BY h.turn_id, h.position",
        conversation_id,
    )
    with_hits = [{**dict(turn), "hits": [hit for hit in hits if hit["turn_id"] == turn["id"]]} for turn in turns]
    return Transcript(row, json.loads(row["answers"]), with_hits)
