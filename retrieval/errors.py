"""What can go wrong in the library, as the caller decides on it.

RetrievalError            a sentence: what, where, what to do (about, reason)
├── FetchError            a page couldn't be fetched (kind, permanent, retry_after, status)
│   └── NotAPageError     what was fetched is an image, a film, a program: nothing to read
├── RenderError           a browser couldn't show a page
├── ConvertError          content couldn't become Markdown (encrypted, scanned, unknown kind)
├── EmbedError            the embedding server failed (permanent, retry_after)
├── DimensionError        a vector comes from another model than those in the index
├── WriteError            a model couldn't write what it was asked for (timeout, server, cut off)
├── RerankError           a cross-encoder can't be loaded, reached or run
├── FilterError           a search's filter can't be read (a day that is none)
└── DatabaseError         a database can't be used
    ├── BusyError         another process holds it for longer than was waited; the same may work in a moment
    ├── FullError         the disk or the file is full, or can't be written
    ├── CorruptError      what lies in the file is no database, or a damaged one
    └── NewerSchemaError  it was written by a newer Frontdesk
"""

from __future__ import annotations

from retrieval.decision import Kind


class RetrievalError(Exception):
    """A sentence that says what, where and what to do.

    `about`: the address, file or setting that it is about; `reason`: the rest of the sentence, without it.
    """

    def __init__(self, reason: str, *, about: str = "") -> None:
        super().__init__(f"{about}: {reason}" if about else reason)
        self.about = about
        self.reason = reason


class FetchError(RetrievalError):
    """A page couldn't be fetched.

    `kind`: what the crawl decides on its address. `permanent`: asking again won't help. `retry_after`: seconds that the
    server asks for. `status`: HTTP, 0 if there was no answer.
    """

    def __init__(
        self,
        reason: str,
        *,
        about: str,
        kind: Kind = Kind.UNREACHABLE,
        permanent: bool = False,
        retry_after: float | None = None,
        status: int = 0,
    ) -> None:
        super().__init__(reason, about=about)
        self.kind = kind
        self.permanent = permanent
        self.retry_after = retry_after
        self.status = status


class NotAPageError(FetchError):
    """What an address holds is nothing to read; it was given up before the whole of it came."""

    def __init__(self, reason: str, *, about: str) -> None:
        super().__init__(reason, about=about, kind=Kind.NOT_TEXT, permanent=True)


class RenderError(RetrievalError):
    """A browser couldn't show a page."""


class ConvertError(RetrievalError):
    """Content couldn't become Markdown."""


class EmbedError(RetrievalError):
    """The embedding server failed. `permanent`: asking again won't help; `retry_after`: seconds that it asks for."""

    def __init__(self, text: str, *, permanent: bool = False, retry_after: float | None = None) -> None:
        super().__init__(text)
        self.permanent = permanent
        self.retry_after = retry_after


class DimensionError(RetrievalError):
    """A vector comes from another model than those in the index: their lengths differ."""


class RerankError(RetrievalError):
    """A cross-encoder can't be loaded, reached or run."""


class FilterError(RetrievalError):
    """A search's filter can't be read."""


class WriteError(RetrievalError):
    """A model couldn't write what it was asked for."""


class DatabaseError(RetrievalError):
    """A database can't be used."""


class BusyError(DatabaseError):
    """Another process holds the database for longer than was waited."""


class FullError(DatabaseError):
    """The disk or the file is full, or may not be written."""


class CorruptError(DatabaseError):
    """What lies in the file is no database, or a damaged one."""


class NewerSchemaError(DatabaseError):
    """The database was written by a newer version of this program."""
