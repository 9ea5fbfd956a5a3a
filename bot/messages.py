"""The words that channels and engine share: what a visitor said, what goes back, and how a channel looks from inside.

A channel is two pure functions (`parse`, `render`) around a thin edge (`routes`, `opened`, `send`, `show`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol

from aiohttp import web

Kind = Literal["text", "command", "feedback", "unsupported"]
Outcome = Literal["answered", "no_answer", "handed_over", "refused", "failed"]
Part = dict[str, Any]
"""One part of a reply on its way out, as the channel's own JSON; stored as it is."""


@dataclass(frozen=True, slots=True)
class Message:
    """What a person said, normalised.

    `command` is the word without its slash; `rating` is 1 or -1 and `turn_id` the rated turn (empty: the last one).
    `language` is the primary subtag that the platform reports for the person, or empty.
    """

    channel: str
    chat_id: str
    visitor: str
    text: str = ""
    kind: Kind = "text"
    command: str = ""
    rating: int = 0
    turn_id: str = ""
    language: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """What a reader sees of a source: its number in the text, title, address and the passage that was used."""

    number: int
    title: str
    url: str
    passage: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back: Markdown text with `[1]` markers, and everything a channel may show beside it.

    `choices` are the allowed answers to a questionnaire question; `suggestions` are next questions to tap.
    `rateable` says whether thumbs make sense under it.
    """

    text: str
    outcome: Outcome = "answered"
    turn_id: str = ""
    citations: tuple[Citation, ...] = ()
    suggestions: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    language: str = "en"
    rateable: bool = False

    def as_json(self) -> dict[str, Any]:
        """The reply as the web channel's `done` event and the store keep it."""
        record = asdict(self)
        record["turn"] = record.pop("turn_id")
        return record

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Reply:
        """The inverse of `as_json`."""
        rest = dict(record)
        return cls(
            turn_id=rest.pop("turn"),
            citations=tuple(Citation(**item) for item in rest.pop("citations")),
            suggestions=tuple(rest.pop("suggestions")),
            choices=tuple(rest.pop("choices")),
            **rest,
        )


@dataclass(frozen=True, slots=True)
class Start:
    """A turn begins; `messages` are the platform ids that it answers."""

    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Delta:
    """The next piece of the answer's text; a view, not durable."""

    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """The last event of a turn; `seq` is the turn's place in its chat, from 1."""

    reply: Reply
    seq: int = 0
    messages: tuple[str, ...] = ()


Event = Start | Delta | Done


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A turn that was answered, as a channel may show it again after a reload."""

    seq: int
    question: str
    reply: Reply
    messages: tuple[str, ...] = field(default=())


class Inbox(Protocol):
    """What the desk offers to a channel."""

    async def accept(self, channel: str, platform_id: str, chat_id: str, raw: str) -> bool:
        """Store a raw payload durably; False when the platform id was already there (acknowledge all the same)."""

    async def past(self, channel: str, chat_id: str, after: int = 0) -> list[PastTurn]:
        """The chat's turns with a `seq` greater than `after`, oldest first."""

    async def rate(self, channel: str, chat_id: str, turn_id: str, rating: int, comment: str = "") -> bool:
        """Store a thumb; False when the turn isn't one of this chat."""

    async def progressed(self, channel: str, platform_id: str, state: str, detail: str = "") -> None:
        """The platform's word on a part that was sent: sent, delivered, read, failed (never goes backwards)."""


class Channel(Protocol):
    """A door, as the desk sees it."""

    name: str
    burst_seconds: float
    """How long to wait for the next short message of a burst before answering; 0 answers at once."""

    def parse(self, raw: str) -> Message | None:
        """Pure: a raw payload as a message; None when there is nothing to answer. Raises ValueError for junk."""

    def render(self, reply: Reply) -> list[Part]:
        """Pure: a reply as the platform's parts, each within its limits."""

    async def send(self, chat_id: str, part: Part) -> str:
        """Deliver one part and return the platform's id for it; raises SendError."""

    async def show(self, chat_id: str, event: Event) -> None:
        """The live view of a turn (typing, streaming); what fails here is dropped, never raised."""

    def routes(self) -> Sequence[web.RouteDef]:
        """The HTTP addresses of this channel."""

    def opened(self) -> AbstractAsyncContextManager[None]:
        """Everything that runs beside the HTTP server (polling, setting a webhook), for as long as it is entered."""


def cut(text: str, limit: int, size: Callable[[str], int] = len) -> list[str]:
    """Cut a text into pieces of at most `limit` (in the unit of `size`), at the best border there is.

    Borders, best first: paragraph, line, sentence, word, any character. Pieces carry no leading or trailing
    white space and none is empty. The joined pieces hold every non-space character, in order.
    """
    pieces = []
    rest = text.strip()
    while size(rest) > limit:
        window = _longest_prefix(rest, limit, size)
        at = _border(window)
        pieces.append(rest[:at].rstrip())
        rest = rest[at:].lstrip()
    if rest:
        pieces.append(rest)
    return [piece for piece in pieces if piece]


def _longest_prefix(text: str, limit: int, size: Callable[[str], int]) -> str:
    low, high = 1, min(len(text), limit)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if size(text[:middle]) <= limit else (low, middle - 1)
    while low > 1 and low < len(text) and text[low] in "\u200d\ufe0f\u20e3" + "".join(map(chr, range(0x300, 0x370))):
        low -= 1
    return text[:low]


def _border(window: str) -> int:
    least = len(window) // 3
    for mark in ("\n\n", "\n", ". ", "! ", "? ", "。", " "):
        at = window.rfind(mark)
        if at >= least:
            return at + len(mark)
    return len(window)
