"""Archives and folders that are crawled as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from retrieval.db import Database
from retrieval.embed.embedder import Vectors
from retrieval.errors import EmbedError
from retrieval.index.index import Index
from retrieval.ingest.ingest import Crawl, Source
from tests.retrieval.convert.office.packages import packed
from tests.retrieval.hashing import HashingEmbedder


async def test_each_file_of_an_archive_is_in_or_out_by_itself(index: Index, tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    source = Source(str(path), kind="file")

    async def crawled(files: dict[str, bytes]) -> dict[str, str]:
        path.write_bytes(packed(files))
        report = await Crawl(index, source).run()
        return {url.partition("#")[2]: decision.state for url, decision in report.decisions.items()}

    files = {"a.md": b"# A\n\nAlpha", "b.csv": b"Dogs?,Yes", "c.zip": packed({"x": b""}), "d.png": b"\x89PNG\x00"}
    assert await crawled(files) == {"a.md": "added", "b.csv": "added", "c.zip": "failed", "d.png": "skipped"}
    del files["c.zip"], files["d.png"]
    assert await crawled(files) == {"a.md": "unchanged", "b.csv": "unchanged"}
    assert await crawled({**files, "a.md": b"# A\n\nOmega"}) == {"a.md": "changed", "b.csv": "unchanged"}
    assert await crawled({"b.csv": files["b.csv"]}) == {"b.csv": "unchanged", "a.md": "gone"}
    rows = await index.db.read("SELECT url FROM documents WHERE tombstoned_at IS NULL")
    assert [row["url"] for row in rows] == [f"{path.as_uri()}#b.csv"]


async def test_of_an_archive_that_breaks_nothing_is_removed(index: Index, tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("# X\n\nText", encoding="utf-8")
    path = tmp_path / "all.zip"
    path.write_bytes(packed({"a.md": b"# A\n\nAlpha"}))
    source = Source(str(tmp_path), kind="file")
    await Crawl(index, source).run()
    path.write_bytes(path.read_bytes()[:-30])
    report = await Crawl(index, source).run()
    assert report.counts == {"unchanged": 1, "failed": 2}
    assert len(await index.db.read("SELECT 1 FROM documents WHERE tombstoned_at IS NULL")) == 2


class Failing(HashingEmbedder):
    """A server that is down."""

    async def embed(self, texts: Sequence[str], *, language: str = "", question: bool = False) -> Vectors:
        raise EmbedError("the embedding server answered 500")


async def test_what_stops_a_folder_is_said_in_its_report(db: Database, tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\nText of {name}", encoding="utf-8")
    index = Index(db, Failing())
    await index.load()
    report = await Crawl(index, Source(str(tmp_path), kind="file")).run()
    assert (report.outcome, report.note) == ("failed", "the embedding server answered 500")
