"""The Telegram channel: everything about Telegram's Bot API, behind `bot.messages.Channel`.

settings.py  the section of the file, and doctor's look at it
updates.py   an update → Message                 pure
markup.py    Markdown → text and entities        pure
render.py    Reply → parts within the limits     pure
receive.py   webhook and long polling → inbox
live.py      typing and streaming by edits
send.py      one part → Telegram, errors by what they say
channel.py   the class that the declaration makes
"""

from __future__ import annotations

from bot.messages import Channel, Declaration, Inbox, Setup
from channels.telegram.settings import API, OFFICIAL, SECRET, TOKEN, TelegramSettings, check, is_set_up


def _make(setup: Setup, inbox: Inbox) -> Channel:
    from channels.telegram.channel import Telegram  # aiogram takes seconds and 120 MB: only where it is used

    return Telegram(
        setup.settings,
        setup.config.secret(TOKEN),
        setup.config.secret(SECRET),
        inbox,
        api=setup.config.addresses.get(API, OFFICIAL),
        public_url=setup.config.server.public_url,
    )


DECLARATION = Declaration(
    "telegram",
    TelegramSettings,
    is_set_up,
    _make,
    check,
    secrets={
        TOKEN: "the bot's token, from @BotFather",
        SECRET: "what a webhook is checked by: 1 to 256 of A-Z a-z 0-9 _ -",
    },
    addresses={API: "the Bot API's server, for one of your own"},
)
