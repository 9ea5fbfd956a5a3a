"""The desk: one worker a chat, oldest message first; each turn written in one transaction, each part delivered once.

What was accepted is answered, whatever happens in between: after a start everything that waits is taken up again. The seven
steps of a chat's worker stand below each other, in the order in which a message goes through them.
"""

from __future__ import annotations

import asyncio
import logging
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
from bot.desk.inbox import InboxStore, Payload, mark
from bot.desk.metrics import Metrics
from bot.messages import Channel, Done, Message, Part, PastTurn, Reply, Start
from retrieval.db import Database, now
from retrieval.embed.embedder import Embedder
from retrieval.errors import BusyError, FullError

log = logging.getLogger(__name__)
SHORT_MESSAGE_CHARACTERS = 120
"""Messages up to this length may be parts of one burst; chosen by hand."""
ANSWER_SECONDS = 120.0
"""For one turn in all, after which the visitor is told that it failed; longer than a model may be silent."""


class Desk:
    """Takes payloads in, has them answered, sends replies out."""

    def __init__(
        self, db: Database, engine: Engine, embedder: Embedder | None, metrics: Metrics, *, similarity: float = 0.6
    ) -> None:
        self._db = db
        self._engine = engine
        self._embedder = embedder
        self._metrics = metrics
        self._similarity = similarity
        self._inbox = InboxStore(db)
        self._deliveries = Deliveries(db, metrics)
        self._channels: Mapping[str, Channel] = {}
        self._workers: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._more: set[tuple[str, str]] = set()
        self._closing = False

    @asynccontextmanager
    async def opened(self, channels: Sequence[Channel]) -> AsyncIterator[None]:
        """Work until the block ends; then every turn that has begun is finished and written."""
        self._channels = {channel.name: channel for channel in channels}
        async with self._inbox.writing():
            for chat in {*await self._inbox.waiting_chats(), *await self._deliveries.waiting_chats()}:
                self._wake(*chat)
            try:
                yield
            finally:
                self._closing = True
                self._deliveries.close()
                await asyncio.gather(*self._workers.values(), return_exceptions=True)

    # What channels call

    async def accept(self, channel: str, platform_id: str, chat_id: str, raw: str) -> bool:
        """Store a raw payload durably, then have it answered."""
        new = await self._inbox.accept(channel, platform_id, chat_id, raw)
        self._metrics.add("messages_received", channel=channel)
        if new:
            self._wake(channel, chat_id)
        return new

    async def past(self, channel: str, chat_id: str, after: int = 0) -> list[PastTurn]:
        """The chat's turns with a higher number, oldest first."""
        return await conversations.past(self._db, channel, chat_id, after)

    async def rate(self, channel: str, chat_id: str, turn_id: str, rating: int, comment: str = "") -> bool:
        """Store a thumb; False when the turn isn't one of this chat."""
        return await conversations.rate(self._db, channel, chat_id, turn_id, rating, comment)

    async def progressed(self, channel: str, platform_id: str, state: str, detail: str = "") -> None:
        """Store the platform's word on a sent part."""
        await self._deliveries.progressed(channel, platform_id, state, detail)

    def _wake(self, channel: str, chat_id: str) -> None:
        """Have the chat's worker look again; start one where there is none."""
        chat = (channel, chat_id)
        if channel not in self._channels or self._closing:
            return
        self._more.add(chat)
        if chat not in self._workers:
            self._workers[chat] = asyncio.create_task(self._work(chat))

    # A chat's worker, step by step

    async def _work(self, chat: tuple[str, str]) -> None:
        """1. Everything that waits in one chat, until nothing does."""
        channel, chat_id = self._channels[chat[0]], chat[1]
        try:
            while chat in self._more and not self._closing:
                self._more.discard(chat)
                await self._deliver(channel, chat_id)
                while (payloads := await self._next(channel, chat_id)) and not self._closing:
                    await self._handled(channel, payloads)
                    await self._deliver(channel, chat_id)
        except Exception:
            log.exception("the work on a chat stopped; it goes on with its next message", extra={"channel": chat[0]})
        finally:
            del self._workers[chat]
            if chat in self._more and not self._closing:
                self._wake(*chat)

    async def _next(self, channel: Channel, chat_id: str) -> list[Payload]:
        """2. The oldest waiting payload, with the short ones that came right after it."""
        payloads = await self._inbox.waiting(channel.name, chat_id)
        if not payloads or not channel.burst_seconds:
            return payloads[:1]
        age = (datetime.now(UTC) - payloads[-1].received_at).total_seconds()
        if age < channel.burst_seconds:
            await asyncio.sleep(channel.burst_seconds - age)
            payloads = await self._inbox.waiting(channel.name, chat_id)
        burst = payloads[:1]
        for payload in payloads[1:]:
            if (payload.received_at - burst[-1].received_at).total_seconds() > channel.burst_seconds:
                break
            burst.append(payload)
        return burst

    async def _handled(self, channel: Channel, payloads: Sequence[Payload]) -> None:
        """3. Handle payloads; those that fail in a way nobody foresaw are put aside, so that the chat goes on.

        What the database refuses for a moment (busy, full) is left waiting.
        """
        try:
            await self._handle(channel, payloads)
        except (BusyError, FullError):
            raise
        except Exception:
            log.exception("a message could not be handled and is put aside", extra={"channel": channel.name})
            await self._inbox.mark(payloads, "quarantined")

    async def _handle(self, channel: Channel, payloads: Sequence[Payload]) -> None:
        """4. Payloads as messages: junk put aside, what needs no answer done, the rest answered in groups."""
        parsed = [(payload, _parsed(channel, payload)) for payload in payloads]
        junk = [payload for payload, message in parsed if message is JUNK]
        if junk:
            count = len(junk)
            log.warning("%d payloads could not be read and are put aside", count, extra={"channel": channel.name})
            await self._inbox.mark(junk, "quarantined")
        if silent := [payload for payload, message in parsed if message is None]:
            await self._inbox.mark(silent, "done")
        for group in _joined([(payload, message) for payload, message in parsed if isinstance(message, Message)]):
            await self._answer(channel, [payload for payload, _ in group], [message for _, message in group])

    async def _answer(self, channel: Channel, payloads: Sequence[Payload], messages: Sequence[Message]) -> None:
        """5. One message, or a burst of them as one, answered and recorded; the channel shows how it goes."""
        first = messages[0]
        if first.kind == "feedback":
            await self.rate(channel.name, first.chat_id, first.turn_id, first.rating)
            await self._inbox.mark(payloads, "done")
            return
        message = replace(
            first,
            text="\n".join(part.text for part in messages),
            attachments=tuple(attachment for part in messages for attachment in part.attachments),
            platform_ids=tuple(payload.platform_id for payload in payloads),
        )
        conversation = await conversations.conversation_of(self._db, message)
        await channel.show(message.chat_id, Start(message.platform_ids))
        turn, parts = await self._turn(channel, message, conversation)
        number = await self._record(payloads, message, conversation, turn, parts)
        await channel.show(message.chat_id, Done(turn.reply, number, message.platform_ids))

    async def _turn(
        self, channel: Channel, message: Message, conversation: Conversation
    ) -> tuple[Turn, Sequence[Part]]:
        """6a. The finished turn with its parts; whatever breaks on the way to them, the chat must not stop at it."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                async for event in self._engine.answer(message, conversation):
                    if isinstance(event, Turn):
                        return event, channel.render(event.reply, message)
                    await channel.show(message.chat_id, event)
        except Exception:
            log.exception("a turn failed; the visitor was told so", extra={"channel": channel.name})
        failed = _failed(message, conversation)
        return failed, channel.render(failed.reply, message)

    async def _record(
        self,
        payloads: Sequence[Payload],
        message: Message,
        conversation: Conversation,
        turn: Turn,
        parts: Sequence[Part],
    ) -> int:
        """6b. One transaction: conversation, turn, hits, gap, deliveries, inbox rows done; the turn's place in its chat."""
        topic = None
        if turn.gap:
            topic = await gaps.topic_of(self._db, self._embedder, turn.gap, self._similarity, turn.language)
        async with self._db.write() as tx:
            number = await conversations.write_turn(tx, conversation, message, turn, parts)
            if turn.gap and topic:
                await gaps.write_gap(tx, turn, turn.gap, topic, message.channel)
            await mark(tx, payloads, "done", turn.id)
        self._metrics.add("turns", channel=message.channel, outcome=turn.reply.outcome)
        return number

    async def _deliver(self, channel: Channel, chat_id: str) -> None:
        """7. The chat's waiting parts, in order."""
        moved_to = await self._deliveries.deliver(channel, chat_id)
        if moved_to:
            self._wake(channel.name, moved_to)


