"""The end of a crawl, judged: which held pages are believed, what is missing, and whether the brake pulls.

Nothing is changed here: `judge_end` reads and says, the crawl acts on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from retrieval.db import Database
from retrieval.decision import STANDS_ELSEWHERE, Decision, Kind, State
from retrieval.index.documents import StoredPage, markdown_of, stored_pages
from retrieval.ingest.brake import Trouble, counted, is_doubtful, is_same_page
from retrieval.ingest.journal import SITE_DOCUMENT, HeldPage, Revision
from retrieval.text.likeness import alike, bag

MISSES_TO_LEAVE = 2
"""Crawls in a row in which a page must be gone before it leaves; one may be a fault of the site."""
LONGEST_CANONICAL_CHAIN = 5
"""Canonical links that are followed from one page to the next; longer chains are loops."""
MOST_COMPARED = 100
"""Pages that are missing, and new ones, that are compared to see what has only moved."""
MOVED_LIKENESS = 0.6
"""The words that an old and a new page share, of those that either has, from which they are one page
(tests: a site that renames all its addresses pulls no brake)."""

Decisions = Mapping[str, Decision]


@dataclass(frozen=True, slots=True)
class Ending:
    """What a crawl has come to: the pages that waited, the documents whose pages weren't met, and all the others."""

    doubtful: Sequence[Revision]
    missing: Sequence[StoredPage]
    stored: Mapping[str, StoredPage]
    trouble: Trouble


async def judge_end(
    db: Database,
    source_id: str,
    held: Sequence[HeldPage],
    decisions: Decisions,
    twins: Mapping[str, str],
    *,
    complete: bool,
) -> Ending:
    """Compare what was met with what the index holds.

    `twins`: addresses that were left out for another one's text. `complete`: what was not met is missing.
    """
    stored = {page.url: page for page in await stored_pages(db, source_id) if not page.url.endswith(SITE_DOCUMENT)}
    missing = [page for page in stored.values() if _is_missing(decisions.get(page.url), complete=complete)]
    doubtful = [
        Revision(page, await _text(db, stored.get(page.url)))
        for page in held
        if not await _is_version_of_another(db, page, held, stored, decisions)
    ]
    moved = await _moved(db, stored, missing, decisions) | set(twins.values())
    return Ending(doubtful, missing, stored, _trouble(stored, missing, doubtful, moved, decisions))


def kept_by_brake(ending: Ending, decisions: Decisions) -> Iterator[tuple[str, Decision]]:
    """What is said of each page that isn't believed."""
    for page in ending.missing:
        why = decisions.get(page.url, Decision(Kind.MISSING))
        yield page.url, Decision(Kind.NOT_BELIEVED, detail=why.in_words)
    for doubtful in ending.doubtful:
        words = len(doubtful.page.document.markdown.split())
        kind = Kind.NOT_BELIEVED_NEW if doubtful.before is None else Kind.NOT_BELIEVED
        yield doubtful.page.url, Decision(kind, detail=f"{words} words are all that is left of it")


def leaving(ending: Ending, decisions: Decisions, *, once: bool) -> list[StoredPage]:
    """The missing pages whose documents leave now. `once`: one miss is enough."""
    return [
        page
        for page in ending.missing
        if once or page.missed + 1 >= MISSES_TO_LEAVE or _kind(decisions, page.url) is Kind.NOINDEX
    ]


def met_again(ending: Ending, decisions: Decisions) -> list[str]:
    """The ids of documents that were missed before and are there again."""
    return [page.id for url, page in ending.stored.items() if page.missed and _is_alive(decisions, url)]


def without_their_text(decisions: Decisions) -> Iterable[str]:
    """Addresses that were left out for another one's text, and must be read again since that one changed or left."""
    for url, decision in decisions.items():
        if decision.kind in STANDS_ELSEWHERE:
            elsewhere = decisions.get(decision.target)
            if elsewhere is None or elsewhere.state not in (State.ADDED, State.UNCHANGED):
                yield url


def _kind(decisions: Decisions, url: str) -> Kind | None:
    decision = decisions.get(url)
    return decision.kind if decision else None


def _is_alive(decisions: Decisions, url: str) -> bool:
    decision = decisions.get(url)
    return decision is not None and decision.is_alive


def _is_missing(decision: Decision | None, *, complete: bool) -> bool:
    if decision is not None and (decision.is_alive or decision.state is State.FAILED):
        return False
    return complete or (decision is not None and decision.kind is not Kind.BEYOND_LIMIT)


async def _text(db: Database, page: StoredPage | None) -> str | None:
    return await markdown_of(db, page.id) if page else None


async def _is_version_of_another(
    db: Database,
    page: HeldPage,
    held: Sequence[HeldPage],
    stored: Mapping[str, StoredPage],
    decisions: Decisions,
) -> bool:
    """Whether a page is a version of another address of the site that answers, as its canonical link claims.

    A canonical link that leads to another text, another language or nowhere is a mistake of the site.
    """
    if not page.canonical:
        return False
    names = {other.url: other.canonical for other in held if other.canonical}
    target = page.canonical
    for _ in range(LONGEST_CANONICAL_CHAIN):
        target = names.get(target, target)
    there = stored.get(target)
    if (
        there is None
        or target == page.url
        or not _is_alive(decisions, target)
        or there.language != page.document.language
    ):
        return False
    return is_same_page(await _text(db, there) or "", page.document.markdown)


async def _moved(
    db: Database, stored: Mapping[str, StoredPage], missing: Sequence[StoredPage], decisions: Decisions
) -> set[str]:
    """Pages that are missing where they were, and stand with much the same words at an address that is new."""
    new = [page for url, page in stored.items() if _kind(decisions, url) is Kind.ADDED][:MOST_COMPARED]
    bags = {page.url: bag(await _text(db, page) or "") for page in new}
    moved: set[str] = set()
    for page in missing[:MOST_COMPARED] if bags else ():
        words = bag(await _text(db, page) or "")
        best = max(bags, key=lambda url: alike(words, bags[url]), default="")
        if best and alike(words, bags[best]) >= MOVED_LIKENESS:
            moved.add(page.url)
            del bags[best]  # one new page stands for one old page
    return moved


def _trouble(
    stored: Mapping[str, StoredPage],
    missing: Sequence[StoredPage],
    doubtful: Sequence[Revision],
    moved: set[str],
    decisions: Decisions,
) -> Trouble:
    """What would be lost. A page that has only moved is not: its text or its redirect leads to a page that is there."""
    gone = {page.url for page in missing}
    texts_left = {page.markdown_hash for url, page in stored.items() if url not in gone}
    lost = [
        page
        for page in missing
        if not page.missed  # else an earlier crawl's brake has judged it
        and page.url not in moved
        and page.markdown_hash not in texts_left
        and not _leads_on(page.url, decisions)
    ]
    new = sum(_kind(decisions, url) is Kind.ADDED for url in stored)
    texts = [
        (item.before, item.page.document.markdown)
        for item in doubtful
        if item.before is not None and is_doubtful(item.before, item.page.document.markdown)
    ]
    shrink, same = counted(texts)
    return Trouble(len(stored) - new, len(lost), shrink, same)


def _leads_on(url: str, decisions: Decisions) -> bool:
    decision = decisions.get(url)
    leads = decision is not None and decision.kind in (Kind.MOVED, *STANDS_ELSEWHERE)
    return leads and decision is not None and _is_alive(decisions, decision.target)
