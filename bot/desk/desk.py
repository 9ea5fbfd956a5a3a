"""The desk: one worker a chat, oldest message first; each turn written in one transaction, each part delivered once.

What was accepted is answered, whatever happens in between: after a start everything that waits is taken up again.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from secrets import token_hex

from bot.answer.engine import Engine
from bot.answer.phrases import phrase
from bot.answer.turn import Conversation, Turn
from bot.desk import conversations, gaps
from bot.desk.deliveries import Deliveries
from bot.desk.inbox import InboxStore, Letter, settle
from bot.desk.metrics import Metrics
from bot.messages import Channel, Done, Message, Part, PastTurn, Reply, Start
from retrieval.db import Database, now
from retrieval.embed.embedder import Embedder

log = logging.getLogger(__name__)
SHORT = 120
"""Messages up to this many characters may be parts of one burst."""
ANSWER_SECONDS = 120.0


class Desk:
    """Takes payloads in, has them answered, sends replies out."""

    def __init__(
        self,
        db: Database,
        engine: Engine,
        embedder: Embedder | None,
        metrics: Metrics,
        *,
        similarity: float = 0.6,
    ) -> None:
        self._db = db
        self._engine = engine
        self._embedder = embedder
        self._metrics = metrics
        self._similarity = similarity
        self._store = InboxStore(db)
        self._deliveries = Deliveries(db, metrics)
        self._channels: Mapping[str, Channel] = {}
        self._workers: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._more: set[tuple[str, str]] = set()
        self._closing = False

    @asynccontextmanager
    async def opened(self, channels: Sequence[Channel]) -> AsyncIterator[None]:
        """Work until the block ends; then every turn that has begun is finished and written."""
        self._channels = {channel.name: channel for channel in channels}
        async with self._store.writing():
            await self._resume()
            try:
                yield
            finally:
                self._closing = True
                await asyncio.gather(*self._workers.values(), return_exceptions=True)

    async def _resume(self) -> None:
        for chat in {*await self._store.waiting_chats(), *await self._deliveries.waiting_chats()}:
            self._wake(*chat)

    # What channels call

    async def accept(self, channel: str, platform_id: str, chat_id: str, raw: str) -> bool:
        """Store a raw payload durably, then have it answered."""
        new = await self._store.accept(channel, platform_id, chat_id, raw)
        self._metrics.add("messages_received", channel=channel)
        if new:
            self._wake(channel, chat_id)
        return new

    async def past(self, channel: str, chat_id: str, after: int = 0) -> list[PastTurn]:
        """The chat's turns after a place in it."""
        return await conversations.past(self._db, channel, chat_id, after)

    async def rate(self, channel: str, chat_id: str, turn_id: str, rating: int, comment: str = "") -> bool:
        """Store a thumb."""
        return await conversations.rate(self._db, channel, chat_id, turn_id, rating, comment)

    async def progressed(self, channel: str, platform_id: str, state: str, detail: str = "") -> None:
        """The platform's word on a sent part."""
        await conversations.progressed(self._db, channel, platform_id, state, detail)

    # The workers

    def _wake(self, channel: str, chat_id: str) -> None:
        chat = (channel, chat_id)
        if channel not in self._channels or self._closing:
            return
        self._more.add(chat)
        if chat not in self._workers:
            self._workers[chat] = asyncio.create_task(self._work(chat))

    async def _work(self, chat: tuple[str, str]) -> None:
        channel = self._channels[chat[0]]
        try:
            while chat in self._more and not self._closing:
                self._more.discard(chat)
                await self._deliver(channel, chat[1])
                while (letters := await self._next(channel, chat[1])) and not self._closing:
                    await self._handled(channel, letters)
                    await self._deliver(channel, chat[1])
        except Exception:
            log.exception("the work on a chat stopped; it goes on with its next message", extra={"channel": chat[0]})
        finally:
            del self._workers[chat]
            if chat in self._more and not self._closing:
                self._wake(*chat)

    async def _handled(self, channel: Channel, letters: Sequence[Letter]) -> None:
        """Handle payloads; those that fail in a way nobody foresaw are put aside, so that the chat goes on.

        What the database itself refuses for a moment (locked, full) is left waiting.
        """
        try:
            await self._handle(channel, letters)
        except sqlite3.OperationalError:
            raise
        except Exception:
            log.exception("a message could not be handled and is put aside", extra={"channel": channel.name})
            await self._store.settle(letters, "quarantined")

    async def _deliver(self, channel: Channel, chat_id: str) -> None:
        moved_to = await self._deliveries.deliver(channel, chat_id, lambda: self._closing)
        if moved_to:
            self._wake(channel.name, moved_to)

    async def _next(self, channel: Channel, chat_id: str) -> list[Letter]:
        """The oldest waiting payload, with the short ones that came right after it."""
        letters = await self._store.waiting(channel.name, chat_id)
        if not letters or not channel.burst_seconds:
            return letters[:1]
        age = (datetime.now(UTC) - letters[-1].received_at).total_seconds()
        if age < channel.burst_seconds:
            await asyncio.sleep(channel.burst_seconds - age)
            letters = await self._store.waiting(channel.name, chat_id)
        burst = letters[:1]
        for letter in letters[1:]:
            if (letter.received_at - burst[-1].received_at).total_seconds() > channel.burst_seconds:
                break
            burst.append(letter)
        return burst

    async def _handle(self, channel: Channel, letters: Sequence[Letter]) -> None:
        messages = [(letter, self._parsed(channel, letter)) for letter in letters]
        broken = [letter for letter, message in messages if message == "broken"]
        if broken:
            log.warning(
                "%d payloads could not be read and are put aside",
                len(broken),
                extra={"channel": channel.name},
            )
            await self._store.settle(broken, "quarantined")
        silent = [letter for letter, message in messages if message is None]
        if silent:
            await self._store.settle(silent, "done")
        for group in _joined([(letter, message) for letter, message in messages if isinstance(message, Message)]):
            await self._answer(channel, [letter for letter, _ in group], [message for _, message in group])

    @staticmethod
    def _parsed(channel: Channel, letter: Letter) -> Message | str | None:
        try:
            return channel.parse(letter.raw)
        except (ValueError, KeyError, TypeError):
            return "broken"

    async def _answer(self, channel: Channel, letters: Sequence[Letter], messages: Sequence[Message]) -> None:
        message = messages[0]
        if message.kind == "feedback":
            await self.rate(channel.name, message.chat_id, message.turn_id, message.rating)
            await self._store.settle(letters, "done")
            return
        message = replace(message, text="\n".join(part.text for part in messages))
        conversation = await conversations.conversation_of(self._db, message)
        ids = tuple(letter.platform_id for letter in letters)
        await channel.show(message.chat_id, Start(ids))
        turn, parts = await self._turn(channel, message, conversation)
        seq = await self._record(channel, letters, message, conversation, turn, parts)
        await channel.show(message.chat_id, Done(turn.reply, seq, ids))

    async def _turn(
        self, channel: Channel, message: Message, conversation: Conversation
    ) -> tuple[Turn, Sequence[Part]]:
        """The finished turn with its parts; whatever breaks on the way to them, the chat must not stop at it."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                async for event in self._engine.answer(message, conversation):
                    if isinstance(event, Turn):
                        return event, channel.render(event.reply)
                    await channel.show(message.chat_id, event)
        except Exception:
            log.exception("a turn failed; the visitor was told so", extra={"channel": channel.name})
        failed = _failed(message, conversation)
        return failed, channel.render(failed.reply)

    async def _record(
        self,
        channel: Channel,
        letters: Sequence[Letter],
        message: Message,
        conversation: Conversation,
        turn: Turn,
        parts: Sequence[Part],
    ) -> int:
        """One transaction: conversation, turn, hits, gap, deliveries, and the inbox rows done."""
        where = (
            await gaps.place(self._db, self._embedder, turn.gap, self._similarity, turn.language) if turn.gap else None
        )
        async with self._db.write() as tx:
            seq = await conversations.write_turn(tx, conversation, message, turn, parts)
            if turn.gap and where:
                await gaps.write_gap(tx, turn, turn.gap, where, channel.name)
            await settle(tx, letters, "done", turn.id)
        self._metrics.add("turns", channel=channel.name, outcome=turn.reply.outcome)
        return seq


def _joined(messages: Sequence[tuple[Letter, Message]]) -> list[list[tuple[Letter, Message]]]:
    """Short texts that follow each other are one message; everything else stands alone."""
    groups: list[list[tuple[Letter, Message]]] = []
    for letter, message in messages:
        short = message.kind == "text" and len(message.text) <= SHORT
        before = groups[-1][-1][1] if groups else None
        if before and short and before.kind == "text" and len(before.text) <= SHORT:
            groups[-1].append((letter, message))
        else:
            groups.append([(letter, message)])
    return groups


def _failed(message: Message, conversation: Conversation) -> Turn:
    language = conversation.language or message.language or "en"
    turn_id = token_hex(8)
    reply = Reply(phrase(language, "failed"), "failed", turn_id, language=language)
    return Turn(
        turn_id,
        "question",
        message.text[:2000],
        reply,
        language,
        asked=conversation.asked,
        held=conversation.held,
        started_at=now(),
    )
