"""A reply as Telegram's parts: text, entities, buttons, each part within 4096 UTF-16 units."""

from __future__ import annotations

from typing import Any

from bot.messages import Part, Reply, cut
from channels.telegram.markup import Entity, Rich, convert, units

MESSAGE_UNITS = 4096
"""Telegram's limit is 4096 code points; UTF-16 units are never fewer, and entities count in them anyway."""

SOURCES_LABEL = {"en": "Sources", "de": "Quellen", "es": "Fuentes", "fr": "Sources"}
MOST_CALLBACK_BYTES = 64


def render(reply: Reply) -> list[Part]:
    """The reply's parts in order; buttons are under the last one only."""
    label = SOURCES_LABEL.get(reply.language.partition("-")[0].lower(), SOURCES_LABEL["en"])
    parts = [as_part(piece) for piece in split(convert(reply.text, reply.citations, label))]
    if parts and (buttons := _buttons(reply)):
        parts[-1]["reply_markup"] = buttons
    return parts


def as_part(rich: Rich) -> Part:
    """A piece of text as the Bot API takes it, without a preview of its links."""
    return {
        "text": rich.text,
        "entities": [entity.as_json() for entity in rich.entities],
        "link_preview_options": {"is_disabled": True},
    }


def split(rich: Rich, limit: int = MESSAGE_UNITS) -> list[Rich]:
    """Pieces of at most `limit` units; an entity over a border is closed and opened again."""
    pieces, at = [], 0
    for text in cut(rich.text, limit, units):
        start = at + len(rich.text[at:]) - len(rich.text[at:].lstrip())
        at = start + len(text)
        start = _with_indent(rich, start, at, limit)
        pieces.append(_piece(rich, start, at))
    return pieces


def _with_indent(rich: Rich, start: int, end: int, limit: int) -> int:
    """The start of a piece; inside code, the spaces that open its first line belong to it, if they fit."""
    line = rich.text.rfind("\n", 0, start) + 1
    offset = units(rich.text[:start])
    code = any(item.type == "pre" and item.offset <= offset < item.offset + item.length for item in rich.entities)
    fits = units(rich.text[line:end]) <= limit
    return line if code and fits and rich.text[line:start].isspace() else start


def _piece(rich: Rich, start: int, end: int) -> Rich:
    first = units(rich.text[:start])
    last = first + units(rich.text[start:end])
    entities = [
        Entity(item.type, left - first, right - left, item.url, item.language)
        for item in rich.entities
        if (left := max(item.offset, first)) < (right := min(item.offset + item.length, last))
    ]
    return Rich(rich.text[start:end], tuple(entities))


def _buttons(reply: Reply) -> dict[str, Any] | None:
    """Choices are a keyboard, so that a tap arrives as text; suggestions and thumbs are under the message."""
    if reply.choices:
        rows = [[{"text": choice}] for choice in reply.choices]
        return {"keyboard": rows, "one_time_keyboard": True, "resize_keyboard": True}
    rows = [[{"text": text, "callback_data": f"s:{n}"}] for n, text in enumerate(reply.suggestions)]
    thumbs = [{"text": sign, "callback_data": f"f:{reply.turn_id}:{way}"} for sign, way in (("👍", "u"), ("👎", "d"))]
    fits = all(len(thumb["callback_data"].encode()) <= MOST_CALLBACK_BYTES for thumb in thumbs)
    if reply.rateable and reply.turn_id and fits:
        rows.append(thumbs)
    return {"inline_keyboard": rows} if rows else None
