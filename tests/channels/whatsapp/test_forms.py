"""What Twilio posts becomes a message."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.messages import Message
from channels.whatsapp.forms import as_raw, ends, parse

BASE = {
    "From": "whatsapp:+447700900123",
    "To": "whatsapp:+441632960000",
    "WaId": "447700900123",
    "Body": "Hi",
}
CHAT = "whatsapp:+447700900123|whatsapp:+441632960000"


def read(**fields: str) -> Message:
    return parse(as_raw({**BASE, **fields}.items()))


def test_a_text_is_a_message_in_the_chat_of_both_addresses() -> None:
    assert read(ProfileName="Ann") == Message("whatsapp", CHAT, "447700900123", "Hi", name="Ann")
    assert ends(CHAT) == ("whatsapp:+447700900123", "whatsapp:+441632960000")


def test_a_person_without_a_phone_number_is_known_by_the_opaque_id() -> None:
    sender = "whatsapp:US.13491208655302741918"
    said = read(From=sender, WaId="", ExternalUserId=sender)
    assert said.visitor == sender
    assert ends(said.chat_id)[0] == sender
    assert read(From=sender, WaId="").visitor == sender
    assert read(ExternalUserId="whatsapp:US.1").visitor == "whatsapp:US.1"


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/reset", "reset"),
        ("Reset", "reset"),
        ("/help", "help"),
        ("HELP", "help"),
        ("/start", "start"),
        ("start", "start"),
        (" Stop ", "stop"),
        ("UNSUBSCRIBE", "stop"),
        ("Abmelden", "stop"),
        ("Arrêt", "stop"),
        ("baja", "stop"),
    ],
)
def test_a_word_alone_is_a_command(text: str, command: str) -> None:
    said = read(Body=text)
    assert (said.kind, said.command, said.text) == ("command", command, "")


@pytest.mark.parametrize("text", ["stop by tomorrow?", "help me", "cancel", "end", "reset my password", "/prices"])
def test_other_words_are_text(text: str) -> None:
    said = read(Body=text)
    assert (said.kind, said.text) == ("text", text)


@pytest.mark.parametrize(("text", "rating"), [("👍", 1), ("👍🏽", 1), ("👎", -1), ("👎🏿", -1), ("👍\ufe0f", 1)])
def test_a_thumb_alone_rates_the_last_turn(text: str, rating: int) -> None:
    said = read(Body=text)
    assert (said.kind, said.rating, said.turn_id) == ("feedback", rating, "")


def test_a_thumb_in_a_sentence_is_text() -> None:
    assert read(Body="👍 thanks").kind == "text"


def test_media_without_words_are_unsupported_and_with_words_are_text() -> None:
    picture = {"NumMedia": "1", "MediaUrl0": "http://evil.example/x", "MediaContentType0": "image/png"}
    assert read(Body="", **picture).kind == "unsupported"
    assert read(Body="Is this yours?", **picture).text == "Is this yours?"
    assert read(Body="", Latitude="1", Longitude="2").kind == "unsupported"


def test_buttons_and_lists_say_their_words() -> None:
    assert read(Body="", ButtonText="Yes, please").text == "Yes, please"
    assert read(Body="", ListId="3", ListTitle="Kayak").text == "Kayak"


def test_unknown_and_repeated_names_are_kept_and_the_first_counts() -> None:
    raw = as_raw([*BASE.items(), ("Body", "second"), ("NewField", "")])
    assert ["NewField", ""] in json.loads(raw)
    assert parse(raw).text == "Hi"


@pytest.mark.parametrize("raw", ["{", "3", "[]", '[["From", "x"]]', "[1]", "null", '{"From": 1}'])
def test_junk_is_a_value_error(raw: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the type is the contract
        parse(raw)


@given(st.lists(st.lists(st.text(max_size=4) | st.integers(), max_size=3), max_size=4))
def test_any_json_is_a_message_or_a_value_error(value: Any) -> None:
    try:
        parse(json.dumps(value))
    except ValueError:
        return
