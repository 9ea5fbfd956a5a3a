"""The WhatsApp channel by way of Twilio, behind `bot.messages.Channel`.

forms.py     a webhook's form → Message                    pure
markup.py    Markdown → WhatsApp's own marks, cut to size   pure
send.py      one part → Twilio, errors by their codes
channel.py   the class that the application constructs, and its two webhooks
"""

from channels.whatsapp.channel import WhatsApp

__all__ = ["WhatsApp"]
