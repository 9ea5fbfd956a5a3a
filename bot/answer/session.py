"""Memory of a chat: the session is a pure function over turns, and so is what is kept of it in the prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class Memory:
    """A turn as the session remembers it; only questions to the bot count, not commands or the questionnaire."""

    question: str
    standalone: str
    answer: str
    at: datetime


def session(turns: Sequence[Memory], now: datetime, timeout: float) -> list[Memory]:
    """The turns since the last silence longer than `timeout` seconds, oldest first."""
    kept: list[Memory] = []
    after = now
    for turn in reversed(turns):
        if after - turn.at > timedelta(seconds=timeout):
            break
        kept.insert(0, turn)
        after = turn.at
    return kept


def pruned(turns: Sequence[Memory], max_items: int) -> list[Memory]:
    """The newest turns whose messages (two a turn) fit into `max_items`; the oldest go first."""
    most = max_items // 2
    return list(turns[-most:]) if most else []
