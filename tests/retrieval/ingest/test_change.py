"""Which facts changed, by name."""

from __future__ import annotations

import pytest

from retrieval.ingest.change import changed_facts

HEAD = "| Boat | Half day | Whole day |\n|---|---|---|\n"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("Delivery costs 4.90 within town.", "Delivery costs 5.90 within town.", "Delivery costs 4.90 → 5.90"),
        ("Open from 9:00 to 17:00.", "Open from 9:00 to 18:30.", "to 17:00 → 18:30"),
        ("Call **+44 20 7946 0001** now", "Call **+44 20 7946 0001** soon", ""),
        ("The deposit is £50.", "The deposit is £80.\n\nDogs welcome.", "The deposit is £50 → £80"),
        ("Write to old@x.example.", "Write to new@x.example.", "Write to old@x.example → new@x.example"),
        (HEAD + "| Kayak | £20 | £35 |", HEAD + "| Kayak | £20 | £39 |", "Kayak, Whole day £35 → £39"),
        ("Alpha", "Alpha\n\nClosed on 24 December.", "new: Closed on 24"),
        ("Alpha\n\nClosed on 24 December.", "Alpha", "gone: Closed on 24"),
        ("We have 3 boats and 4 carts.", "We have 3 boats, 4 carts and 5 tents.", "carts and (none) → 5"),
        ("- Wash at 30 °C\n- Dry flat", "- Dry flat\n- Wash at 40 °C", "Wash at 30 °C → 40 °C"),
        ("A 1\n\nB 2", "B 2\n\nA 1", ""),
        ("[Price list 2026](https://x.example/2026)", "[Price list 2027](https://x.example/2027)", "Price list 2026 → 2027"),
        ("Rabatt 10 % ab 50 EUR", "Rabatt 15 % ab 60 EUR", "Rabatt 10 % → 15 %; ab 50 EUR → 60 EUR"),
        ("No figures here.", "None here either.", ""),
    ],
)  # fmt: skip
def test_facts_are_told_with_the_words_before_them(before: str, after: str, told: str) -> None:
    assert changed_facts(before, after) == told


def test_what_moved_to_another_line_did_not_change() -> None:
    assert changed_facts("Kayaks £20. Sails £90.", "Sails £90.\n\nOur fine kayaks are £20.") == ""


def test_a_page_that_is_wholly_new_is_told_in_part() -> None:
    before = "\n".join(f"Old line {at} about nothing" for at in range(400))
    after = "\n".join(f"Quite another {at + 1000} sentence" for at in range(400))
    told = changed_facts(before, after)
    assert told.count(";") == 20
    assert told.endswith("and 780 more")
