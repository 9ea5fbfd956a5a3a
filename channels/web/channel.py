"""The web channel's adapter: routes, streams, and the live view of a turn."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any

from aiohttp import web

from bot.messages import Delta, Done, Event, Inbox, Message, Part, Rate, Reply, Start
from channels.web.http import (
    MOST_MESSAGE_CHARACTERS,
    Refused,
    body_of,
    client_ids,
    guarded,
    language_of,
    noted,
    page,
    preflight,
    static,
    stream,
)
from channels.web.live import NUMBERS_A_TURN, Chat, Numbered, done_event, done_of
from channels.web.settings import WebSettings
from channels.web.visitor import address_of, bearer, new_token, visitor_of

HOLD_SECONDS = 25.0
"""How long an idle request for events is held open."""
PING_SECONDS = 15.0
"""Between two signs of life, which proxies want to see."""
STREAM_SECONDS = 150.0
"""How long a message's own stream waits for its answer: longer than a turn may take."""
MOST_CHATS = 5000
"""Kept in memory; beyond, those that are idle are forgotten and read again when they come back."""
COMMAND_TEXT = re.compile(r"^/(start|help|reset|stop)$", re.I)
TYPED_THUMBS = {"👍": 1, "👎": -1}

Welcome = Callable[[str], dict[str, Any]]
"""What a new visitor is told, in a language: greeting, starters, name."""


