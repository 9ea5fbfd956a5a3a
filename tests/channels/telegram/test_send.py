"""A part reaches its chat, and every error says what to do next."""

from __future__ import annotations

import logging
import traceback
from typing import Any

import pytest

from bot.errors import SendError
from bot.messages import Citation, Reply
from channels.telegram.channel import Telegram
from channels.telegram.settings import TelegramSettings as Settings
from tests.channels.recording import FakeInbox, asked
from tests.standins.fake_telegram import FakeTelegram


async def refused(channel: Telegram, chat_id: str = "77", **part: Any) -> SendError:
    with pytest.raises(SendError) as caught:
        await channel.send(asked(chat_id), {"text": "Hello", **part})
    return caught.value


async def test_a_reply_arrives_as_rendered(channel: Telegram, telegram: FakeTelegram) -> None:
    page = Citation(1, "Opening hours", "https://a.b/open", "…")
    (part,) = channel.render(Reply("**Nine** [1]", citations=(page,), turn_id="t", rateable=True), asked())
    number = await channel.send(asked("77"), part)
    (message,) = telegram.sent
    assert number == str(message["message_id"])
    assert {key: message[key] for key in ("text", "entities", "reply_markup")} == {
        key: part[key] for key in ("text", "entities", "reply_markup")
    }
    (call,) = telegram.called("sendMessage")
    assert call["link_preview_options"] == {"is_disabled": True}
    assert "parse_mode" not in call
    assert "message_thread_id" not in call


async def test_choices_arrive_as_a_keyboard(channel: Telegram, telegram: FakeTelegram) -> None:
    await channel.send(asked("77"), channel.render(Reply("Which?", choices=("A", "B")), asked())[0])
    assert telegram.sent[0]["reply_markup"]["keyboard"] == [[{"text": "A"}], [{"text": "B"}]]


async def test_each_answer_lands_in_its_own_topic(channel: Telegram, telegram: FakeTelegram) -> None:
    for chat_id in ("-100:7", "-100:9", "-100"):
        await channel.send(asked(chat_id), {"text": chat_id})
    assert [(item["text"], item["topic"]) for item in telegram.sent] == [
        ("-100:7", 7),
        ("-100:9", 9),
        ("-100", None),
    ]


@pytest.mark.parametrize("text", ["* item", "snake_case", "1 < 2", "[x](", "```", "**bold", "&", "\\", "<ul>"])
async def test_any_text_of_a_model_arrives(channel: Telegram, telegram: FakeTelegram, text: str) -> None:
    for part in channel.render(Reply(text), asked()):
        await channel.send(asked("77"), part)
    assert len(telegram.called("sendMessage")) == len(telegram.sent)


@pytest.mark.parametrize(
    ("status", "description", "parameters", "permanent", "retry_after"),
    [
        (429, "Too Many Requests: retry after 7", {"retry_after": 7}, False, 7.0),
        (429, "Too Many Requests", {}, False, 5.0),
        (403, "Forbidden: bot was blocked by the user", {}, True, None),
        (403, "Forbidden: user is deactivated", {}, True, None),
        (401, "Unauthorized", {}, True, None),
        (404, "Not Found", {}, True, None),
        (500, "Internal Server Error", {}, False, None),
        (409, "Conflict", {}, False, None),
    ],
)
async def test_errors_are_told_apart(
    channel: Telegram,
    telegram: FakeTelegram,
    status: int,
    description: str,
    parameters: dict[str, Any],
    permanent: bool,
    retry_after: float | None,
) -> None:
    telegram.fail("sendMessage", status, description, **parameters)
    error = await refused(channel, entities=[{"type": "bold", "offset": 0, "length": 5}])
    assert (error.permanent, error.retry_after, error.moved_to) == (permanent, retry_after, None)
    assert len(telegram.called("sendMessage")) == 1
    assert str(error)


async def test_a_page_of_html_is_tried_again_later(channel: Telegram, telegram: FakeTelegram) -> None:
    telegram.fail("sendMessage", 502, html=True)
    error = await refused(channel)
    assert not error.permanent


async def test_a_lost_connection_is_tried_again_later(channel: Telegram, telegram: FakeTelegram) -> None:
    telegram.fail("sendMessage", 500, reset=True, times=3)
    error = await refused(channel)
    assert not error.permanent


@pytest.mark.parametrize(("chat_id", "part"), [("no number", {}), ("77", {"entities": [{"type": 3}]})])
async def test_what_can_never_be_sent_is_given_up(
    channel: Telegram, telegram: FakeTelegram, chat_id: str, part: dict[str, Any]
) -> None:
    assert (await refused(channel, chat_id, **part)).permanent
    assert telegram.called("sendMessage") == []


async def test_a_group_that_moved_says_where_to(channel: Telegram, telegram: FakeTelegram) -> None:
    description = "Bad Request: group chat was upgraded to a supergroup chat"
    telegram.fail("sendMessage", 400, description, migrate_to_chat_id=-1009)
    error = await refused(channel, "-9")
    assert (error.moved_to, error.permanent) == ("-1009", False)


async def test_refused_markup_is_sent_once_as_plain_text(channel: Telegram, telegram: FakeTelegram) -> None:
    part = channel.render(Reply("**Hello** 1 < 2", turn_id="t", rateable=True), asked())[0]
    telegram.fail("sendMessage", 400, "Bad Request: can't parse entities: unexpected end")
    await channel.send(asked("77"), part)
    assert (telegram.sent[0]["text"], telegram.sent[0]["entities"]) == ("Hello 1 < 2", [])


async def test_what_is_refused_as_plain_text_too_is_given_up(channel: Telegram, telegram: FakeTelegram) -> None:
    telegram.fail("sendMessage", 400, "Bad Request: can't parse entities: again", times=9)
    error = await refused(channel, entities=[])
    assert error.permanent
    assert "again" in str(error)
    assert len(telegram.called("sendMessage")) == 2


async def test_a_private_topic_that_is_gone_falls_back_to_the_chat(channel: Telegram, telegram: FakeTelegram) -> None:
    telegram.fail("sendMessage", 400, "Bad Request: message thread not found")
    await channel.send(asked("77:3"), {"text": "Hello"})
    assert telegram.sent[0]["topic"] is None


async def test_a_group_topic_that_is_gone_is_given_up(channel: Telegram, telegram: FakeTelegram) -> None:
    telegram.fail("sendMessage", 400, "Bad Request: message thread not found")
    assert (await refused(channel, "-77:3")).permanent


async def test_the_token_is_in_no_log_and_no_error(inbox: FakeInbox, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    made = Telegram(Settings(), "1:very-secret", "", inbox, api="http://127.0.0.1:9")
    made.ready_seconds = 0.1
    async with made.opened():
        try:
            await made.send(asked("77"), {"text": "Hello"})
        except SendError as error:
            told = "".join(traceback.format_exception(error))
    assert "could not be reached" in told
    assert "very-secret" not in told + caplog.text
