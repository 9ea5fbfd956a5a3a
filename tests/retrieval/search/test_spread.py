"""One page doesn't fill the first hits."""

from __future__ import annotations

from retrieval.document import Document, Hit
from retrieval.index.index import Entry, Index
from retrieval.search.floor import OffTopicLevels
from retrieval.search.search import Options, search
from retrieval.search.spread import spread
from retrieval.split.by_headings import split
from tests.retrieval.search.pages import name_of


def hit(number: int, document: str) -> Hit:
    return Hit(number, document, "u", "t", (), "text", 1, 1.0)


def test_one_page_has_its_share_of_the_first_hits_while_others_are_left() -> None:
    order = [hit(at, document) for at, document in enumerate("aaaabacb")]
    for k, per_page, expected in (
        (5, 2, [0, 1, 4, 6, 7]),  # a a b c b
        (7, 2, [0, 1, 4, 6, 7, 2, 3]),
        (8, 1, [0, 4, 6, 1, 2, 3, 5, 7]),
        (3, 9, [0, 1, 2]),
    ):
        assert [item.chunk_id for item in spread(order, k, per_page)] == expected, (k, per_page)


async def test_a_page_alone_keeps_all_its_hits(boat_hire: Index) -> None:
    for number in range(6):
        text = f"# Lamp\n\n## Part {number}\n\nThe lamp shines, says part {number}."
        document = Document(f"https://x.example/{number if number > 4 else 'lamps'}", "Lamps", text, "en")
        chunks = split(document) * (1 if number > 4 else 5)
        await boat_hire.replace(Entry("test", document, str(number), chunks))
    await boat_hire.refresh()
    options = Options(mode="keyword", k=4, per_page=2, threshold=0.0)
    found = await search(boat_hire, "lamp shines", options, OffTopicLevels())
    assert [name_of(item) for item in found.hits] == ["lamps", "lamps", "5", "lamps"]
