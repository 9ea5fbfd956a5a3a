"""A turn and the conversation it belongs to, as the engine makes them and the store keeps them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from bot.answer.session import Memory
from bot.messages import Reply
from retrieval.document import Found, Hit

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionMessageParam

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
    asked_item: str = ""
    """The questionnaire's item that waits for its answer."""
    waiting_question: str = ""
    """The visitor's question that waits until the questionnaire is done."""
    memory: Sequence[Memory] = ()
    """The newest turns since the last reset, oldest first; the session is cut out of them."""


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
    prompt: Sequence[ChatCompletionMessageParam] = ()
    """What the model is sent, or would be if there were one; not stored."""
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
    asked_item: str = ""
    waiting_question: str = ""
    reset: bool = False
    started_at: str = ""
