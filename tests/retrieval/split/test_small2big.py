"""Small chunks are found, their parents are shown."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings

from retrieval.document import Chunk, Document, Hit, Parent
from retrieval.index.index import Entry, Index
from retrieval.search.expand import expanded, parent_of
from retrieval.split.small2big import small2big
from retrieval.split.splitting import Splitting, chunks_of
from retrieval.text.analyse import terms
from retrieval.text.tokens import count
from tests.retrieval.split.test_by_headings import documents

LONG = " ".join(f"Sentence {at} speaks of boats and quays." for at in range(300))


def words(text: str) -> int:
    return len(text.split())


def small(markdown: str, child: int = 200, parent: int = 400, overlap: float = 0.12) -> list[Chunk]:
    return small2big(Document("u", "Page", markdown, "en"), child_words=child, parent_words=parent, overlap=overlap)


def parents(chunks: Sequence[Chunk]) -> list[Parent]:
    return list(dict.fromkeys(chunk.parent or Parent(chunk.text, chunk.tokens, chunk.page) for chunk in chunks))


def test_by_default_children_have_two_hundred_words_and_parents_four_hundred() -> None:
    chunks = chunks_of(Document("u", "Page", LONG), Splitting("small2big"))
    assert max(words(chunk.text) for chunk in chunks) in range(180, 201)
    assert max(words(parent.text) for parent in parents(chunks)) in range(380, 401)
    assert all(chunk.parent is None or chunk.text in chunk.parent.text for chunk in chunks)
    assert all(chunk.tokens == count(chunk.text) for chunk in chunks)
    assert all(parent.tokens == count(parent.text) for parent in parents(chunks))


def test_parents_repeat_nothing_and_hold_everything() -> None:
    assert " ".join(parent.text for parent in parents(small(LONG))) == LONG


def test_what_is_no_larger_than_a_child_has_no_parent() -> None:
    chunks = small("## Dogs?\n\nThey may come.\n\n## Cats?\n\nThey may not.")
    assert [(chunk.text, chunk.parent) for chunk in chunks] == [("They may come.", None), ("They may not.", None)]


def test_children_stay_inside_their_section() -> None:
    chunks = small(f"## Boats\n\n{LONG}\n\n## Carts\n\n{LONG.replace('boats', 'carts')}")
    for chunk in chunks:
        around = chunk.parent.text if chunk.parent else chunk.text
        assert ("boats" in around) == ("boats" in chunk.text) == (chunk.heading_path == ("Boats",))
        assert ("carts" in around) == (chunk.heading_path == ("Carts",))


def test_children_of_a_table_repeat_its_head() -> None:
    table = "Prices:\n\n| Boat | Euro |\n| --- | --- |\n" + "\n".join(f"| boat {at} | {at} |" for at in range(90))
    chunks = small(table, child=60, parent=200)
    assert len(parents(chunks)) > 2
    for chunk in chunks:
        assert chunk.text.startswith("Prices:\n\n| Boat | Euro |\n| --- | --- |\n| boat")
        assert chunk.text.endswith(" |")
        assert words(chunk.text) <= 60


def test_words_of_scripts_without_spaces_are_counted_too() -> None:
    chunks = small("漢字かな交じり文。" * 400, child=50, parent=100)
    assert all(len(chunk.text) <= 100 for chunk in chunks)
    assert all(chunk.parent is None or len(chunk.parent.text) <= 200 for chunk in chunks)


@settings(max_examples=60, deadline=None)
@given(documents)
def test_every_word_stands_in_some_parent_in_order(markdown: str) -> None:
    chunks = small(markdown, child=30, parent=60)
    found: list[str] = []
    last: Parent | None = None
    for chunk in chunks:
        if chunk.parent is None or chunk.parent is not last:
            found.append(f"{' '.join(chunk.heading_path)} {chunk.parent.text if chunk.parent else chunk.text}")
        last = chunk.parent
    held = iter(" ".join(found).replace("*", " ").replace("`", " ").split())
    wanted = markdown.replace("#", " ").replace("*", " ").replace("`", " ").split()
    assert [word for word in wanted if word not in held] == []


def hit(chunk_id: int, parent: Parent | None, score: float = 1.0) -> Hit:
    return Hit(chunk_id, "d", "u", "T", (), f"text {chunk_id}", 2, score, parent=parent)


def test_of_the_hits_of_one_parent_the_best_is_kept_with_the_parents_text() -> None:
    large, other = Parent("the whole of it", 9, 3, id=1), Parent("another", 5, None, id=2)
    found = [hit(1, large, 0.9), hit(2, None, 0.8), hit(3, large, 0.7), hit(4, other, 0.6), hit(5, None, 0.5)]
    shown = expanded(found)
    assert [(one.chunk_id, one.text, one.tokens, one.page) for one in shown] == [
        (1, "the whole of it", 9, 3),
        (2, "text 2", 2, None),
        (4, "another", 5, None),
        (5, "text 5", 2, None),
    ]
    assert [one.score for one in shown] == [0.9, 0.8, 0.6, 0.5]
    assert expanded(shown) == shown


async def test_the_index_gives_each_chunk_its_parent_and_keeps_both_when_a_page_is_split_anew(index: Index) -> None:
    document = Document("u", "Page", f"## One?\n\n{LONG}\n\n## Two?\n\nShort.", "en")
    made = small2big(document)
    await index.replace(Entry("test", document, "h", made))
    rows = await index.db.read("SELECT id, parent_id, text FROM chunks ORDER BY position")
    found = await index.chunks([row["id"] for row in rows])
    shown = [parent_of(found[row["id"]]) for row in rows]
    assert [parent and (parent.text, parent.tokens) for parent in shown] == [
        chunk.parent and (chunk.parent.text, chunk.parent.tokens) for chunk in made
    ]
    changed = Document("u", "Page", f"## Nought?\n\nNew.\n\n## One?\n\n{LONG}\n\n## Two?\n\nShort.", "en")
    await index.replace(Entry("test", changed, "i", small2big(changed)))
    again = await index.db.read("SELECT id, parent_id, text FROM chunks ORDER BY position")
    assert [tuple(row) for row in again[1:]] == [tuple(row) for row in rows]
    bare = Document("u", "Page", "## Two?\n\nShort.", "en")
    await index.replace(Entry("test", bare, "j", small2big(bare)))
    assert await index.db.read("SELECT * FROM parents") == []
    await index.refresh()
    assert list((await index.keyword_scores(terms("short", "en", ["en"]))).best(99)) == [rows[-1]["id"]]
