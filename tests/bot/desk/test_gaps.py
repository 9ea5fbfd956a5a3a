"""The missing-content log: reasons kept, topics by meaning, closed ones open again. And one person's data."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from bot.answer.turn import Conversation, Gap, Turn
from bot.app import MIGRATIONS
from bot.desk import conversations, gaps, personal
from bot.errors import FrontdeskError
from bot.messages import Message, Reply
from bot.run import backup
from retrieval.db import Database, now
from retrieval.document import Found
from retrieval.embed.embedder import Vectors

MEANINGS = {"surf": [1, 0, 0], "wave": [0.9, 0.4359, 0], "crypto": [0, 0, 1]}


class ByWord:
    """An embedder that knows three words."""

    name, dimension, scale = "by-word", 3, 1.0

    async def embed(self, texts: Sequence[str], *, language: str = "", question: bool = False) -> Vectors:
        return np.asarray([next(v for word, v in MEANINGS.items() if word in text) for text in texts], np.float32)


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database.opened(tmp_path / "conversations.db", MIGRATIONS, "bot", durable=True) as opened:
        yield opened


async def asked(db: Database, question: str, visitor: str = "ada", embedder: ByWord | None = None) -> None:
    found = Found(question, (), "nothing", 0.1, 0.5, "hybrid", 1.0, {"semantic": 0.2, "keyword": 1.5})
    turn = Turn(question, "question", question, Reply("no", "no_answer", question), "en", started_at=now())
    turn.gap = Gap("nothing_found", question, found)
    message = Message("web", visitor, visitor, question)
    where = await gaps.topic_of(db, embedder, turn.gap, 0.62)
    async with db.write() as tx:
        await conversations.write_turn(tx, Conversation(f"c-{visitor}", "web", visitor, visitor), message, turn, [])
        await gaps.write_gap(tx, turn, turn.gap, where, "web")


async def test_questions_of_one_meaning_form_a_topic(db: Database) -> None:
    for question in ("surf lessons?", "wave riding?", "crypto?"):
        await asked(db, question, embedder=ByWord())
    topics = await gaps.topics(db)
    assert [(topic["title"], topic["count"]) for topic in topics] == [("surf lessons?", 2), ("crypto?", 1)]
    first = topics[0]["gaps"][0]
    assert (first["reason"], first["channel"], first["language"], first["best"]) == (
        "nothing_found", "web", "en", {"semantic": 0.2, "keyword": 1.5},
    )  # fmt: skip


async def test_without_vectors_shared_words_form_a_topic(db: Database) -> None:
    for question in ("Do you offer surf lessons?", "surf lessons", "Can I pay by crypto?"):
        await asked(db, question)
    assert [topic["count"] for topic in await gaps.topics(db)] == [2, 1]


async def test_a_closed_topic_opens_again_when_it_is_asked(db: Database) -> None:
    await asked(db, "surf lessons", embedder=ByWord())
    topic_id = (await gaps.topics(db))[0]["topic_id"]
    assert await gaps.set_state(db, topic_id, "closed", "owner")
    assert await gaps.topics(db, open_only=True) == []
    await asked(db, "wave lessons", embedder=ByWord())
    assert len(await gaps.topics(db, open_only=True)) == 1
    assert not await gaps.set_state(db, "nothing", "closed", "owner")


async def test_forgetting_a_visitor_leaves_nothing_of_them_and_all_of_others(db: Database) -> None:
    await asked(db, "surf lessons", "ada")
    await asked(db, "crypto", "bob")
    assert (await personal.export(db, "ada"))["conversations"][0]["turns"][0]["question"] == "surf lessons"
    assert await personal.forget(db, "ada") == 1
    assert (await personal.export(db, "ada"))["conversations"] == []
    assert [topic["title"] for topic in await gaps.topics(db)] == ["crypto"]
    assert await personal.forget(db, "ada") == 0


async def test_a_topic_never_keeps_the_words_of_a_visitor_who_was_forgotten(db: Database) -> None:
    await asked(db, "surf lessons for Ada of the quay", "ada", ByWord())
    await asked(db, "wave riding", "bob", ByWord())
    await personal.forget(db, "ada")
    assert [(topic["title"], topic["count"]) for topic in await gaps.topics(db)] == [("wave riding", 1)]


async def test_a_backup_can_be_put_back(db: Database, tmp_path: Path) -> None:
    await asked(db, "surf lessons")
    await backup.backup(tmp_path / "b.zip", db, db)
    restored = backup.restore(tmp_path / "new", tmp_path / "b.zip")
    assert [path.name for path in restored] == ["knowledge.db", "conversations.db"]
    async with Database.opened(tmp_path / "new" / "conversations.db", MIGRATIONS, "bot") as again:
        assert (await gaps.topics(again))[0]["title"] == "surf lessons"


def test_what_is_no_backup_is_refused_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"no zip")
    with pytest.raises(FrontdeskError, match="can't be read as a backup"):
        backup.restore(tmp_path, tmp_path / "x.zip")
