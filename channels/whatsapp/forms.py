"""What Twilio posts, as messages: pure functions over one form.

A form is kept as a JSON list of pairs, since names may repeat and Twilio adds new ones without notice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from bot.messages import Message

Form = dict[str, str]

# Twilio's words for text messages (it handles none of them for WhatsApp), and their like in other languages.
# Its CANCEL and END are left out: here they are answers and questions about bookings.
STOP_WORDS = {"stop", "stopall", "unsubscribe", "quit", "revoke", "optout", "stopp", "abmelden"}
STOP_WORDS |= {"baja", "parar", "detener", "arrêt", "arret", "arrêter", "désabonner"}
COMMAND_WORDS = {"/start": "start", "/help": "help", "/reset": "reset", "start": "start", "unstop": "start"}
COMMAND_WORDS |= {"help": "help", "reset": "reset", "/stop": "stop"} | dict.fromkeys(STOP_WORDS, "stop")
TYPED_THUMBS = {"👍": 1, "👎": -1}
_LOOKS = {ord(mark): None for mark in "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff\ufe0f"}
"""Skin tones and the mark that asks for a picture: they change a thumb's looks, not its meaning."""


def as_raw(pairs: Iterable[tuple[str, Any]]) -> str:
    """A form as it is stored; files (which Twilio never posts) are left out."""
    return json.dumps([[name, value] for name, value in pairs if isinstance(value, str)])


def place(form: Form) -> str:
    """The chat: who wrote, and the number that was written to, which answers."""
    return f"{form['From']}|{form['To']}"


def ends(chat_id: str) -> tuple[str, str]:
    """The visitor's address and ours, the inverse of `place`."""
    theirs, _, ours = chat_id.partition("|")
    return theirs, ours


def parse(raw: str) -> Message:
    """A stored form as a message. Raises ValueError for junk."""
    try:
        pairs = [(str(name), str(value)) for name, value in json.loads(raw)]
        form = dict(reversed(pairs))
        return _message(form)
    except (KeyError, TypeError) as error:
        raise ValueError(f"a form of an unknown shape: {type(error).__name__}") from error


def _message(form: Form) -> Message:
    text = next((form[key].strip() for key in ("Body", "ButtonText", "ListTitle") if form.get(key, "").strip()), "")
    return Message(
        channel="whatsapp",
        chat_id=place(form),
        visitor=form.get("ExternalUserId") or form.get("WaId") or form["From"],
        name=form.get("ProfileName", ""),
        **_meaning(text),
    )


def _meaning(text: str) -> dict[str, Any]:
    if not text:
        return {"kind": "unsupported"}
    if command := COMMAND_WORDS.get(text.casefold()):
        return {"kind": "command", "command": command}
    if rating := TYPED_THUMBS.get(text.translate(_LOOKS)):
        return {"kind": "feedback", "rating": rating}
    return {"text": text}
