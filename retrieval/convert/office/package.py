"""Opens ZIP archives with care: not too many files, none too large or packed too tightly, no name that leads out of it."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from retrieval.errors import ConvertError

MIB = 1024 * 1024
# All that zipfile and zlib raise for damaged or unknown data; RuntimeError is an unknown encryption.
DAMAGED_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
    KeyError,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageLimits:
    """How much an archive may hold; the sizes were chosen by hand, no command measures them."""

    files: int = 5000
    file_bytes: int = 100 * MIB
    """Of one file, unpacked."""
    unpacked_bytes: int = 200 * MIB
    """Of all files together."""
    ratio: int = 200
    """Unpacked bytes for each packed one: real documents stay under 50."""
    ratio_from_bytes: int = 5 * MIB
    """A file that unpacks to less may be packed as tightly as it likes."""


PACKAGE_LIMITS = PackageLimits()


class LockedError(ConvertError):
    """A file of the archive is protected by a password."""


class Package:
    """An open archive, read a file at a time."""

    def __init__(self, archive: zipfile.ZipFile, url: str, limits: PackageLimits = PACKAGE_LIMITS) -> None:
        self._archive = archive
        self._files: Mapping[str, zipfile.ZipInfo] = {item.filename: item for item in archive.infolist()}
        self._url = url
        self._limits = limits
        self._read_bytes = 0

    @property
    def names(self) -> list[str]:
        """The names of its files, without folders."""
        return [name for name in self._files if not name.endswith("/")]

    def __contains__(self, name: str) -> bool:
        return name in self._files

    def read(self, name: str) -> bytes:
        """A file's content; raises ConvertError when it is locked or too large.

        Sizes are counted while unpacking, since those that the archive declares may be a lie.
        """
        item = self._files[name]
        if item.flag_bits & 1:
            raise LockedError(f"{self._url}: is protected by a password; save it without protection and add it again")
        with self._archive.open(item) as file:
            content = file.read(self._limits.file_bytes + 1)
        self._read_bytes += len(content)
        if len(content) > self._limits.file_bytes:
            raise ConvertError(_has_too_large_a_file(self._limits), about=self._url)
        if self._read_bytes > self._limits.unpacked_bytes:
            raise ConvertError(_unpacks_to_too_much(self._limits), about=self._url)
        return content


@contextmanager
def opened(body: bytes, url: str, kind: str, *, limits: PackageLimits = PACKAGE_LIMITS) -> Iterator[Package]:
    """An archive that is open within the `with`; raises ConvertError when it is broken or beyond the limits.

    `kind`: what the file should be, for the sentence ("a Word document").
    """
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            _check_sizes_and_names(archive.infolist(), url, limits)
            yield Package(archive, url, limits)
    except DAMAGED_ZIP_ERRORS as error:
        raise ConvertError(f"can't be read as {kind}; save it anew and add it again", about=url) from error


def _check_sizes_and_names(items: list[zipfile.ZipInfo], url: str, limits: PackageLimits) -> None:
    """Refuse what the archive's own directory shows to be too much, before anything is unpacked."""
    if len(items) > limits.files:
        raise ConvertError(f"holds more than {limits.files} files; split it and add the parts", about=url)
    if sum(item.file_size for item in items) > limits.unpacked_bytes:
        raise ConvertError(_unpacks_to_too_much(limits), about=url)
    for item in items:
        if item.file_size > limits.file_bytes:
            raise ConvertError(_has_too_large_a_file(limits), about=url)
        if item.file_size > limits.ratio_from_bytes and item.file_size > limits.ratio * max(item.compress_size, 1):
            raise ConvertError(
                f"is packed more than {limits.ratio} times, as only a trap is; it was not unpacked",
                about=url,
            )
        if climbs_out(item.filename):
            raise ConvertError("holds a file whose name leads out of the archive; pack it anew", about=url)


def _unpacks_to_too_much(limits: PackageLimits) -> str:
    return f"unpacks to more than {limits.unpacked_bytes // MIB} MiB; split it and add the parts"


def _has_too_large_a_file(limits: PackageLimits) -> str:
    return f"holds a file of more than {limits.file_bytes // MIB} MiB; split it"


def climbs_out(name: str) -> bool:
    """Whether a name would lead to a place outside of the folder that the archive is unpacked to."""
    plain = name.replace("\\", "/")
    return plain.startswith("/") or ".." in plain.split("/") or bool(re.match(r"[A-Za-z]:", plain)) or "\x00" in name


def path_beside(name: str, target: str) -> str:
    """The name of the file that a file of the archive (`name`) points to by a relative path (`target`)."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), target)).lstrip("/")
