"""A turn and the conversation it belongs to, as the engine makes them and the store keeps them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from bot.answer.session import Memory
from bot.messages import Reply
from retrieval.document import Found, Hit

GapReason = Literal["nothing_found", "not_covered", "not_supported"]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One chat on one channel, for as long as it lasts."""

    id: str
    channel: str
    chat_id: str
    visitor: str
    language: str = ""
    answers: Mapping[str, str] = field(default_factory=dict)
    asked: str = ""
    held: str = ""
    memory: Sequence[Memory] = ()
    """The newest turns since the last reset, oldest first; the session is cut out of them."""
    fresh: bool = False
    """Whether this is its first turn."""


@dataclass(slots=True)
class Usage:
    """Tokens that one completion took, as the model's server counts them; 0 where it doesn't say."""

    prompt: int = 0
    completion: int = 0


@dataclass(frozen=True, slots=True)
class Gap:
    """Why a question found nothing."""

    reason: GapReason
    question: str
    found: Found


@dataclass(slots=True)
class Turn:
    """A question and its reply, with all that is written about them in one transaction."""

    id: str
    kind: Literal["question", "command", "questionnaire"]
    question: str
    reply: Reply
    language: str
    rewritten: str = ""
    hits: Sequence[Hit] = ()
    cited: frozenset[int] = frozenset()
    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    context_tokens: int = 0
    question_tokens: int = 0
    answer_tokens: int = 0
    confidence: float | None = None
    gap: Gap | None = None
    answers: Mapping[str, str] | None = None
    """The conversation's questionnaire answers from now on; None leaves them."""
    asked: str = ""
    held: str = ""
    reset: bool = False
    started_at: str = ""
