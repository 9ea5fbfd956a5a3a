"""Letters and small drawings of PDF pages as words."""

from __future__ import annotations

from retrieval.convert.pdf import convert_pdf, letters
from retrieval.convert.pdf.line import PdfWord, lines_of_words
from tests.retrieval.convert.pdf.paper import lines, pdf

URL = "https://boats.example/guide.pdf"


def markdown(body: bytes) -> str:
    return convert_pdf(body, URL).markdown


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
    assert letters.without_ligatures("The \ufb01rst o\ufb03ce \ufb02oor") == "The first office floor"


def test_small_drawings_before_lines_are_bullets() -> None:
    dots = [f"60 {700 + 2 - 12 * at} 4 4 re f".encode() for at in range(2)]
    page = [*lines("Bring:", top=714), *dots, *lines("a slate\na watch", left=72)]
    assert markdown(pdf(page)).endswith("- a slate\n- a watch\n")


def test_scripts_from_right_to_left_are_put_in_their_order_from_whatever_end_they_are_written() -> None:
    words = [PdfWord(60, 90, 100, 10, "مرحبا", order=0), PdfWord(20, 55, 100, 10, "بكم", order=1)]
    (line,) = lines_of_words(words)
    assert line.text == "مرحبا بكم"
