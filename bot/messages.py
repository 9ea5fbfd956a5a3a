"""The words that channels and engine share: what a visitor said, what goes back, and how a channel looks from inside.

A channel is two pure functions (`parse`, `render`) around a thin edge (`routes`, `opened`, `send`, `show`), and a
`Declaration` of what it needs to be set up.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from aiohttp import web

    from bot.config import ChannelSettings, Config

Kind = Literal["text", "command", "feedback", "unsupported"]
Outcome = Literal["answered", "no_answer", "handed_over", "refused", "failed"]
Part = dict[str, Any]
"""One part of a reply on its way out, as the channel's own JSON; stored as it is."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """What came with a message besides its text. `address`: where or under which id the platform keeps it; `size` in bytes."""

    kind: Literal["image", "audio", "video", "document", "location", "contact", "other"]
    address: str = ""
    name: str = ""
    content_type: str = ""
    size: int = 0


@dataclass(frozen=True, slots=True)
class Message:
    """What a person said, normalised.

    `command` is the word without its slash; `rating` is 1 or -1 and `turn_id` the rated turn (empty: the last one).
    `language` is the primary subtag that the platform reports for the person, or empty. `extra` is what the channel itself
    needs to reply (a mail's subject); nobody else reads it. `platform_ids` are those of all messages that make up this one,
    filled in by the desk.
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
    attachments: tuple[Attachment, ...] = ()
    extra: Mapping[str, str] = field(default_factory=dict)
    platform_ids: tuple[str, ...] = ()

    def address(self) -> dict[str, Any]:
        """What is stored with a turn so that its reply finds its way, also after a restart; no word of the text."""
        return {
            "visitor": self.visitor,
            "name": self.name,
            "extra": dict(self.extra),
            "platform_ids": list(self.platform_ids),
        }

    @classmethod
    def addressed(cls, channel: str, chat_id: str, text: str, address: dict[str, Any]) -> Message:
        """The answered message again, from its stored address."""
        return cls(
            channel, chat_id, address["visitor"], text, name=address["name"], extra=address["extra"],
            platform_ids=tuple(address["platform_ids"]),
        )  # fmt: skip


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

    def render(self, reply: Reply, message: Message) -> list[Part]:
        """Pure: a reply as the platform's parts, each within its limits; `message` is what it answers."""

    async def send(self, message: Message, part: Part) -> str:
        """Deliver one part to the chat of the message that it answers; the platform's id for it, or SendError."""

    async def show(self, chat_id: str, event: Event) -> None:
        """The live view of a turn (typing, streaming); what fails here is dropped, never raised."""

    def routes(self) -> Sequence[web.RouteDef]:
        """The HTTP addresses of this channel."""

    def opened(self) -> AbstractAsyncContextManager[None]:
        """Everything that runs beside the HTTP server (polling, setting a webhook), for as long as it is entered."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that `frontdesk doctor` looked at: a sentence that says what is set up, or what to do."""

    name: str
    ok: bool
    text: str


@dataclass(frozen=True, slots=True)
class Setup:
    """What the application gives to a channel that is made.

    `settings`: its section of the file. `key` signs tokens. `welcome`: what a new visitor is told, in a language.
    """

    config: Config
    settings: Any
    key: bytes
    welcome: Callable[[str], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a channel is, before anything of it is loaded: the application, the documentation and doctor read it.

    `secrets` and `addresses`: variables of the environment that it reads, each with what it is; `addresses` are base URLs of
    outside services. `is_set_up`: whether it can be made from what is configured. `make` makes it, and only then may heavy
    packages be imported. `check`: what doctor says of it.
    """

    name: str
    settings: type[ChannelSettings]
    is_set_up: Callable[[Setup], bool]
    make: Callable[[Setup, Inbox], Channel]
    check: Callable[[Setup], Awaitable[list[Check]]]
    secrets: Mapping[str, str] = field(default_factory=dict)
    addresses: Mapping[str, str] = field(default_factory=dict)


class Rate:
    """At most so many events a minute for each key, in a sliding window."""

    MOST_KEYS = 10_000

    def __init__(self, most: int, clock: Callable[[], float] = monotonic) -> None:
        self._most = most
        self._clock = clock
        self._times: dict[str, deque[float]] = {}

    def wait(self, key: str) -> int:
        """Whole seconds until the key's next event is allowed; 0 allows this one and counts it."""
        now = self._clock()
        times = self._times.setdefault(key, deque())
        while times and now - times[0] > 60:
            times.popleft()
        if len(times) >= self._most:
            return int(60 - (now - times[0])) + 1
        times.append(now)
        if len(self._times) > self.MOST_KEYS:
            self._times = {name: kept for name, kept in self._times.items() if kept and now - kept[-1] < 60}
        return 0


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
