"""Lines of PDF pages as paragraphs, headings, lists and links."""

from __future__ import annotations

from retrieval.convert.pdf import convert_pdf
from tests.retrieval.convert.pdf.paper import bold, lines, pdf

URL = "https://boats.example/guide.pdf"


def markdown(body: bytes) -> str:
    return convert_pdf(body, URL).markdown


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


def test_text_that_looks_like_a_heading_of_markdown_is_none() -> None:
    assert markdown(pdf(lines("# 5 is the berth"))) == "\\# 5 is the berth\n"


def test_dots_that_lead_to_a_price_are_one_sign() -> None:
    assert markdown(pdf(lines("Kayak . . . . . . . . . . 35"))) == "Kayak … 35\n"
