"""Compressed bodies: as they come in pieces, and what is refused."""

from __future__ import annotations

import gzip
import zlib

import pytest

from retrieval.crawl.fetch import Fetcher
from retrieval.crawl.unpack import FREE_BYTES, Unpacker, gunzipped
from retrieval.errors import FetchError
from tests.standins.site import Answer, Site

TEXT = b"<main>" + b"The tide turns at six. " * 200 + b"</main>"


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("", TEXT),
        ("identity", TEXT),
        ("gzip", gzip.compress(TEXT)),
        ("x-gzip", gzip.compress(TEXT)),
        ("gzip", gzip.compress(TEXT[:500]) + gzip.compress(TEXT[500:])),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", raw_deflate(TEXT)),
    ],
    ids=["none", "identity", "gzip", "x-gzip", "two members", "deflate", "raw deflate"],
)
@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_a_body_comes_out_whole_in_whatever_pieces_it_comes(encoding: str, body: bytes, size: int) -> None:
    unpacker = Unpacker("u", encoding, 10**6)
    assert b"".join(unpacker.feed(body[at : at + size]) for at in range(0, len(body), size)) == TEXT


def test_a_bomb_is_given_up_long_before_it_is_whole() -> None:
    bomb = gzip.compress(bytes(200 * FREE_BYTES))
    with pytest.raises(FetchError, match="more than 100 times its size") as caught:
        Unpacker("u", "gzip", 10**9).feed(bomb)
    assert caught.value.permanent


def test_the_start_of_a_bomb_is_of_use_where_a_start_will_do() -> None:
    found, why = gunzipped("u", gzip.compress(b"<urlset>" + bytes(200 * FREE_BYTES)), 10**9)
    assert found.startswith(b"<urlset>")
    assert len(found) < 100 * FREE_BYTES
    assert "100 times" in why


def test_a_small_page_may_compress_as_well_as_it_likes() -> None:
    assert len(Unpacker("u", "gzip", 10**7).feed(gzip.compress(bytes(FREE_BYTES - 1)))) == FREE_BYTES - 1


@pytest.mark.parametrize(
    ("encoding", "why"), [("br", "sent as br, which wasn't asked for"), ("gzip", "gzip encoding is broken")]
)
def test_other_encodings_and_broken_ones_are_refused(encoding: str, why: str) -> None:
    with pytest.raises(FetchError, match=why):
        Unpacker("u", encoding, 1000).feed(b"nonsense")


async def test_a_packed_page_is_unpacked_and_a_packed_bomb_refused(fetcher: Fetcher) -> None:
    packed = {"Content-Encoding": "gzip"}
    bomb = Answer(gzip.compress(b"<main>" + bytes(30 * FREE_BYTES)), headers=packed)
    async with Site({"/": Answer(gzip.compress(TEXT), headers=packed), "/bomb": bomb}) as site:
        assert (await fetcher.get(f"{site.url}/")).content == TEXT
        with pytest.raises(FetchError, match=r"larger than 10 MiB|100 times"):
            await fetcher.get(f"{site.url}/bomb")
