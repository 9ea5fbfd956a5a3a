"""Updates into the inbox, by webhook or by long polling, raw: what can't be parsed must not stop what can.

An update is confirmed to Telegram only after it is stored. Logs carry update ids, never texts.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from typing import Any, TypeVar

from aiogram import Bot
from aiogram.exceptions import (
    TelegramConflictError,
    TelegramNotFound,
    TelegramRetryAfter,
    TelegramUnauthorizedError,
)
from aiogram.methods import TelegramMethod
from aiohttp import web

from bot.messages import Inbox
from channels.telegram.send import FAILURES
from channels.telegram.updates import Json, place

log = logging.getLogger(__name__)

Result = TypeVar("Result")
ALLOWED_UPDATES = ["message", "callback_query"]
MOST_UPDATE_BYTES = 1024 * 1024
LONG_POLL_SECONDS = 25
SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - a header's name
THANKS = {"en": "Thank you!", "de": "Danke!", "es": "¡Gracias!", "fr": "Merci !"}


class RawUpdates(TelegramMethod[list[dict[str, Any]]]):
    """`getUpdates` as plain JSON: aiogram's own refuses a whole batch for one update that it can't read."""

    __returning__ = list[dict[str, Any]]
    __api_method__ = "getUpdates"

    offset: int | None = None
    timeout: int = LONG_POLL_SECONDS
    allowed_updates: list[str] = ALLOWED_UPDATES


class Receiver:
    """The receiving half: both ways end in `take`."""

    def __init__(self, bot: Bot, secret: str, inbox: Inbox) -> None:
        self._bot = bot
        self._secret = secret.encode()
        self._inbox = inbox
        self._tasks: set[asyncio.Task[None]] = set()

    async def take(self, update: Json, raw: str) -> None:
        """Store an update; a tap on a button is answered at once, so that its spinner stops."""
        await self._inbox.accept("telegram", str(update["update_id"]), place(update), raw)
        query = update.get("callback_query")
        if isinstance(query, dict) and isinstance(query.get("id"), str):
            task = asyncio.create_task(self._answer(query))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _answer(self, query: Json) -> None:
        language = str((query.get("from") or {}).get("language_code") or "")[:2]
        rated = str(query.get("data", "")).startswith("f:")
        text = THANKS.get(language, THANKS["en"]) if rated else None
        try:
            await self._bot.answer_callback_query(query["id"], text=text, request_timeout=10)
        except FAILURES as error:
            log.info("a tap could not be answered: %s", type(error).__name__)

    async def webhook(self, request: web.Request) -> web.Response:
        """`POST /telegram/webhook`: 2xx only after the update is on disk."""
        given = request.headers.get(SECRET_HEADER, "").encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(given, self._secret):
            return web.Response(status=403)
        body = await _read(request)
        update = _decoded(body)
        if update is None:
            log.warning("a webhook body of %d bytes is no update; dropped", len(body))
            return web.Response()
        try:
            await self.take(update, body.decode())
        except Exception as error:  # noqa: BLE001 - the outermost place: whatever failed, Telegram must send it again
            log.error("update %s was not stored: %s", update["update_id"], type(error).__name__)
            return web.Response(status=503, headers={"Retry-After": "5"})
        return web.Response()

    async def poll(self) -> None:
        """Fetch for ever. Raises when Telegram refuses the token."""
        offset: int | None = None
        while True:
            updates = await persist(self._bot, RawUpdates(offset=offset), LONG_POLL_SECONDS + 15)
            try:
                for update in filter(_is_update, updates):
                    await self.take(update, json.dumps(update))
            except Exception as error:  # noqa: BLE001 - the outermost place: the same batch is fetched again
                log.error("updates were not stored, they will be fetched again: %s", type(error).__name__)
                await asyncio.sleep(1)
                continue
            offset = _confirmation(updates)

    async def close(self) -> None:
        """Give the last answers to taps a moment, then drop them."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=2)
        for task in self._tasks:
            task.cancel()


async def persist(bot: Bot, method: TelegramMethod[Result], timeout: int = 20) -> Result:  # noqa: ASYNC109 - handed on
    """Call a method until it works. Raises only when Telegram refuses the token."""
    pause = 1.0
    while True:
        try:
            return await bot(method, request_timeout=timeout)
        except (TelegramUnauthorizedError, TelegramNotFound):
            raise
        except FAILURES as error:
            wait = float(error.retry_after) if isinstance(error, TelegramRetryAfter) else pause
            log.warning("Telegram's %s failed: %s; again in %.0f s", method.__api_method__, _why(error, bot), wait)
            await asyncio.sleep(wait)
            pause = min(60.0, pause * 2)


def _why(error: Exception, bot: Bot) -> str:
    if isinstance(error, TelegramConflictError):
        return "another process polls with this token, or a webhook is set; run one Frontdesk a bot"
    return f"{type(error).__name__}: {getattr(error, 'message', '')}".replace(bot.token, "…")[:200]


def _confirmation(updates: list[Json]) -> int | None:
    """The offset that confirms a batch.

    None after an empty one: what was stored is confirmed by then, and after a quiet week Telegram may go on
    with a lower id.
    """
    return max((item["update_id"] for item in filter(_is_update, updates)), default=-1) + 1 or None


def _is_update(update: object) -> bool:
    return isinstance(update, dict) and type(update.get("update_id")) is int


def _decoded(body: bytes) -> Json | None:
    try:
        update = json.loads(body.decode())
    except (ValueError, RecursionError):
        return None
    return update if _is_update(update) else None


async def _read(request: web.Request) -> bytes:
    body = b""
    async for chunk in request.content.iter_any():
        body += chunk
        if len(body) > MOST_UPDATE_BYTES:
            raise web.HTTPRequestEntityTooLarge(max_size=MOST_UPDATE_BYTES, actual_size=len(body))
    return body
