"""The knowledge as one thing, with the bundled model: a crawl over loopback, then questions."""

from __future__ import annotations

from pathlib import Path

from retrieval.decision import State
from retrieval.embed.embedder import LocalEmbedder
from retrieval.ingest.ingest import Source
from retrieval.knowledge import Knowledge
from retrieval.search.search import Options
from tests.standins.site import Answer, Site

NAMES = ("index", "prices", "opening-hours", "safety", "insurance", "booking-cancellation", "getting-here")


def business(example: Path) -> Site:
    pages: dict[str, str | Answer] = {f"/{name}.html": (example / f"{name}.html").read_text("utf-8") for name in NAMES}
    return Site({"/": pages["/index.html"], **pages})


async def test_a_business_is_crawled_asked_and_opened_again(
    tmp_path: Path, example: Path, local_embedder: LocalEmbedder
) -> None:
    path = tmp_path / "knowledge.db"
    async with business(example) as site, Knowledge.opened(path, local_embedder, Options()) as knowledge:
        report = await knowledge.crawl(Source(f"{site.url}/", allow_private=True))
        assert report.outcome == "complete"
        assert report.counts[State.ADDED] >= len(NAMES)
        found = await knowledge.search("What does the damage waiver cost per day for a kayak?")
        assert found.verdict != "nothing"
        assert {hit.url.removeprefix(site.url) for hit in found.hits[:3]} & {"/insurance.html", "/prices.html"}
        assert (await knowledge.search("What is the capital of Mongolia?")).verdict == "nothing"
        levels, size = knowledge.levels, len(knowledge.index)
    async with Knowledge.opened(path, local_embedder, Options()) as again:
        assert (again.levels, len(again.index)) == (levels, size)
        later = await again.search("What does the damage waiver cost per day for a kayak?")
        assert [hit.chunk_id for hit in later.hits] == [hit.chunk_id for hit in found.hits]


async def test_a_question_finds_its_page_by_meaning_across_languages(
    tmp_path: Path, example: Path, local_embedder: LocalEmbedder
) -> None:
    path = tmp_path / "knowledge.db"
    async with business(example) as site, Knowledge.opened(path, local_embedder, Options(mode="semantic")) as knowledge:
        await knowledge.crawl(Source(f"{site.url}/", allow_private=True))
        found = await knowledge.search("Wie komme ich mit dem Zug zu euch?")
        assert found.hits
        assert all(hit.semantic and not hit.keyword for hit in found.hits)
        assert "/getting-here.html" in [hit.url.removeprefix(site.url) for hit in found.hits[:3]]


async def test_keyword_mode_needs_no_model(tmp_path: Path, example: Path) -> None:
    async with business(example) as site, Knowledge.opened(tmp_path / "k.db", None, Options(mode="keyword")) as one:
        await one.crawl(Source(f"{site.url}/", allow_private=True))
        found = await one.search("damage waiver kayak")
        assert found.hits
        assert all(hit.keyword and not hit.semantic for hit in found.hits)
        assert await one.db.read("SELECT 1 FROM embeddings") == []