class Web:
    """The door on web pages."""

    name = "web"
    burst_seconds = 0.0

    def __init__(
        self,
        settings: WebSettings,
        key: bytes,
        inbox: Inbox,
        welcome: Welcome,
        *,
        sessions_per_minute: int = 60,
        trusted_proxies: int = 0,
    ) -> None:
        self._settings = settings
        self._key = key
        self._inbox = inbox
        self._welcome = welcome
        self._sessions = Rate(sessions_per_minute)
        self._proxies = trusted_proxies
        self._chats: dict[str, Chat] = {}
        self._closing = False

    # What the desk calls

    def parse(self, raw: str) -> Message | None:
        """A stored payload as a message."""
        record = json.loads(raw)
        text, visitor = record["text"].strip(), record["visitor"]
        command = COMMAND_TEXT.match(text)
        if command:
            return Message(
                self.name,
                visitor,
                visitor,
                kind="command",
                command=command[1].lower(),
                language=record["language"],
            )
        return Message(self.name, visitor, visitor, text, language=record["language"]) if text else None

    def render(self, reply: Reply, message: Message) -> list[Part]:
        """Nothing leaves by itself: the browser fetches the stored turn. So there is no part to deliver."""
        return []

    async def send(self, message: Message, part: Part) -> str:
        """Never called, since nothing is rendered."""
        return ""

    async def show(self, chat_id: str, event: Event) -> None:
        """Number the event and hand it to the streams that listen."""
        chat = await self._chat(chat_id)
        if isinstance(event, Start):
            chat.seq += 1
            chat.answering = True
            await chat.add(
                Numbered(chat.seq * NUMBERS_A_TURN, "start", {"turn": None, "messages": client_ids(event.messages)})
            )
        elif isinstance(event, Delta):
            number = chat.events[-1].id + 1 if chat.events else chat.seq * NUMBERS_A_TURN
            await chat.add(Numbered(number, "delta", {"text": event.text}))
        elif isinstance(event, Done):
            chat.seq, chat.answering = event.seq, False
            ids = client_ids(event.messages)
            for client_id in ids:
                chat.asked.pop(client_id, None)
            await chat.add(done_event(event.seq, event.reply, tuple(ids)))

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Streams end when this ends, so that the server can stop."""
        try:
            yield
        finally:
            self._closing = True
            for chat in list(self._chats.values()):
                async with chat.changed:
                    chat.changed.notify_all()

    async def _chat(self, chat_id: str) -> Chat:
        if chat_id not in self._chats:
            if len(self._chats) > MOST_CHATS:
                self._chats = {key: chat for key, chat in self._chats.items() if chat.answering or chat.asked}
            past = await self._inbox.past(self.name, chat_id)
            self._chats.setdefault(chat_id, Chat(seq=past[-1].seq if past else 0))
        return self._chats[chat_id]

    # HTTP

    def routes(self) -> Sequence[web.RouteDef]:
        """The page, the widget and the API."""
        api = {"session": self._session, "messages": self._messages, "feedback": self._feedback}
        return [
            web.get("/", self._page),
            web.get("/page.css", static),
            web.get("/widget.js", static),
            *(web.post(f"/web/v1/{name}", guarded(self._settings.origins, handler)) for name, handler in api.items()),
            web.get("/web/v1/events", guarded(self._settings.origins, self._events)),
            web.get("/web/v1/history", guarded(self._settings.origins, self._history)),
            web.options("/web/v1/{name}", guarded(self._settings.origins, preflight)),
        ]

    async def _page(self, request: web.Request) -> web.Response:
        return page(request, str(self._welcome("en")["name"]))

    async def _session(self, request: web.Request) -> web.Response:
        record = await body_of(request)
        wait = self._sessions.wait(address_of(request, self._proxies))
        if wait:
            raise Refused(
                429,
                "Too many new visitors from your network; please wait a minute.",
                {"Retry-After": str(wait)},
            )
        token = str(record.get("token") or "")
        visitor = visitor_of(self._key, token)
        if not visitor:
            visitor, token = new_token(self._key)
        return web.json_response({"token": token, "visitor": visitor, **self._welcome(language_of(request))})

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        visitor, record = self._visitor(request), await body_of(request)
        client_id, text = record.get("id"), record.get("text")
        if not isinstance(client_id, str) or not re.fullmatch(r"[\w-]{8,64}", client_id):
            raise Refused(400, 'The field "id" must be a UUID.')
        if not isinstance(text, str) or not text.strip():
            raise Refused(400, 'The field "text" must hold a message.')
        if len(text) > MOST_MESSAGE_CHARACTERS:
            raise Refused(413, f"A message may have at most {MOST_MESSAGE_CHARACTERS} characters.")
        if rating := TYPED_THUMBS.get(text.strip()):
            await self._inbox.rate(self.name, visitor, "", rating)
            return await stream(request, noted(client_id))
        chat = await self._chat(visitor)
        cursor = max((event.id for event in chat.events if event.name == "done"), default=chat.seq * NUMBERS_A_TURN)
        raw = json.dumps({"visitor": visitor, "text": text, "language": language_of(request)}, ensure_ascii=False)
        chat.asked[client_id] = text
        new = await self._inbox.accept(self.name, f"{visitor}/{client_id}", visitor, raw)
        return await stream(request, self._until_answered(visitor, client_id, cursor, new=new))

    async def _until_answered(
        self, visitor: str, client_id: str, cursor: int, *, new: bool
    ) -> AsyncIterator[Numbered | None]:
        """Events until the one that answers the message; None is a sign of life."""
        chat, ends = await self._chat(visitor), monotonic() + STREAM_SECONDS
        if not new:
            for turn in await self._inbox.past(self.name, visitor):
                if client_id in client_ids(turn.messages):
                    chat.asked.pop(client_id, None)
                    yield done_of(turn, tuple(client_ids(turn.messages)))
                    return
        while not self._closing and monotonic() < ends:
            for event in chat.after(cursor):
                cursor = event.id
                yield event
                if event.name == "done" and client_id in event.data["messages"]:
                    return
            if not chat.after(cursor) and not await chat.wait(PING_SECONDS):
                yield None
        if not self._closing:
            yield Numbered(cursor, "error", {"message": "The answer takes longer than usual; it will appear here."})

    async def _events(self, request: web.Request) -> web.StreamResponse:
        visitor = self._visitor(request)
        after = request.query.get("after", "0")
        if not after.isascii() or not after.isdigit() or len(after) > 18:
            raise Refused(400, 'The parameter "after" must be a number.')
        return await stream(request, self._since(visitor, int(after)))

    async def _since(self, visitor: str, after: int) -> AsyncIterator[Numbered | None]:
        """Stored turns first, then what happens now; held open while nothing has come."""
        chat, ends, sent = await self._chat(visitor), monotonic() + HOLD_SECONDS, False
        kept = {event.id for event in chat.events}
        for turn in await self._inbox.past(self.name, visitor, after // NUMBERS_A_TURN - 1):
            event = done_of(turn, tuple(client_ids(turn.messages)))
            if event.id > after and event.id not in kept:
                sent = True
                yield event
        while not self._closing and monotonic() < ends:
            for event in chat.after(after):
                after, sent = event.id, True
                yield event
            if sent and not chat.answering and not chat.asked:
                return
            if not chat.after(after) and not await chat.wait(min(PING_SECONDS, max(ends - monotonic(), 0.01))):
                yield None

    async def _history(self, request: web.Request) -> web.Response:
        visitor = self._visitor(request)
        chat, past = await self._chat(visitor), await self._inbox.past(self.name, visitor)
        turns: list[dict[str, Any]] = [
            {
                "turn": turn.reply.turn_id,
                "question": turn.question,
                "reply": turn.reply.as_json(),
                "seq": turn.seq,
            }
            for turn in past
        ]
        turns += [{"turn": None, "question": text, "reply": None, "seq": chat.seq + 1} for text in chat.asked.values()]
        stored = past[-1].seq * NUMBERS_A_TURN + NUMBERS_A_TURN - 1 if past else 0
        return web.json_response(
            {
                "turns": turns,
                "last": max([stored, *(event.id for event in chat.events if event.id < stored + NUMBERS_A_TURN)]),
            }
        )

    async def _feedback(self, request: web.Request) -> web.Response:
        visitor, record = self._visitor(request), await body_of(request)
        rating, turn = record.get("rating"), record.get("turn")
        if rating not in (1, -1) or not isinstance(turn, str) or not turn:
            raise Refused(400, 'Send {"turn": "…", "rating": 1 or -1}.')
        if not await self._inbox.rate(self.name, visitor, turn, int(rating), str(record.get("comment") or "")):
            raise Refused(404, "There is no such turn in this chat.")
        return web.Response(status=204)

    def _visitor(self, request: web.Request) -> str:
        visitor = visitor_of(self._key, bearer(request))
        if not visitor:
            raise Refused(401, "The session is not known; ask for a new one.")
        return visitor
