"""Long pages written anew, a section a subject, and believed only if nothing was lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from retrieval.document import Chunk, Document
from retrieval.errors import WriteError
from retrieval.index.index import Index
from retrieval.ingest.ingest import Crawl
from retrieval.split.splitting import Splitter, Splitting, chunks_of
from retrieval.split.subjects import MOST_PAGE_TOKENS, by_subject, parsed_subjects
from retrieval.text.tokens import count
from tests.retrieval.ingest.crawling import source_of
from tests.retrieval.split.rewriting import PAGE, Scribe, honest, late
from tests.standins.site import Site

DOCUMENT = Document("u", "Boats", PAGE, "en")
SPLITTING = Splitting("subjects", subjects_from=200)


def test_sections_begin_with_a_title_line() -> None:
    made = parsed_subjects("§§ How much?\n\nIt costs £9.\n\n## not a title\n\n§§ **When?**\nAt 9:00.")
    assert [(one.title, one.text) for one in made] == [
        ("How much?", "It costs £9.\n\n## not a title"),
        ("When?", "At 9:00."),
    ]


def test_a_fence_around_the_whole_answer_is_taken_off() -> None:
    assert [one.text for one in parsed_subjects("```markdown\n§§ A?\n\n```\ncode\n```\n```")] == ["```\ncode\n```"]


@pytest.mark.parametrize(
    "answer", ["", "It costs £9.", "Here they are:\n§§ A?\n\nB", "§§ A?\n\n§§ B?\n\nText", "§§\nText"]
)
def test_an_answer_out_of_form_is_none(answer: str) -> None:
    with pytest.raises(WriteError):
        parsed_subjects(answer)


async def test_a_section_is_a_chunk_with_its_question_and_the_model_is_told_the_contract() -> None:
    scribe = Scribe(honest)
    chunks = await by_subject(DOCUMENT, scribe, 320)
    assert chunks[0].heading_path == ("What about Harbour A?",)
    assert chunks[0].text.startswith("A canoe from pier A costs £21.50")
    assert all(chunk.tokens == count(chunk.text) for chunk in chunks)
    ((instruction, text),) = scribe.asked
    assert text == PAGE
    for word in ("question", "Never shorten", "number, price, date, name", "not instructions"):
        assert word in instruction


async def test_a_paged_documents_sections_keep_their_pages() -> None:
    at = PAGE.index("## Prices")
    chunks = await by_subject(Document("u", "Boats", PAGE, "en", pages=(0, at)), Scribe(honest), 320)
    assert [chunk.page for chunk in chunks] == [1] * 8 + [2] * 3


def bent(page: str) -> str:
    return honest(page).replace("£23.50", "£24")


def shortened(page: str) -> str:
    return honest(page).replace("Bring a towel and dry clothes for afterwards. ", "")


def one_section(page: str) -> str:
    return "§§ What about all of it?\n\n" + honest(page).replace("§§ ", "")


async def test_what_was_lost_is_named_in_one_repair() -> None:
    scribe = Scribe(bent, honest)
    assert len(await by_subject(DOCUMENT, scribe, 320)) == 11
    (_, first), (_, second) = scribe.asked
    assert second.startswith(first)
    for told in ("- missing: price: £23.50", "- not on the page: price: £24", bent(PAGE)):
        assert told in second


@pytest.mark.parametrize(
    ("answer", "why", "calls"),
    [
        (bent, "missing: number: 23.50", 2),
        (shortened, "missing: words: ", 2),
        (one_section, "too long: 'What about all of it?'", 2),
        (lambda page: "I can't do that.", "no sections", 2),
        (late, "TimeoutError", 1),
    ],
)
async def test_a_page_that_fails_twice_is_split_by_its_headings_and_the_report_says_why(
    answer: Callable[[str], str], why: str, calls: int
) -> None:
    scribe = Scribe(answer)
    chunks, note = await Splitter(SPLITTING, scribe).chunks(DOCUMENT)
    assert chunks == chunks_of(DOCUMENT, Splitting())
    assert note.startswith("split by its headings: ")
    assert why in note
    assert len(scribe.asked) == calls


@pytest.mark.parametrize("splitting", [Splitting("subjects", subjects_from=count(PAGE)), Splitting("small2big")])
async def test_pages_that_are_short_enough_and_other_strategies_ask_no_model(splitting: Splitting) -> None:
    scribe = Scribe(honest)
    chunks, note = await Splitter(splitting, scribe).chunks(DOCUMENT)
    assert (chunks, note, scribe.asked) == (chunks_of(DOCUMENT, splitting), "", [])


async def test_a_page_beyond_one_answer_is_not_sent() -> None:
    scribe = Scribe(honest)
    with pytest.raises(WriteError, match="too many"):
        await by_subject(Document("u", "T", "word " * (MOST_PAGE_TOKENS + 10)), scribe, 320)
    assert scribe.asked == []


async def held(index: Index) -> list[Chunk]:
    rows = await index.db.read("SELECT text, heading_path, tokens FROM chunks ORDER BY document_id, position")
    return [Chunk(row["text"], row["heading_path"], row["tokens"]) for row in rows]


async def test_a_crawl_asks_once_a_long_page_and_never_again_while_it_is_unchanged(index: Index) -> None:
    paragraphs = "".join(f"<h2>Part {at}</h2><p>{block}</p>" for at, block in enumerate(PAGE.split("\n\n")[2:16:2], 1))
    site = {
        "/": f"<html><main><h1>Boats</h1>{paragraphs}</main></html>",
        "/x": "<html><main><p>Short.</p></main></html>",
    }
    scribe = Scribe(honest)
    async with Site(site) as served:
        for _ in range(2):
            source = source_of(served, splitting=Splitting("subjects", subjects_from=200))
            report = await Crawl(index, source, writer=scribe).run()
            assert report.outcome == "complete"
            assert len(scribe.asked) == 1
        assert "What about Part 1?" in (await held(index))[0].heading_path
