"""Words of the keyword leg: tokens, analysis and language."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.text.analyse import Term, quoted, terms, words
from retrieval.text.language import detect
from retrieval.text.tokens import count


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("hello world", 2), ("Hello, world!", 4), ("<|endoftext|>", 7), ("tiktoken is great!", 6)],
)
def test_tokens_are_those_of_o200k(text: str, tokens: int) -> None:
    assert count(text) == tokens


@pytest.mark.parametrize("before", ["", "/nowhere/at/all"])
def test_loading_the_table_leaves_the_environment_as_it_was(before: str) -> None:
    code = "import os; from retrieval.text.tokens import count; count('a'); print(os.environ.get('TIKTOKEN_CACHE_DIR', 'unset'))"
    environment = {name: value for name, value in os.environ.items() if name != "TIKTOKEN_CACHE_DIR"}
    environment |= {"TIKTOKEN_CACHE_DIR": before} if before else {}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (before or "unset")


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


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What does it cost to hire a boat?", "en"),
        ("Was kostet ein Boot?", "de"),
        ("¿Cuánto cuesta un barco?", "es"),
        ("Quels sont vos horaires ?", "fr"),
        ("東京へ行きたいです", "ja"),
        ("世界上最高的山是哪座", "zh"),
        ("얼마예요?", "ko"),
        ("Сколько стоит лодка?", "ru"),
        ("Скільки коштує човен і де її взяти?", "uk"),
        ("كم سعر القارب؟", "ar"),
        ("Πόσο κοστίζει;", "el"),
        ("Wie lange dauert die Fahrt zum Leuchtturm und zurück, und was sollen wir dafür mitbringen?", "de"),
    ],
)
def test_the_language_of_a_question_is_told(text: str, language: str) -> None:
    assert detect(text) == language


def test_a_hint_decides_where_the_text_does_not() -> None:
    assert detect("ok", hint="de-AT") == "de"
    assert detect("42", among=["es", "de"]) == "es"
    assert detect("42") == "en"
    assert detect("قیمت قایق چند است؟", hint="fa") == "fa"


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80), st.sampled_from(["en", "de", "ja", "xx", ""]))
def test_any_text_has_words_terms_and_a_language(text: str, language: str) -> None:
    assert all(isinstance(word, str) for word in words(text, language))
    forms = [form for term in terms(text, language, ["de", "en"]) for form in term.forms]
    assert quoted(forms).count('"') == 2 * len(forms)
    assert detect(text)
