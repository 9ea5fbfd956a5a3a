"""Questions without any relation to a business."""

from __future__ import annotations

from retrieval.text.off_topic import off_topic


def test_unrelated_questions_come_in_many_languages_and_never_twice() -> None:
    questions = off_topic()
    assert len(questions["en"]) == 100
    assert {len(asked) for language, asked in questions.items() if language != "en"} == {20}
    assert len(questions) == 20
    assert all(len(set(asked)) == len(asked) for asked in questions.values())
