"""What a page says about itself besides its text."""

from __future__ import annotations

import pytest

from retrieval.convert.html.island import from_islands
from retrieval.document import Page
from retrieval.ingest.change import changed_facts
from retrieval.ingest.wishes import header_wishes, read_wishes
from retrieval.text.likeness import bag

URL = "https://x.example/a/b"


@pytest.mark.parametrize(
    ("head", "wishes"),
    [
        ("<meta name=robots content=noindex>", (True, False)),
        ("<META NAME='Robots' CONTENT='NOFOLLOW, max-snippet:-1'>", (False, True)),
        ('<meta content="none" name="robots"/>', (True, True)),
        ("<meta name='frontdeskbot' content='noindex'>", (True, False)),
        ("<meta name='otherbot' content='noindex'>", (False, False)),
        ("<meta name='robots' content='index, follow'>", (False, False)),
        ("<!-- <meta name='robots' content='noindex'> -->", (False, False)),
        ("<script>var x = \"<meta name='robots' content='noindex'>\"</script>", (False, False)),
        ("<meta name='description' content='noindex is a word'>", (False, False)),
    ],
)
def test_robots_tags_are_read_for_all_and_for_us(head: str, wishes: tuple[bool, bool]) -> None:
    signs = read_wishes(URL, f"<html><head>{head}</head><body>Text</body></html>".encode(), "")
    assert (signs.noindex, signs.nofollow) == wishes


@pytest.mark.parametrize(
    ("header", "wishes"),
    [
        ("noindex", (True, False)),
        ("none", (True, True)),
        ("noindex, nofollow", (True, True)),
        ("otherbot: noindex, nofollow", (False, False)),
        ("otherbot: noindex, frontdeskbot: nofollow", (False, True)),
        ("FrontdeskBot: none", (True, True)),
        ("unavailable_after: 25 Jun 2036 15:00:00 PST, noindex", (True, False)),
        ("max-snippet: 20, noindex", (True, False)),
        ("", (False, False)),
    ],
)
def test_the_header_says_whom_it_is_meant_for(header: str, wishes: tuple[bool, bool]) -> None:
    signs = header_wishes(header)
    assert (signs.noindex, signs.nofollow) == wishes
    page = read_wishes(URL, b"<html></html>", header)
    assert (page.noindex, page.nofollow) == wishes


@pytest.mark.parametrize(
    ("head", "target"),
    [
        ("<meta http-equiv=refresh content='0; url=/new'>", "https://x.example/new"),
        ('<meta http-equiv="Refresh" content="5;URL=\'c\'">', "https://x.example/a/c"),
        ("<meta content='3,url=https://y.example/?a=1&amp;b=2' http-equiv=refresh>", "https://y.example/?a=1&b=2"),
        ("<meta http-equiv=refresh content='1;/short'>", "https://x.example/short"),
        ("<meta http-equiv=refresh content='6; url=/late'>", ""),
        ("<meta http-equiv=refresh content='300'>", ""),
        (f"<meta http-equiv=refresh content='3; url={URL}'>", ""),
        ("<meta http-equiv=refresh content='soon; url=/a'>", ""),
        ("<noscript><meta http-equiv=refresh content='0; url=/no-script'></noscript>", ""),
        ("<meta http-equiv=refresh content='0; url=http://[bad'>", ""),
    ],
)
def test_a_refresh_within_five_seconds_is_a_redirect(head: str, target: str) -> None:
    assert read_wishes(URL, f"<head>{head}</head>".encode(), "").refresh == target


def test_a_password_field_and_an_empty_shell_are_seen() -> None:
    assert read_wishes(URL, b"<form><input name=p type='password'></form>", "").password
    assert not read_wishes(URL, b"<p>Your password is safe</p><input type=text>", "").password
    assert read_wishes(URL, b"<div id=root></div><script src=/app.js></script>", "").scripted
    assert not read_wishes(URL, b"<main>Plain</main>", "").scripted


@pytest.mark.parametrize(
    "piece", ["<script>", "<script ", "<!--", "<meta ", "<input ", "<div ", "<noscript><meta ", "<script type=application/json>"]
)  # fmt: skip
def test_broken_markup_is_read_in_one_pass(piece: str) -> None:
    """A quadratic reader would need hours for these."""
    body = (piece * (500_000 // len(piece))).encode()
    read_wishes(URL, body, "")
    assert from_islands(Page(URL, body, "text/html")) is None


@pytest.mark.parametrize("piece", ["a", "1", "[", "](", "1.", "@", "| "])
def test_texts_of_one_kind_of_character_are_compared_in_one_pass(piece: str) -> None:
    text = piece * (300_000 // len(piece))
    changed_facts(text, f"{text}!")
    assert bag(text) == bag(text)


@pytest.mark.parametrize(
    ("content", "noindex", "nofollow"),
    [
        ("noindex", True, False),
        ("NOINDEX, nofollow", True, True),
        ("none", True, True),
        ("noarchive, none", True, True),
        ("nofollow", False, True),
        ("index, follow, max-image-preview:large", False, False),
    ],
)
def test_a_pages_wish_to_stay_out_is_read(content: str, noindex: bool, nofollow: bool) -> None:
    page = f'<head><meta name="ROBOTS" content="{content}"></head><main>Text</main>'
    for body in (page.encode(), f"\ufeff{page}".encode("utf-16-le")):
        signs = read_wishes("https://boats.example/", body, "")
        assert (signs.noindex, signs.nofollow) == (noindex, nofollow)
