"""One part to one chat, and what Telegram's errors mean for the delivery.

sendMessage has no key that makes it safe to repeat. When the outcome is unknown (network, 5xx) a part is sent
again: an answer twice is better than none.
"""

from __future__ import annotations

from typing import Any

from aiogram import Bot
from aiogram.exceptions import (
    AiogramError,
    ClientDecodeError,
    TelegramAPIError,
    TelegramBadRequest,
    TelegramEntityTooLarge,
    TelegramForbiddenError,
    TelegramMigrateToChat,
    TelegramNotFound,
    TelegramRetryAfter,
    TelegramUnauthorizedError,
)
from aiogram.types import InlineKeyboardMarkup, LinkPreviewOptions, MessageEntity, ReplyKeyboardMarkup

from bot.errors import SendError
from bot.messages import Part

SEND_SECONDS = 20
"""For one call of the Bot API."""
FAILURES = (AiogramError, OSError, ValueError)
"""What a call may raise: aiogram's errors, and what it lets through (a gateway's page in an odd encoding)."""
WRONG_TOKEN = "Telegram refuses the bot's token; check FRONTDESK_TELEGRAM_TOKEN (@BotFather shows it)"  # noqa: S105 - a sentence
NO_PREVIEW = LinkPreviewOptions(is_disabled=True)


def address(chat_id: str) -> tuple[int, int | None]:
    """`chat` or `chat:topic` as the two numbers."""
    chat, _, topic = chat_id.partition(":")
    return int(chat), int(topic) if topic else None


async def deliver(bot: Bot, chat_id: str, part: Part, message_id: int | None = None) -> str:
    """Send a part, or put it into the message that was streamed; returns the message's id.

    A part that is refused for its looks is sent once more as bare text. Raises aiogram's errors.
    """
    try:
        return await _write(bot, chat_id, part, message_id)
    except ClientDecodeError as error:
        return _accepted(error, message_id)
    except TelegramBadRequest as error:
        what = error.message.lower()
        if message_id and "not modified" in what:
            return str(message_id)
        if message_id and ("to edit not found" in what or "can't be edited" in what):
            return await deliver(bot, chat_id, part)
        chat, topic = address(chat_id)
        if topic and chat > 0 and "thread not found" in what:
            return await deliver(bot, str(chat), part, message_id)
        if part.keys() == {"text"}:
            raise
        return await deliver(bot, chat_id, {"text": part["text"]}, message_id)


async def _write(bot: Bot, chat_id: str, part: Part, message_id: int | None) -> str:
    chat, topic = address(chat_id)
    entities = [MessageEntity.model_validate(item) for item in part.get("entities", [])]
    buttons = part.get("reply_markup")
    if message_id is None:
        sent = await bot.send_message(
            chat,
            part["text"],
            message_thread_id=topic,
            entities=entities,
            link_preview_options=NO_PREVIEW,
            reply_markup=_markup(buttons),
            request_timeout=SEND_SECONDS,
        )
        return str(sent.message_id)
    await bot.edit_message_text(
        part["text"],
        chat_id=chat,
        message_id=message_id,
        entities=entities,
        link_preview_options=NO_PREVIEW,
        reply_markup=InlineKeyboardMarkup.model_validate(buttons) if buttons else None,
        request_timeout=SEND_SECONDS,
    )
    return str(message_id)


def _markup(buttons: dict[str, Any] | None) -> InlineKeyboardMarkup | ReplyKeyboardMarkup | None:
    if not buttons:
        return None
    kind = ReplyKeyboardMarkup if "keyboard" in buttons else InlineKeyboardMarkup
    return kind.model_validate(buttons)


def _accepted(error: ClientDecodeError, message_id: int | None) -> str:
    """The id of a message that Telegram took, but described in a way that aiogram can't read; else raises."""
    if isinstance(error.data, dict) and error.data.get("ok"):
        result = error.data.get("result")
        return str(message_id or (result.get("message_id", "") if isinstance(result, dict) else ""))
    raise error


def failure(error: Exception, token: str) -> SendError:
    """What an error means for the delivery, in a sentence without the token."""
    said = str(getattr(error, "message", "")).replace(token, "…")[:300]
    match error:
        case TelegramRetryAfter():
            wait = float(error.retry_after)
            return SendError(f"Telegram asks to wait {wait:.0f} s", retry_after=wait)
        case TelegramMigrateToChat():
            return SendError("The group became a supergroup", moved_to=str(error.migrate_to_chat_id))
        case TelegramUnauthorizedError() | TelegramNotFound():
            return SendError(WRONG_TOKEN, permanent=True)
        case TelegramForbiddenError():
            return SendError(f"The chat can't be reached any more: {said}", permanent=True)
        case TelegramBadRequest() | TelegramEntityTooLarge():
            return SendError(f"Telegram refuses the message: {said}", permanent=True)
        case ClientDecodeError() | UnicodeError():
            return SendError("Telegram's answer was no JSON; a gateway may be down")
        case ValueError():
            return SendError("The part or the chat's id has a shape that Telegram doesn't know", permanent=True)
        case TelegramAPIError() if "too many requests" in said.lower():
            return SendError("Telegram asks to wait", retry_after=5.0)
        case _:
            return SendError(f"Telegram could not be reached or failed: {said}")
