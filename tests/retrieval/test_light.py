"""The light re-ranker: exactness and features by their values, and their effect on an order."""

from __future__ import annotations

import pytest

from retrieval.document import Document
from retrieval.index.index import Entry, Index
from retrieval.search.exact import Mark, exactness, marks
from retrieval.search.features import Asked, held, side_by_side, standing
from retrieval.search.floor import Levels
from retrieval.search.search import Mode, Options, search
from retrieval.split.by_headings import split
from retrieval.text.analyse import Term


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("a bracket of 40 mm", Mark("", "40", "mm")),
        ("40mm bracket", Mark("", "40", "mm")),
        ("bracket, **40** Millimeter", Mark("", "40", "mm")),
        ("costs £1,200", Mark("£", "1200", "")),
        ("kostet 1.200 €", Mark("", "1200", "€")),
        ("1,5 Liter", Mark("", "1.5", "l")),
        ("TT-DB-20", Mark("db", "20", "")),
        ("ESP32", Mark("esp", "32", "")),
        ("Schraube M8", Mark("m", "8", "")),
        ("version 2.1", Mark("versio", "2.1", "")),
        ("on 3 May", Mark("", "3", "may")),
        ("en talla XL", Mark("talla", "xl", "")),
        ("size M", Mark("size", "m", "")),
        ("vitamin A", Mark("vitami", "a", "")),
    ],
)
def test_a_number_or_letter_is_told_by_the_words_beside_it(text: str, mark: Mark) -> None:
    assert marks(text) == (mark,)


@pytest.mark.parametrize("text", ["can I have a boat", "there is a dog", "", "[shop](https://x.example/40)", "tú y yo"])
def test_words_and_addresses_are_no_marks(text: str) -> None:
    assert marks(text) == ()


@pytest.mark.parametrize(
    ("asked", "head", "text", "expected"),
    [
        ("40 mm", "Bracket 40 mm", "It is 40 mm long.", 1.0),
        ("40 mm", "Bracket 50 mm", "It is 50 mm long.", -1.0),
        ("40 mm", "Bracket 50 mm", "Also of 40 mm.", 0.0),
        ("40 mm", "Bracket", "40 mm costs £3, 50 mm £4.", 0.5),
        ("40 mm", "Bracket", "It carries 40 kg.", 0.25),
        ("40 mm", "Bracket", "It carries 60 kg.", 0.0),
        ("£24", "Bag", "24 € or 24 £", 0.5),
        ("size M", "Shirt size S", "", -0.5),
        ("room 12", "Room 14", "Room 14 has 12 lamps.", -0.25),
        ("any shirt", "Shirt size S", "£24", 0.0),
        ("3 May, 8 persons", "", "On 3 May for 8 people", 0.5),
    ],
)
def test_a_chunk_says_the_same_or_another_one_or_nothing(asked: str, head: str, text: str, expected: float) -> None:
    assert exactness(marks(asked), marks(head), marks(text)) == expected


ASKED = Asked.of({Term("red", ("red", "rot")): 1.0, Term("kayak", ("kayak",)): 2.0, Term("price", ("price",)): 1.0})


def test_a_heading_holds_a_share_of_the_question() -> None:
    assert held(ASKED, "the rot kayak".split()) == 0.75
    assert held(ASKED, []) == held(Asked.of({}), ["kayak"]) == 0.0


def test_neighbours_of_the_question_that_stand_near_count_by_their_weights() -> None:
    for text, expected in (
        ("red kayak price", 1.0),
        ("a kayak that is red", 0.5),
        ("red one two three kayak", 0.0),
        ("red price", 0.0),
        ("price of this kayak", 0.5),
        ("", 0.0),
    ):
        assert side_by_side(ASKED, standing(ASKED, text.split())) == expected, text
    assert side_by_side(Asked.of({Term("red", ("red",)): 1.0}), [(0, 0)]) == 0.0


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
async def test_the_twin_that_says_another_size_goes_below(index: Index, mode: Mode) -> None:
    for name in ("30", "40", "50"):
        text = f"# Brackets\n\nThe bracket of {name} mm is made of steel and holds shelves."
        document = Document(f"https://x.example/{name}", "Brackets", text, "en")
        await index.replace(Entry("test", document, name, split(document)))
    await index.refresh()
    for asked in ("30", "40", "50"):
        options = Options(mode=mode, threshold=-1.0, floor=0.0)
        found = await search(index, f"steel bracket of {asked}mm", options, Levels(), "en")
        assert found.hits[0].url.endswith(asked)
        bare = await search(
            index, f"steel bracket of {asked}mm", Options(mode=mode, threshold=-1.0, light=False), Levels(), "en"
        )
        assert found.confidence == bare.confidence, "the floor reads what the legs found"
        assert {hit.url for hit in found.hits} == {hit.url for hit in bare.hits}
