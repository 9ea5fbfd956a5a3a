"""Conversations, turns and deliveries: what the desk reads before a turn and writes after it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from secrets import token_hex
from typing import Any

from bot.answer.session import Memory
from bot.answer.turn import Conversation, Turn
from bot.messages import Message, Part, PastTurn, Reply
from retrieval.db import Database, Row, Tx, now

MOST_REMEMBERED_TURNS = 60
"""Read for one answer; the session and the prompt take fewer."""


async def conversation_of(db: Database, message: Message) -> Conversation:
    """The chat's conversation with its newest turns since the last reset; a new one when there is none."""
    row = await db.one(
        "SELECT * FROM conversations WHERE channel = $1 AND chat_id = $2", message.channel, message.chat_id
    )
    if row is None:
        return Conversation(token_hex(8), message.channel, message.chat_id, message.visitor, message.language)
    turns = await db.read(
        "SELECT question, rewritten, answer, ended_at FROM turns WHERE conversation_id = $1 AND kind = 'question'"
        " AND outcome IN ('answered', 'no_answer') AND started_at > $2 ORDER BY seq DESC LIMIT $3",
        row["id"],
        row["reset_at"] or "",
        MOST_REMEMBERED_TURNS,
    )
    return Conversation(
        id=row["id"],
        channel=row["channel"],
        chat_id=row["chat_id"],
        visitor=row["visitor"],
        language=row["language"],
        answers=json.loads(row["answers"]),
        asked_item=row["asked_item"],
        waiting_question=row["waiting_question"],
        memory=[_memory(turn) for turn in reversed(turns)],
    )


def _memory(row: Row) -> Memory:
    at = datetime.fromisoformat(row["ended_at"])
    return Memory(row["question"], row["rewritten"] or row["question"], row["answer"], at)


async def write_turn(tx: Tx, conversation: Conversation, message: Message, turn: Turn, parts: Sequence[Part]) -> int:
    """The conversation as it is now, the turn, its hits and its deliveries; returns the turn's place in the chat."""
    await _put_conversation(tx, conversation, message, turn)
    rows = await tx.run(
        "SELECT coalesce(max(seq), 0) + 1 AS seq FROM turns WHERE conversation_id = $1", conversation.id
    )
    seq = int(rows[0]["seq"])
    await _put_turn(tx, conversation, message, turn, seq)
    await tx.many(
        "INSERT INTO turn_hits (turn_id, position, url, title, text, score, semantic, keyword, cited)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        [
            (turn.id, at, hit.url, hit.title, hit.text, hit.score, hit.semantic and hit.semantic.score,
             hit.keyword and hit.keyword.score, at in turn.cited)
            for at, hit in enumerate(turn.hits, 1)
        ],
    )  # fmt: skip
    await tx.many(
        "INSERT INTO deliveries (id, turn_id, channel, chat_id, position, part, next_try_at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        [
            (
                token_hex(8),
                turn.id,
                conversation.channel,
                conversation.chat_id,
                at,
                json.dumps(part, ensure_ascii=False),
                now(),
            )
            for at, part in enumerate(parts, 1)
        ],
    )
    return seq


async def _put_conversation(tx: Tx, conversation: Conversation, message: Message, turn: Turn) -> None:
    answers = conversation.answers if turn.answers is None else turn.answers
    await tx.run(
        "INSERT INTO conversations (id, channel, chat_id, visitor, name, language, answers, asked_item, waiting_question, reset_at,"
        " created_at)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (channel, chat_id) DO UPDATE SET visitor = $4,"
        " name = CASE WHEN $5 = '' THEN name ELSE $5 END, language = $6, answers = $7, asked_item = $8,"
        " waiting_question = $9,"
        " reset_at = coalesce($10, reset_at)",
        conversation.id,
        conversation.channel,
        conversation.chat_id,
        message.visitor,
        message.name,
        turn.language,
        json.dumps(dict(answers), ensure_ascii=False),
        turn.asked_item,
        turn.waiting_question if turn.asked_item else "",
        now() if turn.reset else None,
        now(),
    )


async def _put_turn(tx: Tx, conversation: Conversation, message: Message, turn: Turn, seq: int) -> None:
    values: dict[str, Any] = {
        "id": turn.id,
        "conversation_id": conversation.id,
        "seq": seq,
        "kind": turn.kind,
        "question": turn.question,
        "rewritten": turn.rewritten,
        "reply": json.dumps(turn.reply.as_json(), ensure_ascii=False),
        "answer": turn.reply.text,
        "outcome": turn.reply.outcome,
        "language": turn.language,
        "model": turn.model,
        "question_tokens": turn.question_tokens,
        "answer_tokens": turn.answer_tokens,
        "prompt_tokens": turn.prompt_tokens,
        "completion_tokens": turn.completion_tokens,
        "context_tokens": turn.context_tokens,
        "confidence": turn.confidence,
        "address": json.dumps(message.address(), ensure_ascii=False),
        "started_at": turn.started_at,
        "ended_at": now(),
    }
    places = ", ".join(f"${at}" for at in range(1, len(values) + 1))
    await tx.run(f"INSERT INTO turns ({', '.join(values)}) VALUES ({places})", *values.values())  # noqa: S608 — own names


async def past(db: Database, channel: str, chat_id: str, after: int) -> list[PastTurn]:
    """The chat's turns after a place in it, oldest first, with the platform ids of the messages they answered."""
    rows = await db.read(
        "SELECT t.seq, t.question, t.reply, (SELECT json_group_array(platform_id) FROM inbox i WHERE i.turn_id = t.id) AS ids"
        " FROM turns t JOIN conversations c ON c.id = t.conversation_id"
        " WHERE c.channel = $1 AND c.chat_id = $2 AND t.seq > $3 ORDER BY t.seq",
        channel,
        chat_id,
        after,
    )
    return [
        PastTurn(
            row["seq"],
            row["question"],
            Reply.from_json(json.loads(row["reply"])),
            tuple(json.loads(row["ids"])),
        )
        for row in rows
    ]


async def rate(db: Database, channel: str, chat_id: str, turn_id: str, rating: int, comment: str) -> bool:
    """Store a thumb under a turn of this chat; an empty turn id means the last question."""
    async with db.write() as tx:
        rows = await tx.run(
            "UPDATE turns SET rating = $4, comment = $5 WHERE id = (SELECT t.id FROM turns t JOIN conversations c"
            " ON c.id = t.conversation_id WHERE c.channel = $1 AND c.chat_id = $2 AND t.kind = 'question'"
            " AND (t.id = $3 OR $3 = '') ORDER BY t.seq DESC LIMIT 1) RETURNING id",
            channel,
            chat_id,
            turn_id,
            1 if rating > 0 else -1,
            comment[:2000],
        )
    return bool(rows)
