"""Decisions as data: each kind has a state and words, and those of older databases are carried over."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from retrieval.db import Database
from retrieval.decision import COST_NOTHING, DETAIL_WORDS, KIND_STATES, KIND_WORDS, Decision, Kind, State
from retrieval.ingest.journal import Journal, past_report
from retrieval.knowledge import MIGRATIONS

DETAILED = set(Kind) - set(KIND_WORDS)
"""Kinds whose detail is all that is told of them."""


@pytest.mark.parametrize("kind", Kind)
def test_each_kind_is_a_clause_without_a_hole(kind: Kind) -> None:
    words = Decision(kind, "https://a.example/b", "because of c").in_words
    assert "{" not in words
    assert words
    assert words.endswith("because of c") or kind not in DETAILED


def test_the_lists_of_kinds_name_kinds_once() -> None:
    assert len({kind.value for kind in Kind}) == len(Kind)
    assert set(DETAIL_WORDS) <= set(KIND_WORDS)
    assert {State.SKIPPED} == {Decision(kind).state for kind in set(Kind) - set(KIND_STATES)}
    assert not any(Decision(kind).is_alive for kind in COST_NOTHING)


OLD = {
    ("skipped", "redirects to https://a.example/new"): Decision(Kind.MOVED, "https://a.example/new"),
    ("skipped", "redirects to https://b.example/: another site"): Decision(
        Kind.MOVED, "https://b.example/", "another site"
    ),
    ("skipped", "redirects more than 5 times"): Decision(Kind.MOVED_TOO_OFTEN, detail="5"),
    ("failed", "redirects more than 5 times"): Decision(Kind.REDIRECT_LOOP, detail="redirects more than 5 times"),
    ("skipped", "the same text as https://a.example/x"): Decision(Kind.TWIN, "https://a.example/x"),
    ("unchanged", "the same text"): Decision(Kind.SAME_TEXT),
    ("unchanged", "the server says so"): Decision(Kind.NOT_MODIFIED),
    ("skipped", "its canonical address is https://a.example/y"): Decision(Kind.CANONICAL, "https://a.example/y"),
    ("skipped", "robots.txt disallows it"): Decision(Kind.ROBOTS),
    ("failed", "robots.txt can't be read (the server answered 500)"): Decision(
        Kind.ROBOTS_UNREADABLE, detail="the server answered 500"
    ),
    ("skipped", "more than max_pages = 500"): Decision(Kind.BEYOND_LIMIT, detail="500"),
    ("skipped", "more than max_depth = 3 clicks away"): Decision(Kind.TOO_DEEP, detail="3"),
    ("skipped", "looks endless: more than 50 addresses like /cal/#"): Decision(Kind.ENDLESS, "/cal/#"),
    ("skipped", "outside /shop/"): Decision(Kind.OTHER_FOLDER, "/shop/"),
    ("kept", "not believed: 5 words are all that is left of it"): Decision(
        Kind.NOT_BELIEVED, detail="5 words are all that is left of it"
    ),
    ("skipped", "not believed: 5 words are all that is left of it"): Decision(
        Kind.NOT_BELIEVED_NEW, detail="5 words are all that is left of it"
    ),
    ("failed", "needs JavaScript: without it the page holds no text"): Decision(Kind.NEEDS_SCRIPT),
    ("gone", "the server answered 404"): Decision(Kind.NOT_FOUND, detail="the server answered 404"),
    ("gone", "isn't there any more"): Decision(Kind.MISSING),
    ("added", "2 pages are scans"): Decision(Kind.ADDED, detail="2 pages are scans"),
    ("changed", ""): Decision(Kind.CHANGED),
    ("failed", "is protected by a password"): Decision(Kind.NOT_CONVERTED, detail="is protected by a password"),
}
"""What older versions wrote, and what it means."""


async def test_a_database_that_kept_english_is_carried_over(tmp_path: Path) -> None:
    before = tmp_path / "before"
    before.mkdir()
    for file in MIGRATIONS.glob("000[1-5]_*.sql"):
        shutil.copy(file, before)
    path = tmp_path / "k.db"
    async with Database.opened(path, before, "retrieval"):
        pass
    rows = [(f"https://a.example/{at}", *told) for at, told in enumerate(OLD)]
    with sqlite3.connect(path) as old:
        old.execute("INSERT INTO sources (id, kind, added_at) VALUES ('https://a.example/', 'site', '')")
        old.execute("INSERT INTO crawls (id, source_id, started_at) VALUES ('c', 'https://a.example/', '')")
        for row in rows:
            old.execute("INSERT INTO crawl_pages (crawl_id, url, decision, reason) VALUES ('c', ?, ?, ?)", row)
            old.execute(
                "INSERT INTO addresses (source_id, url, depth, decision, reason) VALUES ('https://a.example/', ?, 1, ?, ?)",
                row,
            )
        old.execute(
            "INSERT INTO addresses (source_id, url, depth) VALUES ('https://a.example/', 'https://a.example/w', 1)"
        )
    async with Database.opened(path, MIGRATIONS, "retrieval") as db:
        report = await past_report(db, "c")
        assert report is not None
        assert report[1].decisions == dict(zip((row[0] for row in rows), OLD.values(), strict=True))
        states = [report[1].decisions[url].state for url, *_ in rows]
        assert states == [state for state, _ in OLD]
        journal = Journal(db, "https://a.example/", "")
        await journal.begin("site", "default", "1d")
        assert len(journal.frontier) == len(OLD) + 1, "each address is asked again, by whatever was decided"
        assert journal.frontier["https://a.example/w"].decision is None
