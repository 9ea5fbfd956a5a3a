"""Addresses: one spelling, what is part of a crawl, and which hosts are public."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.address import is_successor, normalised, scope_of, why_outside
from retrieval.crawl.guard import is_public
from retrieval.decision import Kind

SCOPE = "https://www.boats.example/shop/"


@pytest.mark.parametrize(
    ("url", "spelling"),
    [
        (" HTTPS://Boats.Example:443/Prices#top ", "https://boats.example/Prices"),
        ("http://boats.example", "http://boats.example/"),
        ("http://boats.example.:80/a//b///c", "http://boats.example/a/b/c"),
        ("http://boats.example/\\a\\b", "http://boats.example/a/b"),
        ("https://boats.example:8443/", "https://boats.example:8443/"),
        ("https://x.example/?utm_source=a&b=2&gclid=x&a=1&PHPSESSID=z", "https://x.example/?a=1&b=2"),
        ("https://x.example/?utm_source=a", "https://x.example/"),
        ("https://x.example/?q=", "https://x.example/?q="),
        ("https://me:secret@x.example/", "https://x.example/"),
        ("http://[::1]:8080/a", "http://[::1]:8080/a"),
        ("https://x.example/ä b", "https://x.example/%C3%A4%20b"),
        ("https://x.example/%c3%a4%20b", "https://x.example/%C3%A4%20b"),
        ("https://x.example/%7Euser/%41", "https://x.example/~user/A"),
        ("https://x.example/a%2fb", "https://x.example/a%2Fb"),
        ("https://x.example/a/./b/../c", "https://x.example/a/c"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://x.example/?b=ä&a=1+2", "https://x.example/?a=1+2&b=%C3%A4"),
        ("https://x.example/?srsltid=AfmBO&page=2&id=7&lang=de", "https://x.example/?id=7&lang=de&page=2"),
        ("https://x.example/?_gl=1&_ga=2&igshid=3&yclid=4&ttclid=5&mc_eid=6&ref=7", "https://x.example/"),
        ("https://x.example/a;jsessionid=1A2B?x=1", "https://x.example/a?x=1"),
        ("https://x.example/(S(abc123))/a", "https://x.example/a"),
        ("https://x.example/?sid=0123456789abcdef0123&s=rope", "https://x.example/?s=rope"),
        ("https://x.example/?sid=12", "https://x.example/?sid=12"),
        ("https://x.example/?a=1&a=0&&", "https://x.example/?a=0&a=1"),
        ("https://[2001:DB8::1]/", "https://[2001:db8::1]/"),
    ],
)
def test_an_address_has_one_spelling(url: str, spelling: str) -> None:
    assert normalised(url) == spelling
    assert normalised(spelling) == spelling


@given(
    st.builds(
        "https://x.example{}{}".format,
        st.from_regex(r"(/[a-z0-9%.~_-]{0,5}){0,4}", fullmatch=True),
        st.from_regex(r"(\?[a-z&=%+0-9;/]{0,12})?(#[a-z]{0,3})?", fullmatch=True),
    )
)
def test_the_spelling_of_a_spelling_is_itself(url: str) -> None:
    assert normalised(normalised(url)) == normalised(url)


@pytest.mark.parametrize("url", ["http://x.example:99999/", "http://[bad/"])
def test_an_address_that_is_none_raises_valueerror(url: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        normalised(url)


@pytest.mark.parametrize(
    ("start", "scope"),
    [
        ("https://x.example/", "https://x.example/"),
        ("https://x.example/a/index.html", "https://x.example/a/"),
        ("https://x.example/a/", "https://x.example/a/"),
        ("https://x.example/a?b=1", "https://x.example/"),
    ],
)
def test_a_crawl_stays_in_the_folder_of_its_start(start: str, scope: str) -> None:
    assert scope_of(start) == scope


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("https://www.boats.example/shop/a", None),
        ("http://boats.example/shop/a", None),
        ("https://boats.example/shop", None),
        ("https://boats.example/shopping", Kind.OTHER_FOLDER),
        ("https://boats.example/", Kind.OTHER_FOLDER),
        ("https://boats.example.evil.example/shop/", Kind.OTHER_SITE),
        ("https://evil.example/?https://www.boats.example/shop/", Kind.OTHER_SITE),
        ("https://boats.example/shop/logo.PNG", Kind.NOT_A_PAGE),
        ("https://boats.example/shop/guide.pdf", None),
    ],
)
def test_what_is_outside_says_why(url: str, why: Kind | None) -> None:
    assert kind_outside(url) == why


def kind_outside(url: str, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> Kind | None:
    why = why_outside(url, SCOPE, include, exclude)
    return why.kind if why else None


@pytest.mark.parametrize(
    ("target", "start", "moved"),
    [
        ("https://shop.boats.example/", "https://boats.example/shop/", True),
        ("https://boats.example/en/", "https://www.boats.example/", True),
        ("https://boats.example/documentation/", "https://boats.example/docs/", True),
        ("https://boats.example/login", "https://boats.example/docs/", False),
        ("https://casino.example/", "https://boats.example/", False),
        ("https://notboats.example/", "https://boats.example/", False),
    ],
)
def test_a_start_page_may_move_within_its_owners_site(target: str, start: str, moved: bool) -> None:
    assert is_successor(target, start) is moved


def test_patterns_may_be_written_as_people_read_addresses() -> None:
    url = normalised("https://boats.example/shop/über uns")
    assert kind_outside(url, [], ["/shop/über*"]) is Kind.EXCLUDED


def test_patterns_take_in_and_leave_out_by_address_or_path() -> None:
    url = "https://boats.example/shop/ropes/1"
    assert kind_outside(url, ["/shop/ropes/*"], []) is None
    assert kind_outside(url, ["/shop/caps/*"], []) is Kind.NOT_INCLUDED
    assert kind_outside(url, [], ["https://*/ropes/*"]) is Kind.EXCLUDED
    assert kind_outside(url, ["/shop/*"], ["*/1"]) is Kind.EXCLUDED


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.9.1",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "192.0.0.1",
        "198.18.0.1",
        "192.88.99.1",
        "::1",
        "::",
        "fe80::1",
        "fe80::1%eth0",
        "fc00::1",
        "fec0::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "[::1]",
        "::127.0.0.1",
        "::ffff:0:127.0.0.1",
        "64:ff9b::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::a00:1",
        "2002:7f00:1::",
        "2001::1",
        "100::1",
        "2001:db8::1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "127.1",
        "localhost",
    ],
)
def test_private_and_disguised_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.215.14", "2606:4700::1111", "[2a00:1450::1]", "::ffff:8.8.8.8"])
def test_addresses_on_the_internet_are_public(address: str) -> None:
    assert is_public(address)
