"""Bytes of a page as text."""

from __future__ import annotations

import pytest

from retrieval.convert.html.charset import decode


@pytest.mark.parametrize(
    ("body", "header"),
    [
        ("Größe".encode("latin-1"), "text/html; charset=iso-8859-1"),
        (b'<meta charset="windows-1252">' + "Größe".encode("cp1252"), ""),
        ("\ufeffGröße".encode(), "text/html; charset=iso-8859-1"),
        ("\ufeffGröße".encode("utf-16-le"), ""),
        ("Größe".encode(), ""),
        ("Größe".encode(), "text/html; charset=ascii"),
        (
            b'<meta charset="utf-8">'
            + "Größe und Gewicht der Boote".encode("cp1252").replace(b" und Gewicht der Boote", b""),
            "",
        ),
        ("Größe".encode(), "text/html; charset=no-such-charset"),
    ],
    ids=[
        "header",
        "meta",
        "mark beats header",
        "utf-16",
        "nothing said",
        "wrong header",
        "wrong meta",
        "unknown charset",
    ],
)
def test_bytes_are_read_in_their_charset(body: bytes, header: str) -> None:
    assert decode(body, header).endswith("Größe")
