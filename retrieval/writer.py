"""What the library asks of a language model, handed in by who has one: one text for an instruction and another text."""

from __future__ import annotations

from typing import Protocol


class Writer(Protocol):
    """A model that writes. The library knows none; what is wrong with an answer it finds out by itself."""

    async def write(self, instruction: str, text: str, most_tokens: int) -> str:
        """The whole answer; WriteError when it failed, took too long, or was cut off at `most_tokens`."""
        ...
