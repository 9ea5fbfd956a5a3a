"""A fetched page made ready to be judged: what it says about itself, its document, or why it has none."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from retrieval.convert.convert import convert, kind_of
from retrieval.convert.html.island import from_islands
from retrieval.decision import Decision, Kind
from retrieval.document import Document, Page
from retrieval.errors import ConvertError, RenderError
from retrieval.ingest.render import Relay, Renderer, missing
from retrieval.ingest.wishes import Wishes, header_wishes, read_wishes

FEW_WORDS = 25
"""Words under which a page that is an app's shell counts as empty."""
WAITING_TEXT = re.compile(
    r"^\W*(?:loading|please wait|wird geladen|lade|chargement|cargando|caricamento|carregando|laden)\b.{0,20}$"
    r"|\b(?:enable|activate|requires?|needs?|without) java-?script|java-?script (?:is|to be) (?:required|disabled|enabled)"
    r"|java-?script (?:aktivieren|einschalten)|activer java-?script|habilit\w+ java-?script",
    re.I | re.S,
)
"""What an app's shell says while its reader waits, or to one who will wait for ever."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A page as the crawl judges it. `problem`: why there is no document. `empty`: a browser might find more."""

    wishes: Wishes
    document: Document | None = None
    problem: Decision | None = None
    empty: bool = False
    rendered: bool = False


class Preparer:
    """Makes pages ready, with a browser where the source wants it (`render`: never, auto or always)."""

    def __init__(self, *, images: bool, source_url: bool, render: str = "never", chromium: str = "") -> None:
        self._images = images
        self._source_url = source_url
        self._render = render
        self._chromium = chromium
        self._renderer: Renderer | None = None

    @asynccontextmanager
    async def browsing(self, relay: Relay) -> AsyncIterator[None]:
        """While this is open pages may be rendered; a browser starts only when one needs it."""
        self._renderer = Renderer(relay, self._chromium)
        try:
            yield
        finally:
            await self._renderer.close()
            self._renderer = None

    async def ready(self, page: Page) -> Prepared:
        """The page ready to be judged."""
        plain = await self._prepared(page)
        wanted = self._render == "always" or (self._render == "auto" and plain.empty)
        if not wanted or self._renderer is None or kind_of(page) != "html":
            return plain
        if lacking := missing(self._chromium):
            return replace(plain, problem=Decision(Kind.NEEDS_SCRIPT, detail=lacking))
        try:
            shown = await self._prepared(await self._renderer.page(page))
        except RenderError as error:
            return replace(plain, problem=Decision(Kind.NOT_RENDERED, detail=error.reason))
        return replace(shown, rendered=True) if shown.document else plain

    async def _prepared(self, page: Page) -> Prepared:
        return await asyncio.to_thread(prepared, page, images=self._images, source_url=self._source_url)


def prepared(page: Page, *, images: bool, source_url: bool) -> Prepared:
    """Convert a page; never raises. Text that only scripts would show is taken from the data that they are given."""
    html = kind_of(page) == "html"
    wishes = read_wishes(page.url, page.content, page.robots) if html else header_wishes(page.robots)
    document, problem = _converted(page, images=images, source_url=source_url)
    if document is None:
        return Prepared(wishes, problem=problem)
    few = len(document.markdown.split()) < FEW_WORDS
    if html and few and wishes.scripted:
        from_data = _from_data(page, document, images=images, source_url=source_url)
        if from_data is not None:
            return Prepared(wishes, from_data)
    waits = few and bool(WAITING_TEXT.search(document.markdown)) and wishes.scripted
    if waits or not document.markdown.strip():
        problem = Decision(Kind.NEEDS_SCRIPT if html and wishes.scripted else Kind.NO_TEXT)
        return Prepared(wishes, problem=problem, empty=html and wishes.scripted)
    return Prepared(wishes, document, empty=html and few and wishes.scripted)


def _from_data(page: Page, shell: Document, *, images: bool, source_url: bool) -> Document | None:
    """The document of the page's data islands, where they say more than the shell does."""
    island = from_islands(page)
    if island is None:
        return None
    document, _ = _converted(island, images=images, source_url=source_url)
    if document is None or len(document.markdown.split()) <= max(len(shell.markdown.split()), FEW_WORDS):
        return None
    links = tuple(dict.fromkeys((*shell.links, *document.links)))
    return replace(document, title=shell.title or document.title, links=links, canonical=shell.canonical)


def _converted(page: Page, *, images: bool, source_url: bool) -> tuple[Document | None, Decision | None]:
    try:
        return convert(page, images=images, source_url=source_url), None
    except ConvertError as error:
        return None, Decision(Kind.NOT_CONVERTED, detail=error.reason)
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError, MemoryError) as error:
        # a page so broken that a parser gives up: one page never ends a crawl
        return None, Decision(Kind.NOT_CONVERTED, detail=f"can't be converted ({type(error).__name__})")
