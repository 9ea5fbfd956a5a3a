"""The terminal: lines in, wrapped text out, nothing shown before it is whole."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest

from bot.messages import Citation, Delta, Message, Reply
from channels.terminal import LINE_CHARACTERS, PROMPT, Terminal
from tests.channels.recording import FakeInbox, asked

LONG = "The boathouse lends every guest a buoyancy vest, a dry bag and a map of the harbour with the tides. " * 3


class Ends:
    """What is typed, and what was printed."""

    def __init__(self, *lines: str) -> None:
        self._lines: Iterator[str] = iter([*lines, ""])
        self.printed = ""

    def read(self) -> str:
        return next(self._lines)

    def write(self, text: str) -> None:
        self.printed += text


class Answering(FakeInbox):
    """Answers each message, but no thumb, as the desk would."""

    terminal: Terminal

    async def accept(self, channel: str, platform_id: str, chat_id: str, raw: str) -> bool:
        new = await super().accept(channel, platform_id, chat_id, raw)
        message = self.terminal.parse(raw)
        if message and message.kind != "feedback":
            asyncio.get_running_loop().call_soon(self._answer, chat_id, message)
        return new

    def _answer(self, chat_id: str, message: Message) -> None:
        parts = self.terminal.render(Reply(f"re: {message.text or message.command}"), asked())
        self.sending = asyncio.gather(*(self.terminal.send(asked(chat_id), part) for part in parts))


def raw(text: str) -> str:
    return json.dumps({"chat": "terminal", "text": text})


@pytest.fixture
def terminal() -> Terminal:
    return Terminal(FakeInbox(), read=lambda: "", write=lambda _: None)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (" When are you open? ", {"text": "When are you open?"}),
        ("/Reset", {"kind": "command", "command": "reset"}),
        ("/ what is this", {"text": "/ what is this"}),
        ("👍", {"kind": "feedback", "rating": 1}),
        ("-1", {"kind": "feedback", "rating": -1}),
        ("1", {"text": "1"}),
    ],
)
def test_a_line_is_a_question_a_command_or_a_thumb(terminal: Terminal, text: str, fields: dict[str, object]) -> None:
    message = terminal.parse(raw(text))
    assert message is not None
    assert {name: getattr(message, name) for name in fields} == fields
    assert (message.channel, message.chat_id) == ("terminal", "terminal")


def test_an_empty_line_is_nothing(terminal: Terminal) -> None:
    assert terminal.parse(raw("  ")) is None


@pytest.mark.parametrize("junk", ["{", "[]", "{}", "null"])
def test_junk_raises_what_the_desk_puts_aside(terminal: Terminal, junk: str) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        terminal.parse(junk)


def test_a_reply_is_one_part_with_sources_choices_and_suggestions_below(terminal: Terminal) -> None:
    citation = Citation(1, "Prices", "https://harbour.example/prices", "It costs £24.")
    (part,) = terminal.render(
        Reply("It costs £24. [1]", citations=(citation,), choices=("Yes", "No"), suggestions=("Opening hours?",)),
        asked(),
    )
    assert part["text"].split("\n") == [
        "It costs £24. [1]",
        "  1. Yes",
        "  2. No",
        "  [1] Prices  https://harbour.example/prices",
        "  → Opening hours?",
    ]


def test_long_lines_are_wrapped_list_items_indented_and_tables_left_alone(terminal: Terminal) -> None:
    row = "| " + "x" * 150 + " |"
    (part,) = terminal.render(Reply(f"{LONG}\n\n- {LONG}\n\n{row}"), asked())
    lines = part["text"].split("\n")
    assert max(len(line) for line in lines if not line.startswith("|")) <= LINE_CHARACTERS
    assert row in lines
    item = next(at for at, line in enumerate(lines) if line.startswith("- "))
    assert lines[item + 1].startswith("  ")


def test_no_word_is_lost_in_wrapping(terminal: Terminal) -> None:
    (part,) = terminal.render(Reply(LONG), asked())
    assert part["text"].split() == LONG.split()


async def test_nothing_of_a_stream_is_printed() -> None:
    ends = Ends()
    await Terminal(FakeInbox(), ends.read, ends.write).show("terminal", Delta("half a"))
    assert ends.printed == ""


@pytest.mark.parametrize("last", ["", "/quit\n", "/exit\n"])
async def test_a_conversation_greets_answers_in_turn_and_ends(last: str) -> None:
    ends, inbox = Ends("Where are you?\n", "\n", "👎\n", last, "never read\n"), Answering()
    inbox.terminal = Terminal(inbox, ends.read, ends.write)
    async with asyncio.timeout(5), inbox.terminal.opened():
        await inbox.terminal.converse()
    assert ends.printed == (f"re: start\n\n{PROMPT}re: Where are you?\n\n{PROMPT}{PROMPT}(noted)\n{PROMPT}\n")
    assert [json.loads(text)["text"] for text in inbox.raws] == ["/start", "Where are you?", "👎"]
