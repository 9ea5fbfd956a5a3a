"""What can go wrong in the library, as the caller decides on it.

RetrievalError            a sentence: what, where, what to do
├── FetchError            a page couldn't be fetched (permanent, retry_after, status)
│   └── NotAPageError     what was fetched is an image, a film, a program: nothing to read
├── RenderError           a browser couldn't show a page
├── ConvertError          content couldn't become Markdown (encrypted, scanned, unknown kind)
├── EmbedError            the embedding server failed (permanent, retry_after)
├── DimensionError        a vector comes from another model than those in the index
├── WriteError            a model couldn't write what it was asked for (timeout, server, cut off)
├── RerankError           a cross-encoder can't be loaded, reached or run
├── FilterError           a search's filter can't be read (a day that is none)
└── DatabaseError         a database can't be opened or is newer than this program
"""

from __future__ import annotations


class RetrievalError(Exception):
    """A sentence that says what, where and what to do."""


class FetchError(RetrievalError):
    """A page couldn't be fetched.

    `permanent`: asking again won't help. `retry_after`: seconds that the server asks for. `status`: HTTP, 0 if none.
    """

    def __init__(
        self, text: str, *, permanent: bool = False, retry_after: float | None = None, status: int = 0
    ) -> None:
        super().__init__(text)
        self.permanent = permanent
        self.retry_after = retry_after
        self.status = status


class NotAPageError(FetchError):
    """What an address holds is nothing to read; it was given up before the whole of it came."""


class RenderError(RetrievalError):
    """A browser couldn't show a page."""


class ConvertError(RetrievalError):
    """Content couldn't become Markdown."""


class EmbedError(RetrievalError):
    """The embedding server failed."""

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


class DatabaseError(RetrievalError):
    """A database can't be opened, or is newer than this program."""


class WriteError(RetrievalError):
    """A model couldn't write what it was asked for."""
