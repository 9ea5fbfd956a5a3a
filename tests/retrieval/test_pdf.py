"""PDF to Markdown: paragraphs, headings, lists, links, pages, and files that can't be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.convert.pdf import convert_pdf, letters
from retrieval.convert.pdf.line import Word, lines_of
from retrieval.errors import ConvertError
from retrieval.split.by_headings import split
from tests.retrieval.paper import bold, lines, pdf

URL = "https://boats.example/guide.pdf"


def markdown(body: bytes) -> str:
    return convert_pdf(body, URL).markdown


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("Bring your certi-\nficate to the quay", "certificate"),
        ("All about the Anglo-\nSaxon boats", "Anglo-Saxon"),
        ("This is a well-\nknown place", "well-known"),
        ("Ask for a state-of-\nthe-art boat", "state-of-the-art"),
        ("We have two-\nand three-day tours", "two- and three-day"),
        ("Vor-\nund Nachteile der Boote", "Vor- und Nachteile"),
        ("Answers by e-mail come soon, and by an e-\nmail only", "an e-mail only"),
        ("The harbour wall and a harbour-\nwall of stone", "harbour-wall"),
        ("From 2025-\n2026 on", "2025-2026"),
        ("The quay -\nand the boats", "quay - and"),
    ],
)
def test_a_hyphen_at_the_end_of_a_line_goes_only_where_it_breaks_a_word(text: str, joined: str) -> None:
    assert joined in markdown(pdf(lines(text)))


def test_running_heads_and_page_numbers_are_left_out() -> None:
    texts = ["tides", "radio", "weather"]
    pages = [
        [(50, 800, 8, "Skipper's guide"), *lines(f"All there is to say of {text}."), (280, 30, 8, f"Page {at} of 3")]
        for at, text in enumerate(texts, 1)
    ]
    found = markdown(pdf(*pages))
    assert found.split("\n\n") == [f"All there is to say of {text}." for text in texts[:2]] + [
        "All there is to say of weather.\n"
    ]


def test_heads_of_left_and_right_pages_are_running_too_and_so_are_roman_numbers() -> None:
    pages = [
        [(50, 800, 8, "Guide" if at % 2 else "Chapter one"), *lines(f"Text {word}."), (300, 30, 8, roman)]
        for at, (word, roman) in enumerate(
            zip("one two three four five six".split(), "i ii iii iv v vi".split(), strict=True)
        )
    ]
    found = markdown(pdf(*pages))
    assert "Guide" not in found
    assert "Chapter" not in found
    assert "iii" not in found


def test_what_a_running_foot_says_of_telephone_and_mail_is_kept_once() -> None:
    pages = [
        [*lines(f"Text {word}."), (50, 30, 8, "Tern & Tide, 01234 555 010, desk@tern.example")]
        for word in ("one", "two")
    ]
    assert markdown(pdf(*pages)).count("01234 555 010, desk@tern.example") == 1


def test_prices_at_the_edges_of_pages_are_not_taken_for_page_numbers() -> None:
    pages = [lines(f"{word.title()} text\nKayak for a day {price}") for word, price in (("one", 30), ("two", 45))]
    assert {"30", "45"} <= set(markdown(pdf(*pages)).split())


def test_titles_that_count_on_are_no_running_heads() -> None:
    pages = [[(50, 780, 18, f"Guide part {at}"), *lines("Some text of the page.")] for at in (1, 2, 3)]
    assert markdown(pdf(*pages)).count("Guide part") == 3


def test_a_paragraph_that_runs_over_the_page_is_one_paragraph() -> None:
    first = "We open at nine in the morning and\nwe close when the last boat has come\nback to its place at the"
    pages = [[*lines(first), (290, 30, 9, "1")], [*lines("quay. That is all."), (290, 30, 9, "2")]]
    document = convert_pdf(pdf(*pages), URL)
    assert document.markdown == f"{first} quay. That is all.\n".replace("\n", " ").strip() + "\n"
    assert document.markdown[document.pages[1] :].startswith("quay.")


def test_larger_type_is_a_heading_and_bullets_are_a_list() -> None:
    page = [
        (50.0, 780.0, 20.0, "Guide"),
        (50.0, 740.0, 13.0, "Tides"),
        *lines("High water comes late.\n• Bring a slate\n• Bring a watch", top=715),
    ]
    assert markdown(pdf(page)).split("\n\n") == [
        "# Guide",
        "## Tides",
        "High water comes late.",
        "- Bring a slate\n- Bring a watch\n",
    ]


def test_bold_lines_and_lines_in_capitals_are_headings_but_bold_paragraphs_are_not() -> None:
    text = "Text of a paragraph that is long\nenough to show where lines end,\nand that the body is not bold."
    page = [
        bold(50, 760, 10, "Deposit"),
        *lines(text, top=740),
        (50, 690, 10, "OPENING HOURS"),
        *lines(text, top=670),
        bold(50, 620, 10, "Every line of this paragraph is set"),
        bold(50, 608, 10, "in bold type, since it warns of the"),
        bold(50, 596, 10, "tide, which is what those who come"),
        bold(50, 584, 10, "here by boat should be afraid of."),
    ]
    found = markdown(pdf(page)).split("\n\n")
    assert found[0] == "## Deposit"
    assert found[2] == "## OPENING HOURS"
    assert found[4].startswith("Every line")


def test_numbered_and_nested_lists_keep_numbers_depth_and_wrapped_lines() -> None:
    page = lines("Do this:", top=760) + lines("1. Choose a boat that is\n   fine for you\n2. Pay", top=740)
    page += lines("• in cash\n• by card", left=70, top=704) + lines("3. Sail", top=680)
    assert markdown(pdf(page)) == (
        "Do this:\n\n1. Choose a boat that is fine for you\n2. Pay\n   - in cash\n   - by card\n3. Sail\n"
    )


def test_lines_that_end_early_are_paragraphs_of_their_own() -> None:
    page = lines("Harbour office\n12 Quay Road\nOpen from nine to six on every day of the week and of the year")
    assert markdown(pdf(page)).split("\n\n")[:2] == ["Harbour office", "12 Quay Road"]


def test_the_lines_of_an_address_stay_apart() -> None:
    assert markdown(pdf(lines("Harbour office\n4 Quay Lane\nXT4 7QL"))) == "Harbour office\n\n4 Quay Lane\n\nXT4 7QL\n"


def test_links_are_kept_and_bare_addresses_stay_bare() -> None:
    page = [(50.0, 700.0, 10.0, "Book"), (80.0, 700.0, 10.0, "here"), (50.0, 650.0, 10.0, "boats.example/a")]
    links = [(78, 695, 104, 712, "https://boats.example/book(1)"), (48, 645, 130, 662, "https://boats.example/a")]
    found = markdown(pdf(page, links=[*links, (40, 600, 90, 620, "javascript:alert(1)")]))
    assert found == "Book [here](https://boats.example/book%281%29)\n\nboats.example/a\n"


def test_numbers_of_lines_at_the_margin_are_left_out() -> None:
    text = "\n".join(f"{word} is what this line of the contract says" for word in "abcdefghijkl")
    numbers = [(20.0, 700.0 - 12 * at, 8.0, str(at + 1)) for at in range(12)]
    found = markdown(pdf([*numbers, *lines(text)]))
    assert "12" not in found
    assert "l is what" in found


def test_text_that_runs_upwards_stands_after_the_rest() -> None:
    stamp = b"BT /F1 10 Tf 0 1 -1 0 30 300 Tm (Draft of March) Tj ET"
    assert markdown(pdf([stamp, *lines("The text of the page.")])) == "The text of the page.\n\nDraft of March\n"


def test_a_large_initial_belongs_to_its_word() -> None:
    page = [
        (50.0, 676.0, 36.0, "W"),
        *lines("e are here for all\nwho come by boat and", left=85),
        (50, 664, 10, "by land."),
    ]
    assert "We are here for all" in markdown(pdf(page))


def test_a_word_drawn_twice_to_look_bold_is_one_word() -> None:
    assert markdown(pdf([(50, 700, 10, "Deposit"), (50.3, 700, 10, "Deposit")])) == "Deposit\n"


def test_ligatures_are_their_letters() -> None:
    assert letters.plain("The \ufb01rst o\ufb03ce \ufb02oor") == "The first office floor"


def test_small_drawings_before_lines_are_bullets() -> None:
    dots = [f"60 {700 + 2 - 12 * at} 4 4 re f".encode() for at in range(2)]
    page = [*lines("Bring:", top=714), *dots, *lines("a slate\na watch", left=72)]
    assert markdown(pdf(page)).endswith("- a slate\n- a watch\n")


def test_text_that_looks_like_a_heading_of_markdown_is_none() -> None:
    assert markdown(pdf(lines("# 5 is the berth"))) == "\\# 5 is the berth\n"


def test_dots_that_lead_to_a_price_are_one_sign() -> None:
    assert markdown(pdf(lines("Kayak . . . . . . . . . . 35"))) == "Kayak … 35\n"


def test_chunks_know_their_page() -> None:
    pages = [
        [(50.0, 700.0, 14.0, name), *lines(f"{name} " + "word " * 12 + "end.\n" + f"All of {name}.", top=650)]
        for name in ("Alpha", "Beta", "Gamma")
    ]
    document = convert_pdf(pdf(*pages), URL)
    assert [document.markdown[at:].split()[1] for at in document.pages] == ["Alpha", "Beta", "Gamma"]
    assert [(chunk.heading_path, chunk.page) for chunk in split(document, chunk_tokens=40)] == [
        (("Alpha",), 1),
        (("Beta",), 2),
        (("Gamma",), 3),
    ]


def test_chunks_of_one_long_section_know_the_page_that_each_begins_on() -> None:
    pages = [lines("\n".join(f"Sentence {at} of page {name}." for at in range(8))) for name in ("one", "two", "three")]
    document = convert_pdf(pdf(*pages), URL)
    for chunk in split(document, chunk_tokens=60, overlap=0.0):
        first = next(name for name in ("one", "two", "three") if f"page {name}" in chunk.text)
        assert chunk.page == ("one", "two", "three").index(first) + 1


def test_the_title_is_the_declared_one_then_the_heading_then_the_name() -> None:
    page = [(50.0, 780.0, 20.0, "Guide"), *lines("Some text.\nAnd more.\nAnd more still.")]
    assert convert_pdf(pdf(page, title="Declared"), URL).title == "Declared"
    assert convert_pdf(pdf(page, title="Microsoft Word - guide.docx"), URL).title == "Guide"
    assert convert_pdf(pdf(page), URL).title == "Guide"
    assert convert_pdf(pdf(lines("Some text.")), URL).title == "guide.pdf"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (pdf(lines("Secret"), encrypted=True), "protected by a password"),
        (b" \n", "is an empty file"),
        (pdf([]), "holds no text"),
        (b"%PDF-1.4\nnothing else", "can't be read as a PDF"),
        (pdf(lines("One page"), listed=3), "has a page that can't be read"),
    ],
    ids=["encrypted", "nothing", "empty", "broken", "missing pages"],
)
def test_a_file_that_cannot_be_read_says_why(body: bytes, why: str) -> None:
    with pytest.raises(ConvertError, match=why) as caught:
        convert_pdf(body, URL)
    assert str(caught.value).startswith(URL)


def test_the_examples_guide_keeps_its_order_and_loses_its_running_heads(example: Path) -> None:
    document = convert_pdf((example / "documents" / "skipper-guide.pdf").read_bytes(), URL)
    headings = [line for line in document.markdown.splitlines() if line.startswith("#")]
    names = [heading.split()[1].rstrip(".") for heading in headings]
    numbers = [int(name) for name in names if name.isdigit()]
    assert numbers == list(range(1, 17))
    assert "| Hire in the harbour | 16 knots | 22 knots | 0.4 m |" in document.markdown
    assert "nobody should have to guess why a guide says no" in " ".join(document.markdown.split())
    assert len(document.pages) >= 2


def test_scripts_from_right_to_left_are_put_in_their_order_from_whatever_end_they_are_written() -> None:
    words = [Word(60, 90, 100, 10, "مرحبا", at=0), Word(20, 55, 100, 10, "بكم", at=1)]
    (line,) = lines_of(words)
    assert line.text == "مرحبا بكم"
