"""What Telegram sends becomes a message, or nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.messages import Message
from channels.telegram.updates import Me, parse, place

ME = Me(4242, "Fake_Bot")
ANN = {"id": 77, "is_bot": False, "first_name": "Ann", "last_name": "Lee", "language_code": "pt-BR"}
PRIVATE = {"id": 77, "type": "private"}
GROUP = {"id": -100123, "type": "supergroup"}


def read(message: dict[str, Any]) -> Message | None:
    base = {"message_id": 1, "date": 1, "from": ANN, "chat": PRIVATE}
    return parse(json.dumps({"update_id": 1, "message": {**base, **message}}), ME)


def entity(kind: str, offset: int, length: int, **extra: Any) -> dict[str, Any]:
    return {"type": kind, "offset": offset, "length": length, **extra}


def command(text: str, **fields: Any) -> Message | None:
    return read({"text": text, "entities": [entity("bot_command", 0, len(text.split()[0]))], **fields})


def test_a_private_text_is_a_message() -> None:
    assert read({"text": "When do you open?"}) == Message(
        "telegram", "77", "77", "When do you open?", language="pt", name="Ann Lee"
    )


@pytest.mark.parametrize("word", ["/start", "/Start@FAKE_bot", "/start@fake_bot"])
def test_a_command_for_this_bot_is_read_whatever_its_case(word: str) -> None:
    said = command(f"{word} c2hvcA")
    assert said
    assert (said.kind, said.command, said.text) == ("command", "start", "c2hvcA")


def test_a_command_for_another_bot_is_ignored() -> None:
    assert command("/start@other_bot") is None
    assert command("/start@other_bot", chat=GROUP) is None


def test_a_slash_without_an_entity_is_text() -> None:
    said = read({"text": "/usr/bin is a folder"})
    assert said
    assert said.kind == "text"


def test_in_a_group_only_our_own_bare_commands_are_ours() -> None:
    known, unknown = command("/reset", chat=GROUP), command("/weather", chat=GROUP)
    assert known
    assert known.command == "reset"
    assert unknown is None


def test_an_edited_command_does_not_run_again() -> None:
    edited = {"message_id": 1, "from": ANN, "chat": PRIVATE, "text": "/reset"}
    assert parse(json.dumps({"update_id": 2, "edited_message": edited}), ME) is None


def test_a_mention_is_cut_by_utf16_units() -> None:
    text = "😀😀 @fake_bot hi"
    said = read({"text": text, "chat": GROUP, "entities": [entity("mention", 5, 9)]})
    assert said
    assert (said.text, said.chat_id) == ("😀😀 hi", "-100123")


def test_a_mention_by_id_and_a_reply_to_us_are_addressed_to_us() -> None:
    by_id = entity("text_mention", 0, 4, user={"id": 4242})
    assert read({"text": "Fake hi", "chat": GROUP, "entities": [by_id]})
    assert read({"text": "and Sunday?", "chat": GROUP, "reply_to_message": {"from": {"id": 4242}}})


def test_other_talk_in_a_group_is_ignored() -> None:
    assert read({"text": "lunch?", "chat": GROUP}) is None
    assert read({"text": "@someone hi", "chat": GROUP, "entities": [entity("mention", 0, 8)]}) is None
    assert read({"photo": [{}], "chat": GROUP}) is None
    opening = {"from": {"id": 4242}, "forum_topic_created": {"name": "x"}}
    assert read({"text": "hi", "chat": GROUP, "reply_to_message": opening}) is None


def test_a_bare_mention_asks_for_help() -> None:
    said = read({"text": "@fake_bot", "chat": GROUP, "entities": [entity("mention", 0, 9)]})
    assert said
    assert (said.kind, said.command) == ("command", "help")


@pytest.mark.parametrize(
    ("fields", "chat_id"),
    [
        ({"message_thread_id": 7, "is_topic_message": True}, "77:7"),
        ({"message_thread_id": 1, "is_topic_message": True}, "77"),
        ({"message_thread_id": 7}, "77"),
    ],
)
def test_a_topic_is_part_of_the_chat_but_general_and_reply_threads_are_not(
    fields: dict[str, Any], chat_id: str
) -> None:
    said = read({"text": "hi", **fields})
    assert said
    assert said.chat_id == chat_id


@pytest.mark.parametrize("kind", ["voice", "photo", "sticker", "document", "location", "video_note"])
def test_media_without_words_are_unsupported(kind: str) -> None:
    said = read({kind: {}})
    assert said
    assert said.kind == "unsupported"


def test_a_caption_is_what_was_said() -> None:
    said = read({"photo": [{}], "caption": "Is this for sale?"})
    assert said
    assert (said.kind, said.text) == ("text", "Is this for sale?")


@pytest.mark.parametrize(
    "update",
    [
        {"channel_post": {"chat": {"id": -1, "type": "channel"}, "text": "news"}},
        {"message_reaction": {"chat": PRIVATE, "new_reaction": [{"type": "brand_new"}]}},
        {"my_chat_member": {"chat": PRIVATE}},
        {"something_new": 1},
    ],
)
def test_what_is_no_message_gets_no_answer(update: dict[str, Any]) -> None:
    assert parse(json.dumps({"update_id": 1, **update}), ME) is None


def test_service_messages_and_other_bots_get_no_answer() -> None:
    assert read({"new_chat_members": [ANN]}) is None
    assert read({"migrate_to_chat_id": -100}) is None
    assert read({"text": "hi", "from": {"id": 9, "is_bot": True}}) is None
    assert read({"text": "hi", "is_automatic_forward": True}) is None


def test_an_anonymous_owner_of_a_group_is_its_chat() -> None:
    sender = {"from": {"id": 1087968824, "is_bot": True}, "sender_chat": {"id": -100123}}
    said = command("/help@fake_bot", chat=GROUP, **sender)
    assert said
    assert said.visitor == "-100123"


def tap(data: str, **message: Any) -> Message | None:
    body = {"message_id": 5, "date": 0, "chat": PRIVATE, **message}
    query = {"id": "9", "from": ANN, "data": data, "message": body}
    return parse(json.dumps({"update_id": 1, "callback_query": query}), ME)


def test_thumbs_rate_their_turn() -> None:
    up, down = tap("f:abc-1:u"), tap("f:abc-1:d")
    assert up
    assert down
    assert (up.kind, up.turn_id, up.rating, down.rating) == ("feedback", "abc-1", 1, -1)


@pytest.mark.parametrize("data", ["f::u", "f:a b:u", "f:abc:x", "x:1", "", "f:abc:u\n"])
def test_other_taps_mean_nothing(data: str) -> None:
    assert tap(data) is None


def test_a_tap_on_a_suggestion_says_its_words() -> None:
    rows = [[{"text": "Prices?", "callback_data": "s:0"}], [{"text": "Where?", "callback_data": "s:1"}]]
    said = tap("s:1", reply_markup={"inline_keyboard": rows})
    assert said
    assert (said.kind, said.text) == ("text", "Where?")


def test_a_lone_surrogate_can_be_stored() -> None:
    said = read({"text": "a \ud83d b"})
    assert said
    assert said.text == "a � b"


JUNK = [
    "{",
    "[]",
    '"x"',
    '{"message": 1}',
    '{"message": {"text": "x"}}',
    '{"callback_query": {"message": 3, "data": "f:a:u"}}',
]


@pytest.mark.parametrize("raw", JUNK)
def test_junk_is_a_value_error(raw: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the type is the contract
        parse(raw, ME)


def test_the_place_of_an_update_is_its_chat_and_topic() -> None:
    topic = {"chat": {"id": -5}, "message_thread_id": 3, "is_topic_message": True}
    assert place({"update_id": 1, "message": topic}) == "-5:3"
    assert place({"update_id": 1, "callback_query": {"message": topic}}) == "-5:3"
    assert place({"update_id": 1, "poll": {}}) == ""


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["message", "chat", "from", "text", "id", "entities", "type"]), inner)
    ),
    max_leaves=12,
)


@given(values)
def test_any_json_is_a_message_or_nothing_or_a_value_error(value: Any) -> None:
    try:
        parse(json.dumps(value), ME)
    except ValueError:
        return
