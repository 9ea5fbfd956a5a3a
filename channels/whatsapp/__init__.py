"""The WhatsApp channel by way of Twilio, behind `bot.messages.Channel`.

settings.py  the section of the file, and doctor's look at it
forms.py     a webhook's form → Message                    pure
markup.py    Markdown → WhatsApp's own marks, cut to size   pure
send.py      one part → Twilio, errors by their codes
channel.py   the class that the declaration makes, and its two webhooks
"""

from __future__ import annotations

from bot.messages import Channel, Declaration, Inbox, Setup
from channels.whatsapp.settings import ACCOUNT, API, TOKEN, WhatsAppSettings, check, is_set_up


def _make(setup: Setup, inbox: Inbox) -> Channel:
    from channels.whatsapp.channel import WhatsApp  # twilio takes a second to import: only where it is used

    return WhatsApp(
        setup.settings,
        setup.config.secret(ACCOUNT),
        setup.config.secret(TOKEN),
        inbox,
        public_url=setup.config.server.public_url,
        api=setup.config.addresses.get(API, ""),
    )


DECLARATION = Declaration(
    "whatsapp",
    WhatsAppSettings,
    is_set_up,
    _make,
    check,
    secrets={ACCOUNT: "the account that WhatsApp runs on at Twilio", TOKEN: "its token: signs webhooks and calls"},
    addresses={API: "Twilio's server, for a proxy of your own"},
)
