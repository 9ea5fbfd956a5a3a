"""The Telegram channel: everything about Telegram's Bot API, behind `bot.messages.Channel`.

updates.py   an update → Message                 pure
markup.py    Markdown → text and entities        pure
render.py    Reply → parts within the limits     pure
receive.py   webhook and long polling → inbox
live.py      typing and streaming by edits
send.py      one part → Telegram, errors by what they say
channel.py   the class that the application constructs
"""

from channels.telegram.channel import Telegram

__all__ = ["Telegram"]
