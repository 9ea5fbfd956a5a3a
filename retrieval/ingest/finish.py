"""The end of a crawl: what waited is judged, misses are counted, what is gone leaves, or the brake keeps everything."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from retrieval.db import Row
from retrieval.index.index import Index
from retrieval.ingest.brake import Trouble, counted, is_doubtful, is_same_page
from retrieval.ingest.journal import ALIVE, SITE, Held, Journal
from retrieval.text.likeness import alike, bag

NOINDEX = "the page asks not to be indexed"
TWIN = "the same text as "
CANONICAL = "its canonical address is "
REDIRECT = "redirects to "
BEYOND = "more than max_pages"
MISSES = 2
"""Crawls in a row in which a page must be gone before it leaves."""
MOST_CHAIN = 5
MOST_COMPARED = 100
"""Pages that are missing, and new ones, that are compared to see what has only moved."""
MUCH_THE_SAME = 0.6
"""The words that an old and a new page share, of those that either has, from which they are one page."""

Put = Callable[[Held, str | None], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Doubt:
    """A page that waited, with the text that the index holds of it; None when it holds none."""

    entry: Held
    before: str | None


class Settling:
    """The last step of one crawl. `put` takes a page in; `twins` are the addresses left out for another one's text."""

    def __init__(self, index: Index, journal: Journal, place: str, put: Put, twins: Mapping[str, str]) -> None:
        self._index = index
        self._journal = journal
        self._place = place
        self._put = put
        self._twins = twins

    async def settle(self, *, complete: bool, once: bool, accept: bool) -> tuple[str, str]:
        """Outcome and note. `complete`: what was not met is missing. `once`: one miss is enough to leave."""
        held = await self._journal.held()
        rows = await self._documents()
        waiting = [entry for entry in held if not await self._is_other(entry, held, rows)]
        missing = [row for row in rows.values() if self._is_missing(row["url"], complete=complete)]
        doubts = [Doubt(entry, await self._text(rows.get(entry.url))) for entry in waiting]
        trouble = self._trouble(rows, missing, doubts, await self._moved(rows, missing))
        if trouble.pulls and not accept:
            await self._keep(missing, doubts)
            return "braked", trouble.sentence(self._place)
        for doubt in doubts:
            await self._put(doubt.entry, doubt.before)
        await self._count(rows, missing, once=once or accept)
        self._doubt_twins()
        return "complete", ""

    async def _keep(self, missing: Sequence[Row], doubts: Sequence[Doubt]) -> None:
        """Say of every page that the brake keeps what is not believed of it."""
        for row in missing:
            reason = self._decision(row["url"])[1] or "isn't there any more"
            await self._journal.note(row["url"], "kept", f"not believed: {reason}")
        for doubt in doubts:
            reason = f"not believed: {len(doubt.entry.document.markdown.split())} words are all that is left of it"
            await self._journal.note(doubt.entry.url, "kept" if doubt.before else "skipped", reason)
            self._forget(doubt.entry.url)

    async def _documents(self) -> dict[str, Row]:
        rows = await self._index.db.read(
            "SELECT id, url, missed, markdown_hash, language FROM documents WHERE source_id = $1 AND tombstoned_at IS NULL",
            self._place,
        )
        return {row["url"]: row for row in rows if not row["url"].endswith(SITE)}

    async def _text(self, row: Row | None) -> str | None:
        if row is None:
            return None
        found = await self._index.db.one("SELECT markdown FROM documents WHERE id = $1", row["id"])
        return str(found["markdown"]) if found else None

    def _decision(self, url: str) -> tuple[str, str]:
        return self._journal.reasons.get(url, ("", ""))

    def _is_missing(self, url: str, *, complete: bool) -> bool:
        decision, reason = self._decision(url)
        if decision in (*ALIVE, "failed"):
            return False
        return complete or bool(decision and not reason.startswith(BEYOND))

    async def _is_other(self, entry: Held, held: Sequence[Held], rows: Mapping[str, Row]) -> bool:
        """Whether a page is a version of another address of the site that answers, as its canonical link claims.

        A canonical link that leads to another text, another language or nowhere is a mistake of the site.
        """
        if not entry.why:
            return False
        names = {other.url: other.why for other in held if other.why}
        target = entry.why
        for _ in range(MOST_CHAIN):
            target = names.get(target, target)
        row = rows.get(target)
        if (
            row is None
            or target == entry.url
            or self._decision(target)[0] not in ALIVE
            or row["language"] != entry.document.language
        ):
            return False
        return is_same_page(await self._text(row) or "", entry.document.markdown)

    async def _moved(self, rows: Mapping[str, Row], missing: Sequence[Row]) -> set[str]:
        """Pages that are missing where they were, and stand with much the same words at an address that is new."""
        new = [row for url, row in rows.items() if self._decision(url)[0] == "added"][:MOST_COMPARED]
        bags = {row["url"]: bag(await self._text(row) or "") for row in new}
        moved: set[str] = set()
        for row in missing[:MOST_COMPARED] if bags else ():
            words = bag(await self._text(row) or "")
            best = max(bags, key=lambda url: alike(words, bags[url]), default="")
            if best and alike(words, bags[best]) >= MUCH_THE_SAME:
                moved.add(row["url"])
                del bags[best]  # one new page stands for one old page
        return moved

    def _trouble(
        self, rows: Mapping[str, Row], missing: Sequence[Row], doubts: Sequence[Doubt], moved: set[str]
    ) -> Trouble:
        """What would be lost. A page that has only moved is not: its text or its redirect leads to a page that is there."""
        moved = moved | set(self._twins.values())
        gone = {row["url"] for row in missing}
        texts_left = {row["markdown_hash"] for url, row in rows.items() if url not in gone}
        lost = [
            row
            for row in missing
            if not row["missed"]  # else an earlier crawl's brake has judged it
            and row["url"] not in moved
            and row["markdown_hash"] not in texts_left
            and not self._leads_on(row["url"])
        ]
        new = sum(self._decision(url)[0] == "added" for url in rows)
        texts = [
            (doubt.before, doubt.entry.document.markdown)
            for doubt in doubts
            if doubt.before is not None and is_doubtful(doubt.before, doubt.entry.document.markdown)
        ]
        shrink, same = counted(texts)
        return Trouble(len(rows) - new, len(lost), shrink, same)

    def _leads_on(self, url: str) -> bool:
        decision, reason = self._decision(url)
        target = _target(reason)
        return decision == "skipped" and bool(target) and self._decision(target)[0] in ALIVE

    async def _count(self, rows: Mapping[str, Row], missing: Sequence[Row], *, once: bool) -> None:
        for row in missing:
            decision, reason = self._decision(row["url"])
            if once or row["missed"] + 1 >= MISSES or reason == NOINDEX:
                await self._index.remove(row["id"])
            if not decision:
                await self._journal.note(row["url"], "gone", "isn't there any more")
        if missing:
            await self._index.refresh()
        async with self._index.db.write() as tx:
            found = [
                (row["id"],) for url, row in rows.items() if row["missed"] and self._decision(url)[0] in ALIVE
            ]  # fmt: skip
            await tx.many("UPDATE documents SET missed = 0 WHERE id = $1", found)
            await tx.many("UPDATE documents SET missed = missed + 1 WHERE id = $1", [(row["id"],) for row in missing])

    def _doubt_twins(self) -> None:
        """An address that was left out for another one's text must be read again once that one changed or left."""
        for url, (decision, reason) in list(self._journal.reasons.items()):
            target = "" if reason.startswith(REDIRECT) else _target(reason)
            if decision == "skipped" and target and self._decision(target)[0] not in ("added", "unchanged"):
                self._forget(url)

    def _forget(self, url: str) -> None:
        """The next crawl reads the address anew, whether it changed or not."""
        if url in self._journal.frontier:
            spot = self._journal.frontier[url]
            spot.etag = spot.last_modified = spot.content_hash = ""
            self._journal.frontier.finished(spot)


def _target(reason: str) -> str:
    """The address that another one was left out for."""
    return next((reason.removeprefix(start) for start in (TWIN, CANONICAL, REDIRECT) if reason.startswith(start)), "")
