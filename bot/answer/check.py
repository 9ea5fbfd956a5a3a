"""Whether what the model wrote stands in its sources: every number, price, date, address and link."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import combinations_with_replacement

NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
CONTACT = re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+|https?://[^\s)\]>]+")
LINK = re.compile(r"\[([^\]]+)\]\((https?://[^)\s]+)\)")
MARKER = re.compile(r"\[\d+\]")
SMALL = 12
"""Small whole numbers are counted, not quoted: a list of three things needs no source for its 3."""


def unsupported(text: str, sources: Iterable[str]) -> list[str]:
    """The numbers and addresses of a text that neither stand in the sources nor follow from two numbers there."""
    whole = "\n".join(sources)
    known = {_value(number) for number in NUMBER.findall(whole)}
    bare = MARKER.sub("", text)
    wrong = [contact for contact in CONTACT.findall(bare) if contact.rstrip(".,;") not in whole]
    numbers = [number for number in NUMBER.findall(CONTACT.sub("", bare)) if not _is_fine(_value(number), known)]
    return wrong + numbers


def without_foreign_links(text: str, sources: Sequence[str]) -> str:
    """The text with links kept as words where their address stands in no source."""
    whole = "\n".join(sources)
    return LINK.sub(lambda match: match[0] if match[2] in whole else match[1], text)


def _value(number: str) -> str:
    """One spelling: 1,499 is 1499 and 2,50 is 2.5, but a time of day stays as it is."""
    if ":" in number:
        return number.lstrip("0")
    plain = re.sub(r"[.,](?=\d{3}\b)", "", number).replace(",", ".")
    if plain.count(".") > 1:
        return plain
    return plain.rstrip("0").rstrip(".") if "." in plain else plain.lstrip("0") or "0"


def _is_fine(value: str, known: set[str]) -> bool:
    if value in known or (value.isdigit() and int(value) <= SMALL):
        return True
    target = _float(value)
    if target is None:
        return False
    amounts = sorted(amount for amount in (_float(item) for item in known) if amount is not None)[:60]
    return any(
        abs(result - target) < 0.005
        for a, b in combinations_with_replacement(amounts, 2)
        for result in (a + b, a * b, abs(a - b))
    )


def _float(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None
