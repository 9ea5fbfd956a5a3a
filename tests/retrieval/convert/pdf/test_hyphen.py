"""Hyphens at the ends of lines."""

from __future__ import annotations

import pytest

from retrieval.convert.pdf import convert_pdf
from tests.retrieval.convert.pdf.paper import lines, pdf

URL = "https://boats.example/guide.pdf"


def markdown(body: bytes) -> str:
    return convert_pdf(body, URL).markdown


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("Bring your certi-\nficate to the quay", "certificate"),
        ("All about the Anglo-\nSaxon boats", "Anglo-Saxon"),
        ("This is a well-\nknown place", "well-known"),
        ("Ask for a state-of-\nthe-art boat", "state-of-the-art"),
        ("We have two-\nand three-day tours", "two- and three-day"),
        ("Vor-\nund Nachteile der Boote", "Vor- und Nachteile"),
        ("Answers by e-mail come soon, and by an e-\nmail only", "an e-mail only"),
        ("The harbour wall and a harbour-\nwall of stone", "harbour-wall"),
        ("From 2025-\n2026 on", "2025-2026"),
        ("The quay -\nand the boats", "quay - and"),
    ],
)
def test_a_hyphen_at_the_end_of_a_line_goes_only_where_it_breaks_a_word(text: str, joined: str) -> None:
    assert joined in markdown(pdf(lines(text)))
