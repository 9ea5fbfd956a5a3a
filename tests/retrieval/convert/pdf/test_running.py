"""Running heads and feet, and what only looks like one."""

from __future__ import annotations

from retrieval.convert.pdf import convert_pdf
from tests.retrieval.convert.pdf.paper import lines, pdf

URL = "https://boats.example/guide.pdf"


def markdown(body: bytes) -> str:
    return convert_pdf(body, URL).markdown


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
