"""What Telegram sends, as messages: pure functions over one update.

Offsets of entities are UTF-16 units, so every slice by an entity goes through UTF-16.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from bot.messages import Message

Json = dict[str, Any]

GROUP_COMMANDS = ("start", "help", "reset")
MEDIA_FIELDS = {"animation", "audio", "checklist", "contact", "dice", "document", "game", "location", "paid_media"}
MEDIA_FIELDS |= {"photo", "poll", "sticker", "story", "venue", "video", "video_note", "voice"}
_FEEDBACK = re.compile(r"f:([A-Za-z0-9_-]{1,60}):([ud])")
_SUGGESTION = re.compile(r"s:(\d{1,2})")


@dataclass(frozen=True, slots=True)
class Me:
    """The bot itself, as getMe tells it."""

    id: int
    username: str = ""


def parse(raw: str, me: Me) -> Message | None:
    """An update as a message; None when it isn't for us. Raises ValueError for junk."""
    update = json.loads(raw)
    if not isinstance(update, dict):
        raise ValueError("an update that is no object")
    try:
        if "callback_query" in update:
            return _tap(update["callback_query"])
        return _message(update["message"], me) if "message" in update else None
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"an update of an unknown shape: {type(error).__name__}") from error


def place(update: Json) -> str:
    """The chat that an update belongs to, as `chat` or `chat:topic`; empty when it belongs to none."""
    query = update.get("callback_query")
    bodies = [query.get("message")] if isinstance(query, dict) else list(update.values())
    for body in bodies:
        if isinstance(body, dict) and isinstance(body.get("chat"), dict):
            return _chat_id(body)
    return ""


def _chat_id(message: Json) -> str:
    """`message_thread_id` names a topic only with `is_topic_message`; the General topic (1) is never sent."""
    chat, topic = message["chat"].get("id", ""), message.get("message_thread_id")
    return f"{chat}:{topic}" if message.get("is_topic_message") and topic not in (None, 1) else f"{chat}"


def _tap(query: Json) -> Message | None:
    message = query.get("message")
    if not message:
        return None
    data = query.get("data", "")
    if found := _FEEDBACK.fullmatch(data):
        rating = 1 if found[2] == "u" else -1
        return _said(message, query["from"], kind="feedback", turn_id=found[1], rating=rating)
    if found := _SUGGESTION.fullmatch(data):
        return _said(message, query["from"], text=_label(message, data))
    return None


def _label(message: Json, data: str) -> str:
    """The words on the button that was tapped: the tap itself carries only its number."""
    rows = message["reply_markup"]["inline_keyboard"]
    return next(str(button["text"]) for row in rows for button in row if button.get("callback_data") == data)


def _message(message: Json, me: Me) -> Message | None:
    sender = message.get("from") or {}
    other_bot = sender.get("is_bot") and "sender_chat" not in message
    if other_bot or message.get("is_automatic_forward") or message["chat"]["type"] == "channel":
        return None
    text = message.get("text") or message.get("caption") or ""
    entities = message.get("entities") or message.get("caption_entities") or []
    mentions = [item for item in entities if _is_mention(item, text, me)]
    group = message["chat"]["type"] != "private"
    if command := _command(text, entities):
        return _as_command(message, text, command, me, group=group)
    if group and not mentions and not _replies_to(message, me):
        return None
    if not text:
        return _said(message, sender, kind="unsupported") if MEDIA_FIELDS & message.keys() else None
    spoken = _without(text, mentions) if group else text
    return _said(message, sender, text=_clean(spoken)) if spoken else _said(message, sender, command="help")


def _command(text: str, entities: list[Json]) -> Json | None:
    """The entity of a command that opens the text, or None."""
    return next((item for item in entities if item["type"] == "bot_command" and item["offset"] == 0 and text), None)


def _as_command(message: Json, text: str, entity: Json, me: Me, *, group: bool) -> Message | None:
    word, _, addressee = _slice(text, entity)[1:].partition("@")
    if addressee and addressee.casefold() != me.username.casefold():
        return None
    if group and not addressee and word.lower() not in GROUP_COMMANDS:
        return None
    rest = _units(text)[2 * entity["length"] :].decode("utf-16-le", "replace").strip()
    return _said(message, message.get("from") or {}, command=word.lower(), text=rest)


def _is_mention(entity: Json, text: str, me: Me) -> bool:
    if entity["type"] == "text_mention":
        return bool(entity["user"]["id"] == me.id)
    return (
        entity["type"] == "mention"
        and bool(me.username)
        and _slice(text, entity).casefold() == f"@{me.username}".casefold()
    )


def _replies_to(message: Json, me: Me) -> bool:
    """Whether it answers one of our messages; in a topic every message "replies" to the topic's first one."""
    original = message.get("reply_to_message") or {}
    return "forum_topic_created" not in original and (original.get("from") or {}).get("id") == me.id


def _said(message: Json, sender: Json, **fields: Any) -> Message:
    if "command" in fields:
        fields["kind"] = "command"
    names = (sender.get("first_name"), sender.get("last_name"))
    anonymous = not sender or sender.get("is_bot")
    return Message(
        channel="telegram",
        chat_id=_chat_id(message),
        visitor=str((message["sender_chat"] if anonymous else sender)["id"]),
        language=(sender.get("language_code") or "").partition("-")[0].lower(),
        name=_clean(" ".join(name for name in names if name)),
        **fields,
    )


def _without(text: str, entities: list[Json]) -> str:
    """The text without some of its entities, last one first so that the offsets hold."""
    units = _units(text)
    for item in sorted(entities, key=lambda item: item["offset"], reverse=True):
        start, end = 2 * item["offset"], 2 * (item["offset"] + item["length"])
        units = units[:start] + units[end:]
    return re.sub(r"[ \t]{2,}", " ", units.decode("utf-16-le", "replace")).strip()


def _slice(text: str, entity: Json) -> str:
    start, end = 2 * entity["offset"], 2 * (entity["offset"] + entity["length"])
    return _units(text)[start:end].decode("utf-16-le", "replace")


def _units(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _clean(text: str) -> str:
    """Text that can be stored: a lone surrogate (JSON allows it) becomes U+FFFD."""
    return _units(text).decode("utf-16-le", "replace")
