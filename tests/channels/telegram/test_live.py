"""What a person sees while an answer is written, and that it ends as the one right message."""

from __future__ import annotations

import asyncio

import pytest

from bot.errors import SendError
from bot.messages import Delta, Done, Reply, Start
from channels.telegram.channel import Telegram
from channels.telegram.live import EditPace
from channels.telegram.settings import TelegramSettings as Settings
from tests.channels.recording import FakeInbox, asked
from tests.standins.fake_telegram import FakeTelegram

LONG = "We open at nine in the morning, every day of the week. "


@pytest.fixture(autouse=True)
def quick(channel: Telegram) -> None:
    channel.pace = EditPace(edit=0.1, typing=0.1)


async def finish(channel: Telegram, reply: Reply) -> None:
    await channel.show("77", Done(reply))
    for part in channel.render(reply, asked()):
        await channel.send(asked("77"), part)


async def test_typing_is_shown_from_start_to_done(channel: Telegram, telegram: FakeTelegram) -> None:
    await channel.show("77:3", Start(("1",)))
    await telegram.until(lambda: len(telegram.called("sendChatAction")) >= 3)
    await channel.show("77:3", Done(Reply("x")))
    await asyncio.sleep(0.05)
    count = len(telegram.called("sendChatAction"))
    await asyncio.sleep(0.3)
    assert len(telegram.called("sendChatAction")) == count
    assert telegram.called("sendChatAction")[0]["message_thread_id"] == "3"


async def test_the_answer_grows_in_one_message_and_ends_complete(channel: Telegram, telegram: FakeTelegram) -> None:
    await channel.show("77", Start(("1",)))
    for _ in range(8):
        await channel.show("77", Delta(LONG))
        await asyncio.sleep(0.05)
    await telegram.until(lambda: telegram.sent and telegram.sent[0]["edits"])
    await finish(channel, Reply(LONG * 8 + "**Done.**", turn_id="t", rateable=True))
    (message,) = telegram.sent
    assert message["text"] == LONG * 8 + "Done."
    assert message["reply_markup"]
    assert len(telegram.called("editMessageText")) <= 6


async def test_nothing_is_shown_before_there_is_enough_to_read(channel: Telegram, telegram: FakeTelegram) -> None:
    await channel.show("77", Delta("We open"))
    await asyncio.sleep(0.2)
    assert telegram.sent == []
    await finish(channel, Reply("We open at nine."))
    assert [item["text"] for item in telegram.sent] == ["We open at nine."]


async def test_tokens_without_visible_change_are_not_edits(channel: Telegram, telegram: FakeTelegram) -> None:
    await channel.show("77", Delta(LONG))
    await telegram.until(lambda: telegram.sent)
    for _ in range(10):
        await channel.show("77", Delta(" \n"))
        await asyncio.sleep(0.05)
    assert telegram.called("editMessageText") == []


async def test_an_unmodified_final_text_is_success(channel: Telegram, telegram: FakeTelegram) -> None:
    await channel.show("77", Delta(LONG))
    await telegram.until(lambda: telegram.sent)
    await finish(channel, Reply(LONG))
    assert [item["edits"] for item in telegram.sent] == [0]


async def test_without_streaming_only_the_final_text_is_sent(telegram: FakeTelegram, inbox: FakeInbox) -> None:
    made = Telegram(Settings(stream=False), telegram.token, "", inbox, api=telegram.url)
    async with made.opened():
        await made.show("77", Start(("1",)))
        await made.show("77", Delta(LONG))
        await asyncio.sleep(0.1)
        assert telegram.sent == []
        await finish(made, Reply(LONG))
    assert len(telegram.called("sendMessage")) == 1


async def test_a_429_ends_the_stream_and_the_final_text_still_takes_the_message(
    channel: Telegram, telegram: FakeTelegram
) -> None:
    await channel.show("77", Delta(LONG))
    await telegram.until(lambda: telegram.sent)
    telegram.fail("editMessageText", 429, "Too Many Requests: retry after 7", retry_after=7, times=2)
    await channel.show("77", Delta(LONG))
    await telegram.until(lambda: telegram.called("editMessageText"))
    await channel.show("77", Delta(LONG))
    await asyncio.sleep(0.3)
    assert len(telegram.called("editMessageText")) == 1
    with pytest.raises(SendError) as caught:
        await finish(channel, Reply(LONG * 3))
    assert caught.value.retry_after == 7
    await channel.send(asked("77"), channel.render(Reply(LONG * 3), asked())[0])
    assert [item["text"] for item in telegram.sent] == [(LONG * 3).strip()]


async def test_a_streamed_message_that_was_deleted_is_sent_anew(channel: Telegram, telegram: FakeTelegram) -> None:
    await channel.show("77", Delta(LONG))
    await telegram.until(lambda: telegram.sent)
    telegram.sent.clear()
    await finish(channel, Reply("The whole answer."))
    assert [item["text"] for item in telegram.sent] == ["The whole answer."]


async def test_a_long_answer_goes_on_in_new_messages(channel: Telegram, telegram: FakeTelegram) -> None:
    text = LONG * 150
    await channel.show("77", Delta(text))
    await telegram.until(lambda: telegram.sent)
    await finish(channel, Reply(text))
    assert len(telegram.sent) == 3
    assert "".join("".join(item["text"].split()) for item in telegram.sent) == "".join(text.split())


async def test_choices_replace_a_streamed_message(channel: Telegram, telegram: FakeTelegram) -> None:
    await channel.show("77", Delta(LONG))
    await telegram.until(lambda: telegram.sent)
    await finish(channel, Reply("Which?", choices=("A", "B")))
    assert [item["text"] for item in telegram.sent] == ["Which?"]
    assert len(telegram.deleted) == 1


async def test_the_next_turn_has_a_message_of_its_own(channel: Telegram, telegram: FakeTelegram) -> None:
    for number in (1, 2):
        await channel.show("77", Start((str(number),)))
        await channel.show("77", Delta(LONG))
        await telegram.until(lambda number=number: len(telegram.sent) == number)  # type: ignore[misc]
        await finish(channel, Reply(f"Answer {number}"))
    assert [item["text"] for item in telegram.sent] == ["Answer 1", "Answer 2"]


async def test_two_chats_do_not_mix(channel: Telegram, telegram: FakeTelegram) -> None:
    for chat in ("77", "88"):
        await channel.show(chat, Delta(f"{chat}: {LONG}"))
    await telegram.until(lambda: len(telegram.sent) == 2)
    for chat in ("88", "77"):
        await channel.send(asked(chat), {"text": f"final {chat}"})
    assert {item["chat_id"]: item["text"] for item in telegram.sent} == {77: "final 77", 88: "final 88"}


async def test_what_fails_while_showing_is_never_raised(channel: Telegram, telegram: FakeTelegram) -> None:
    telegram.fail("sendChatAction", 403, "Forbidden: bot was blocked by the user")
    telegram.fail("sendMessage", 502, html=True)
    await channel.show("77", Start(("1",)))
    await channel.show("77", Delta(LONG))
    await telegram.until(lambda: telegram.called("sendMessage") and telegram.called("sendChatAction"))
    await finish(channel, Reply("The answer."))
    assert [item["text"] for item in telegram.sent] == ["The answer."]
