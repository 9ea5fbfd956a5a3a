"""What repeats across a site's pages: learned, taken out, and what stays whatever repeats."""

from __future__ import annotations

from retrieval.ingest.repeat import learn, strip

FRAME = "- [All ropes](https://tern.example/ropes)\n- [All sails](https://tern.example/sails)"
SEVEN = [f"# Page {n}\n\nText of page number {n}.\n\n{FRAME}\n\nCall us on 555 010 200.\n" for n in range(7)]


def test_lines_of_most_pages_go_and_the_pages_own_stay() -> None:
    stripped = strip(SEVEN[3], learn(SEVEN))
    assert stripped.markdown == "# Page 3\n\nText of page number 3.\n"
    assert stripped.removed == (FRAME, "Call us on 555 010 200.")


def test_three_pages_are_too_few_to_learn_from() -> None:
    assert learn(SEVEN[:3]) == frozenset()
    assert strip(SEVEN[0], learn(SEVEN[:3])).markdown == SEVEN[0]


def test_a_line_of_few_pages_stays() -> None:
    pages = [*SEVEN, *(f"# Other {n}\n\nSomething else, number {n}.\n" for n in range(20))]
    assert strip(SEVEN[0], learn(pages)).markdown == SEVEN[0]


def test_an_item_that_only_this_page_has_stays_in_its_list() -> None:
    page = f"# Mine\n\n{FRAME}\n- [Only here](https://tern.example/x)\n"
    assert strip(page, learn(SEVEN)).markdown == "# Mine\n\n- [Only here](https://tern.example/x)\n"


def test_code_and_the_first_heading_are_never_taken() -> None:
    pages = ["# Tern and Tide\n\n```\nsame code here\n```\n\nsame line here\n"] * 6
    assert strip(pages[0], learn(pages)).markdown == "# Tern and Tide\n\n```\nsame code here\n```\n"


def test_a_table_goes_only_as_a_whole() -> None:
    head = "| Boat type | Price per day |\n| --- | --- |\n"
    pages = [f"# P{n}\n\n{head}| Wren boat | {n} euros |\n" for n in range(6)]
    assert strip(pages[2], learn(pages)).markdown == pages[2]
    same = [f"# P{n}\n\n{head}| Wren boat | 5 euros |\n" for n in range(6)]
    assert strip(same[2], learn(same)).markdown == "# P2\n"


def test_a_heading_of_every_page_stays_over_words_of_the_page() -> None:
    pages = [
        f"# P{n}\n\n## Prices and terms\n\nThis one costs {n} euros.\n\n## Keep in touch\n\nWrite to us.\n"
        for n in range(6)
    ]
    assert strip(pages[1], learn(pages)).markdown == "# P1\n\n## Prices and terms\n\nThis one costs 1 euros.\n"


def test_a_single_word_says_too_little_unless_it_is_a_link() -> None:
    pages = [f"# P{n}\n\nNote\n\n[Home](https://tern.example/)\n\nText {n} here.\n" for n in range(6)]
    assert strip(pages[1], learn(pages)).markdown == "# P1\n\nNote\n\nText 1 here.\n"
