"""What may be connected to: by the address's form, by every answer of the resolver, and by the socket's own address."""

from __future__ import annotations

import socket

import aiohttp
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from retrieval.crawl.fetch import Fetcher
from retrieval.crawl.guard import Resolver, check, is_public, public_socket
from retrieval.errors import FetchError
from tests.standins.site import Answer, Site

PUBLIC = "93.184.215.14"


class Answers(AbstractResolver):
    """Resolves every name to the next list of addresses."""

    def __init__(self, *answers: list[str]) -> None:
        self._answers = list(answers)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = self._answers.pop(0)
        return [ResolveResult(hostname=host, host=one, port=port, family=family, proto=0, flags=0) for one in found]

    async def close(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("64:ff9b::808:808", True),
        ("64:ff9b::a00:1", False),
        ("2002:808:808::1", True),
        ("2002:a00:1::1", False),
        ("2001:0:808:808:0:0:f7f7:f7f7", True),
        ("2001:0:808:808:0:0:80ff:fffe", False),
        ("5f00::1", False),
        ("fec0::1", False),
        ("3fff::1", False),
        ("168.63.129.16", False),
        ("239.1.1.1", False),
    ],
)
def test_an_address_inside_an_address_is_what_counts(address: str, public: bool) -> None:
    assert is_public(address) is public


async def test_one_private_answer_among_public_ones_refuses_the_name() -> None:
    with pytest.raises(FetchError, match="private network"):
        await Resolver(Answers([PUBLIC, "10.0.0.1"])).resolve("two.example")
    assert len(await Resolver(Answers([PUBLIC, "8.8.8.8"])).resolve("two.example")) == 2


async def test_a_name_that_changes_its_mind_is_refused_when_it_is_connected_to() -> None:
    changing = Answers([PUBLIC], ["169.254.169.254"])
    assert await Resolver(changing).resolve("rebind.example", 80)
    async with Fetcher.opened(resolver=changing) as fetcher:
        with pytest.raises(FetchError, match="private network") as caught:
            await fetcher.get("http://rebind.example/latest/meta-data/")
    assert caught.value.permanent


async def test_the_socket_itself_refuses_a_private_address_whoever_resolved_it() -> None:
    lying = Answers(["127.0.0.1"])
    connector = aiohttp.TCPConnector(resolver=lying, socket_factory=public_socket)
    async with Site({"/": "Secret"}) as canary, aiohttp.ClientSession(connector=connector) as session:
        with pytest.raises(FetchError, match="private address"):
            await session.get(f"http://x.example:{canary.port}/")
    assert canary.requests == []


def test_a_socket_for_a_public_address_is_made() -> None:
    with public_socket((socket.AF_INET, socket.SOCK_STREAM, 6, "", (PUBLIC, 80))) as made:
        assert made.family == socket.AF_INET


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://x.example:22/", "only the ports 80 and 443"),
        ("https://x.example:8443/", "only the ports 80 and 443"),
        ("https://me:secret@x.example/", "user name or password"),
        ("https://me@x.example/", "user name or password"),
        ("gopher://x.example/", "only http and https"),
        ("ftp://me:secret@x.example/", "only http and https"),
        ("https://me:secret@x.example:99999/", "can't be read"),
        ("https://me:secret/x@x.example/", "can't be read"),
    ],
)
def test_addresses_with_odd_ports_or_names_are_refused(url: str, why: str) -> None:
    with pytest.raises(FetchError, match=why) as caught:
        check(url, allow_private=False)
    assert "secret" not in str(caught.value)


def test_a_site_of_ones_own_may_listen_anywhere() -> None:
    check("http://intranet.example:8080/", allow_private=True)
    check("https://x.example:443/", allow_private=False)


@pytest.mark.parametrize("path", ["/robots.txt", "/sitemap.xml"])
async def test_robots_txt_and_sitemaps_are_guarded_too(path: str) -> None:
    async with Site({path: Answer("x")}) as canary, Fetcher.opened() as fetcher:
        with pytest.raises(FetchError):
            await fetcher.get(f"{canary.url}{path}")
    assert canary.requests == []
