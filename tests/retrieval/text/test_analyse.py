"""Text as the words of the keyword index."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.text.analyse import Term, quoted, terms, words
from retrieval.text.language import detect


@pytest.mark.parametrize(
    ("text", "language", "expected_words"),
    [
        ("Opening hours", "en", ["open", "hour"]),
        ("Öffnungszeiten", "de", ["offnungszeit"]),
        ("Straße STRASSE", "de", ["strass", "strass"]),
        ("¿Cuánto cuestan los kayaks?", "es", ["cuant", "cuest", "los", "kayaks"]),
        ("TT-DB-20", "en", ["tt_db_20", "ttdb20", "tt", "db", "20"]),
        ("v1.2.3", "en", ["v1_2_3", "v123", "v1", "v", "1", "2", "3"]),
        ("well-known", "en", ["well", "known"]),
        ("ﬁsh №5", "en", ["fish", "no5", "no", "5"]),
        ("東京駅へ", "ja", ["東京", "京駅", "駅へ"]),
        ("港", "zh", ["港"]),
        ("iPhone充電", "ja", ["iphone", "充電"]),
        ("Καφές καφε", "el", ["καφ", "καφ"]),
        ("", "en", []),
    ],
)
def test_a_text_becomes_its_folded_stemmed_words(text: str, language: str, expected_words: list[str]) -> None:
    assert words(text, language) == expected_words


def test_a_question_keeps_the_words_that_carry_its_subject() -> None:
    assert [term.text for term in terms("What does the kayak cost?", "en", ["en"])] == ["kayak"]
    assert [term.text for term in terms("Was kostet das Kajak?", "de", ["de"])] == ["kajak"]
    assert [term.text for term in terms("what is that", "en", [])] == ["what", "is", "that"]


def test_a_word_has_a_form_in_each_language_of_the_corpus() -> None:
    (term,) = terms("Kosten", "de", ["en", "de"])
    assert set(term.forms) == {"kost", "kosten"}


def test_identifiers_are_told_from_words() -> None:
    found = {term.text: term for term in terms("Is TT-DB-20 like the XR7 or well-known?", "en", ["en"])}
    assert found["tt_db_20"] == Term("tt_db_20", ("tt_db_20", "ttdb20"), identifier=True)
    assert found["xr7"].identifier
    assert not found["known"].identifier


def test_questions_and_pages_are_analysed_alike() -> None:
    for text, language in [("Öffnungszeiten", "de"), ("東京駅", "ja"), ("TT-DB-20", "en"), ("Straße", "de")]:
        assert set(words(text, language)) >= {form for term in terms(text, language, []) for form in term.forms[:1]}


def test_a_query_is_quoted_words() -> None:
    assert quoted(["x", 'y"z']) == '"x" OR "yz"'
    assert quoted([]) == ""


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80), st.sampled_from(["en", "de", "ja", "xx", ""]))
def test_any_text_has_words_terms_and_a_language(text: str, language: str) -> None:
    assert all(isinstance(word, str) for word in words(text, language))
    forms = [form for term in terms(text, language, ["de", "en"]) for form in term.forms]
    assert quoted(forms).count('"') == 2 * len(forms)
    assert detect(text)
