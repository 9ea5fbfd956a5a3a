"""Zip archives opened with care: no file may be too large, too many, packed too tightly, or named to climb out."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from retrieval.errors import ConvertError

MIB = 1024 * 1024
MOST_FILES = 5000
MOST_IN_FILE = 100 * MIB
MOST_UNPACKED = 200 * MIB
MOST_RATIO = 200
"""Unpacked bytes for each packed one: real documents stay under 50."""
RATIO_FROM = 5 * MIB
"""A small file may be packed as tightly as it likes."""
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError, KeyError)


class LockedError(ConvertError):
    """A file of the archive is protected by a password."""


class Package:
    """An open archive, read a file at a time."""

    def __init__(self, archive: zipfile.ZipFile, url: str) -> None:
        self._archive = archive
        self._files: Mapping[str, zipfile.ZipInfo] = {item.filename: item for item in archive.infolist()}
        self._url = url
        self._read = 0

    @property
    def names(self) -> list[str]:
        """The names of its files, without folders."""
        return [name for name in self._files if not name.endswith("/")]

    def __contains__(self, name: str) -> bool:
        return name in self._files

    def read(self, name: str) -> bytes:
        """A file's content, counted while it is unpacked: what an archive says of itself may be a lie."""
        item = self._files[name]
        if item.flag_bits & 1:
            raise LockedError(f"{self._url}: is protected by a password; save it without protection and add it again")
        with self._archive.open(item) as file:
            content = file.read(MOST_IN_FILE + 1)
        self._read += len(content)
        if len(content) > MOST_IN_FILE:
            raise ConvertError(f"{self._url}: holds a file of more than {MOST_IN_FILE // MIB} MiB; split it")
        if self._read > MOST_UNPACKED:
            raise ConvertError(f"{self._url}: {_too_much()}")
        return content


@contextmanager
def opened(body: bytes, url: str, kind: str) -> Iterator[Package]:
    """The archive; raises ConvertError when it is broken, or more than any document needs.

    `kind`: what the file should be, for the sentence ("a Word document").
    """
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            _check(archive.infolist(), url)
            yield Package(archive, url)
    except BROKEN as error:
        raise ConvertError(f"{url}: can't be read as {kind}; save it anew and add it again") from error


def _check(items: list[zipfile.ZipInfo], url: str) -> None:
    if len(items) > MOST_FILES:
        raise ConvertError(f"{url}: holds more than {MOST_FILES} files; split it and add the parts")
    if sum(item.file_size for item in items) > MOST_UNPACKED:
        raise ConvertError(f"{url}: {_too_much()}")
    for item in items:
        if item.file_size > MOST_IN_FILE:
            raise ConvertError(f"{url}: holds a file of more than {MOST_IN_FILE // MIB} MiB; split it")
        if item.file_size > RATIO_FROM and item.file_size > MOST_RATIO * max(item.compress_size, 1):
            raise ConvertError(f"{url}: is packed more than {MOST_RATIO} times, as only a trap is; it was not unpacked")
        if climbs_out(item.filename):
            raise ConvertError(f"{url}: holds a file whose name leads out of the archive; pack it anew")


def _too_much() -> str:
    return f"unpacks to more than {MOST_UNPACKED // MIB} MiB; split it and add the parts"


def climbs_out(name: str) -> bool:
    """Whether a name would lead to a place outside of the folder that it is unpacked to."""
    plain = name.replace("\\", "/")
    return plain.startswith("/") or ".." in plain.split("/") or bool(re.match(r"[A-Za-z]:", plain)) or "\x00" in name


def beside(name: str, target: str) -> str:
    """The name of a file that another file of the archive points to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), target)).lstrip("/")
