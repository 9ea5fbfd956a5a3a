"""Folders, files and archives as pages: read a few at a time, each under an address and with a status of its own."""

from __future__ import annotations

import asyncio
import mimetypes
from collections.abc import Awaitable, Callable
from pathlib import Path

from retrieval.convert.convert import ENDINGS, kind_of, pages_of
from retrieval.db import Database
from retrieval.document import Page
from retrieval.errors import ConvertError
from retrieval.ingest.journal import Journal

AT_ONCE = 4
"""Files that are read and converted at the same time."""

Progress = Callable[[int, int], None]


class Files:
    """Takes files in; `take` is handed every page, a file of an archive under `archive.zip#path/inside`."""

    def __init__(self, db: Database, journal: Journal, take: Callable[[Page], Awaitable[object]]) -> None:
        self._db = db
        self._journal = journal
        self._take = take

    async def run(self, root: Path, progress: Progress) -> bool:
        """Every file of a folder that may be read, or the one file; always complete."""
        files = sorted(file for file in root.rglob("*") if file.is_file()) if root.is_dir() else [root]
        files = [file for file in files if file.suffix.lstrip(".").lower() in ENDINGS or file == root]
        gate, done = asyncio.Semaphore(AT_ONCE), 0

        async def one(file: Path) -> None:
            nonlocal done
            async with gate:
                await self._file(file)
            done += 1
            progress(done, len(files))

        tasks = [asyncio.create_task(one(file)) for file in files]
        try:  # no task group: what stops one file stops all, and is to be told as itself
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return True

    async def _file(self, file: Path) -> None:
        url = file.resolve().as_uri()
        try:
            content = await asyncio.to_thread(file.read_bytes)
        except OSError as error:
            await self._journal.note(url, "failed", f"can't be read ({error.strerror})")
            return
        page = Page(url, content, mimetypes.guess_type(file.name)[0] or "")
        await (self._archive(page) if kind_of(page) == "zip" else self._take(page))

    async def _archive(self, archive: Page) -> None:
        """Each file under an address of its own; of an archive that can't be read nothing is removed."""
        try:
            found = pages_of(archive)
            while (part := await asyncio.to_thread(next, found, None)) is not None:
                if isinstance(part, Page) and not kind_of(part):
                    await self._journal.note(part.url, "skipped", "is not a kind of file that can be read")
                elif isinstance(part, Page):
                    await self._take(part)
                else:
                    url, _, reason = str(part).partition(": ")
                    await self._journal.note(url, "failed", reason)
        except ConvertError as error:
            inside = await self._db.read("SELECT url FROM documents WHERE url LIKE $1", f"{archive.url}#%")
            for url in [archive.url, *(str(row["url"]) for row in inside)]:
                if url not in self._journal.reasons:
                    await self._journal.note(url, "failed", str(error).partition(": ")[2])
