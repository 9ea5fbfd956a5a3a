"""Models as functions of the page: one that keeps its contract, and a page worth asking it about."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retrieval.errors import WriteError
from retrieval.split.blocks import blocks

PROSE = (
    "Bring a towel and dry clothes for afterwards. The harbour master Ada Quayle opens the gate, and old Tom Rigg hands out"
    " the vests. We look at the sky together, and whoever feels unsure stays ashore without paying for it."
)
PAGE = "\n\n".join(
    [
        "# Boats",
        *(
            f"## Harbour {letter}\n\nA canoe from pier {letter} costs £{at}.50 for {at} hours until 3 May 2026. {PROSE}"
            for at, letter in enumerate("ABCDEFGH", 21)
        ),
        "## Prices\n\n| Boat | Day |\n| --- | --- |\n| Raft | £91 |\n| Punt | £92 |",
        "## Reach us\n\nWrite to quay@boats.example or ring 01632 960 417, see https://boats.example/map?x=7.",
        "## For machines\n\n```\nGET /boats?size=4\n```",
    ]
)


def honest(page: str) -> str:
    """Each section under a question, its text as it was."""
    lines = []
    for block in blocks(page.partition("\n\n---\n\n")[0]):
        if block.kind == "heading" and block.level > 1:
            lines.append(f"§§ What about {block.name}?")
        elif block.kind != "heading":
            lines.append(block.text)
    return "\n\n".join(lines)


class Scribe:
    """A writer whose answers are functions of the text, one for each call, the last one for all that follow."""

    def __init__(self, *answers: Callable[[str], str]) -> None:
        self._answers: Sequence[Callable[[str], str]] = answers
        self.asked: list[tuple[str, str]] = []

    async def write(self, instruction: str, text: str, most_tokens: int) -> str:
        self.asked.append((instruction, text))
        return self._answers[min(len(self.asked), len(self._answers)) - 1](text)


def late(_: str) -> str:
    """What a model that takes too long comes to."""
    raise WriteError("the model's server can't be used (TimeoutError)")
