"""Filters: only what they let through is searched, and the statistics stay those of the whole index."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.document import Document, Found
from retrieval.errors import FilterError
from retrieval.index.index import Entry, Index
from retrieval.ingest.ingest import Source
from retrieval.knowledge import Knowledge
from retrieval.search.filters import Filter, allowed_chunks
from retrieval.search.floor import OffTopicLevels
from retrieval.search.search import Mode, Options, search
from retrieval.split.by_headings import split
from tests.retrieval.hashing import HashingEmbedder

SHOP, HELP = "https://shop.example/", "https://help.example/"
PAGES = {
    f"{SHOP}lantern": ("en", "A brass lantern costs £40."),
    f"{SHOP}laterne": ("de", "Eine Laterne aus Messing kostet £40, the lantern."),
    f"{HELP}lantern": ("en", "Clean the brass lantern with a dry cloth."),
}


@pytest.fixture
async def shelves(index: Index) -> Index:
    async with index.db.write() as tx:
        for place, knowledge in ((SHOP, "default"), (HELP, "staff")):
            await tx.run(
                "INSERT INTO sources (id, kind, knowledge, added_at) VALUES ($1, 'site', $2, '')", place, knowledge
            )
    for url, (language, text) in PAGES.items():
        document = Document(url, "Lanterns", text, language)
        source = SHOP if url.startswith(SHOP) else HELP
        await index.replace(Entry(source, document, url, split(document)))
    await _dated(index, f"{HELP}lantern", "2024-03-01T23:59:59.000+00:00")
    await _dated(index, f"{SHOP}laterne", "2024-02-29T08:00:00.000+00:00")
    await index.refresh()
    return index


async def _dated(index: Index, url: str, moment: str) -> None:
    async with index.db.write() as tx:
        await tx.run("UPDATE documents SET fetched_at = $2 WHERE url = $1", url, moment)


async def asked(index: Index, wanted: Filter, mode: Mode = "hybrid", k: int = 10) -> Found:
    options = Options(mode=mode, threshold=-1.0, floor=0.0, k=k, filter=wanted)
    return await search(index, "brass lantern", options, OffTopicLevels(), language="en")


def urls(found: Found) -> set[str]:
    return {hit.url for hit in found.hits}


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "keyword"])
async def test_each_part_of_a_filter_holds_in_each_mode(shelves: Index, mode: Mode) -> None:
    for wanted, expected in (
        (Filter(), set(PAGES)),
        (Filter(sources=(HELP,)), {f"{HELP}lantern"}),
        (Filter(sources=(SHOP, HELP)), set(PAGES)),
        (Filter(languages=("de",)), {f"{SHOP}laterne"}),
        (Filter(knowledge=("staff",)).within([HELP]), {f"{HELP}lantern"}),
        (Filter(sources=(SHOP,), knowledge=("staff",)).within([HELP]), set[str]()),
        (Filter(sources=()), set[str]()),
        (Filter(since="2024-03-02"), {f"{SHOP}lantern"}),
        (Filter(until="2024-02-29"), {f"{SHOP}laterne"}),
        (Filter(since="2024-03-01", until="2024-03-01"), {f"{HELP}lantern"}),
        (Filter(sources=(SHOP,), languages=("en",)), {f"{SHOP}lantern"}),
        (Filter(sources=("https://elsewhere.example/",)), set[str]()),
    ):
        assert urls(await asked(shelves, wanted, mode)) == expected, wanted


async def test_what_is_left_out_takes_no_place_from_what_is_in(index: Index) -> None:
    async with index.db.write() as tx:
        await tx.run("INSERT INTO sources (id, kind, added_at) VALUES ('quiet', 'upload', '')")
    for number in range(70):
        text = "Brass lantern, brass lantern." if number else "Of the lantern nothing else is known."
        document = Document(f"https://x.example/{number}", "Page", text, "en")
        await index.replace(Entry("test" if number else "quiet", document, str(number), split(document)))
    await index.refresh()
    assert "https://x.example/0" not in urls(await asked(index, Filter(), k=50)), "it is beyond the candidates"
    assert urls(await asked(index, Filter(sources=("quiet",)))) == {"https://x.example/0"}


async def test_scores_of_what_is_in_are_those_of_a_search_without_the_filter(shelves: Index) -> None:
    every = {hit.url: hit for hit in (await asked(shelves, Filter())).hits}
    for hit in (await asked(shelves, Filter(sources=(SHOP,)))).hits:
        assert hit.score == pytest.approx(every[hit.url].score)
        assert hit.semantic
        assert every[hit.url].semantic.score == hit.semantic.score  # type: ignore[union-attr]


async def test_a_document_that_is_gone_is_let_through_by_no_filter(shelves: Index) -> None:
    row = await shelves.db.one("SELECT id FROM documents WHERE url = $1", f"{HELP}lantern")
    assert row
    assert len(await allowed_chunks(shelves.db, Filter(sources=(HELP,)))) == 1
    await shelves.remove(row["id"])
    assert len(await allowed_chunks(shelves.db, Filter(sources=(HELP,)))) == 0


@pytest.mark.parametrize("text", ["yesterday", "2026-02-30", "31.05.2026"])
def test_what_is_no_day_is_told_with_an_example(text: str) -> None:
    with pytest.raises(FilterError, match=f"since: '{text}' is no day; write it as 2026-05-31"):
        Filter(since=text)
    with pytest.raises(FilterError, match="until"):
        Filter(until=text)


def test_a_span_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(FilterError, match="later than"):
        Filter(since="2026-06-01", until="2026-05-31")


async def test_a_knowledge_base_is_told_as_its_sources(tmp_path: Path) -> None:
    async with Knowledge.opened(tmp_path / "k.db", HashingEmbedder(), Options(threshold=-1.0, floor=0.0)) as knowledge:
        for number, base in enumerate(("visitors", "staff")):
            page = tmp_path / f"{number}.md"
            page.write_text(f"# Lantern\n\nWhat {base} know of the brass lantern.", encoding="utf-8")
            await knowledge.crawl(Source(str(page), kind="file", knowledge=base))
        found = await knowledge.search("brass lantern", filter=Filter(knowledge=("staff",)))
        assert [hit.text for hit in found.hits] == ["What staff know of the brass lantern."]
        assert not (await knowledge.search("brass lantern", filter=Filter(knowledge=("nobody",)))).hits
