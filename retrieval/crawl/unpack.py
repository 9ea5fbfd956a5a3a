"""Unpacking what servers compress, bounded: a few kilobytes must not become gigabytes.

gzip and deflate are all that is asked for; a body in another encoding is refused with its name.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from retrieval.decision import Kind
from retrieval.errors import FetchError

MOST_UNPACK_RATIO = 100
FREE_BYTES = 1024 * 1024
"""Bytes that may come out before the ratio counts: small pages of repeated text do compress well."""
PIECE_BYTES = 256 * 1024
GZIP_MAGIC = b"\x1f\x8b"
ACCEPTED_ENCODINGS = "gzip, deflate"


class Unpacker:
    """A body's pieces as they come, unpacked; raises FetchError when it is broken, too large or a bomb."""

    def __init__(self, url: str, encoding: str, most: int) -> None:
        self._url = url
        self.most = most
        self._in = 0
        self._out = 0
        self._encoding = encoding.strip().lower()
        if self._encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise FetchError(
                f"is sent as {self._encoding}, which wasn't asked for",
                about=url,
                kind=Kind.BAD_ENCODING,
                permanent=True,
            )
        self._plain = self._encoding in ("", "identity")
        self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 32)

    def feed(self, piece: bytes) -> bytes:
        """What the piece holds."""
        return b"".join(self.pieces(piece))

    def pieces(self, piece: bytes) -> Iterator[bytes]:
        """What the piece holds, bit by bit: what came before a fault is of use to some."""
        self._in += len(piece)
        if self._plain:
            yield self._counted(piece)
            return
        if self._encoding == "deflate" and self._in == len(piece) and (piece[0] & 0x0F) != 8:
            self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)  # without zlib's header, as some servers send it
        try:
            while piece:
                yield self._counted(self._inflate.decompress(piece, PIECE_BYTES))
                piece = self._inflate.unconsumed_tail
                if self._inflate.eof and self._inflate.unused_data.startswith(
                    GZIP_MAGIC
                ):  # the next member of a gzip file
                    piece = self._inflate.unused_data
                    self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 32)
        except zlib.error as error:
            raise FetchError(
                f"its {self._encoding} encoding is broken", about=self._url, kind=Kind.BAD_ENCODING
            ) from error

    def _counted(self, piece: bytes) -> bytes:
        self._out += len(piece)
        if self._out > self.most:
            raise too_large(self._url, self.most)
        if self._out > max(FREE_BYTES, MOST_UNPACK_RATIO * self._in):
            raise FetchError(
                f"unpacks to more than {MOST_UNPACK_RATIO} times its size",
                about=self._url,
                kind=Kind.TOO_LARGE,
                permanent=True,
            )
        return piece


def gunzipped(url: str, body: bytes, most: int) -> tuple[bytes, str]:
    """A gzip file's content as far as it goes, and what stopped it; the start of a broken file is still of use."""
    unpacker = Unpacker(url, "gzip", most)
    found = bytearray()
    try:
        for at in range(0, len(body), 16384):
            for piece in unpacker.pieces(body[at : at + 16384]):
                found += piece
    except FetchError as error:
        return bytes(found), error.reason
    return bytes(found), ""


def too_large(url: str, most: int) -> FetchError:
    """The error for a body of more than `most` bytes."""
    return FetchError(f"is larger than {most // 1024 // 1024} MiB", about=url, kind=Kind.TOO_LARGE, permanent=True)