JUNK = object()
"""What a payload is that its channel can't read."""


def _parsed(channel: Channel, payload: Payload) -> Message | object | None:
    try:
        return channel.parse(payload.raw)
    except (ValueError, KeyError, TypeError):
        return JUNK


def _joined(messages: Sequence[tuple[Payload, Message]]) -> list[list[tuple[Payload, Message]]]:
    """Short texts that follow each other are one message; everything else stands alone."""
    groups: list[list[tuple[Payload, Message]]] = []
    for payload, message in messages:
        if groups and _is_short(message) and _is_short(groups[-1][-1][1]):
            groups[-1].append((payload, message))
        else:
            groups.append([(payload, message)])
    return groups


def _is_short(message: Message) -> bool:
    return message.kind == "text" and len(message.text) <= SHORT_MESSAGE_CHARACTERS


def _failed(message: Message, conversation: Conversation) -> Turn:
    """The turn of a message that could not be answered; the questionnaire goes on where it was."""
    language = conversation.language or message.language or "en"
    turn_id = token_hex(8)
    reply = Reply(phrase(language, "failed"), "failed", turn_id, language=language)
    return Turn(
        turn_id,
        "question",
        message.text[:2000],
        reply,
        language,
        asked_item=conversation.asked_item,
        waiting_question=conversation.waiting_question,
        started_at=now(),
    )
