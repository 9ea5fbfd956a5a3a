"""One part to one chat by Twilio's API, and what its errors mean for the delivery.

Creating a message has no key that makes it safe to repeat: when Twilio took the request and its answer is
missing, the outcome is unknown and the part is not sent again.
"""

from __future__ import annotations

import asyncio
import base64
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from twilio.base.exceptions import (  # type: ignore[import-untyped]
    TwilioRestException,
    TwilioServiceException,
)
from twilio.http.async_http_client import AsyncTwilioHttpClient  # type: ignore[import-untyped]
from twilio.http.response import Response  # type: ignore[import-untyped]
from twilio.rest import Client  # type: ignore[import-untyped]

from bot.errors import SendError

ERROR_REASONS = {
    20003: "Twilio refuses FRONTDESK_TWILIO_ACCOUNT_SID with FRONTDESK_TWILIO_AUTH_TOKEN; check both",
    21211: "the visitor's address isn't valid",
    21408: "the account may not send to this region",
    21610: "the visitor has opted out",
    21617: "the text is too long",
    63003: "the address isn't on WhatsApp",
    63005: "WhatsApp refuses the content",
    63007: "the sender isn't a WhatsApp sender of this account; check channels.whatsapp.sender",
    63013: "WhatsApp refuses it by its policy",
    63014: "the visitor has blocked the business",
    63016: "more than 24 hours since the visitor's last message; only a template may be sent",
    63018: "the sender's rate limit is reached",
    63024: "the visitor can't receive WhatsApp messages",
}
OUTCOME_UNKNOWN = "Twilio's answer is missing; whether the part was sent is unknown, so it isn't sent again"


class Http(AsyncTwilioHttpClient):  # type: ignore[misc]  # twilio has no types
    """The twilio client's transport: to another server when `api` is set, and silent.

    Credentials travel in a header of ours: twilio's own way is deprecated in aiohttp 3.14 and gone in 4.

    Every request has its own connection: on a kept one that the server just closed, nobody could tell
    whether a message was taken. Twilio's log lines would show addresses of customers.
    """

    def __init__(self, api: str = "") -> None:
        super().__init__(pool_connections=False)
        self.session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=True))
        self._api = api.rstrip("/")

    async def request(
        self, method: str, url: str, *, headers: dict[str, str], auth: tuple[str, str], **rest: Any
    ) -> Response:
        """Send a request, to the same path of `api`."""
        parts = urlsplit(url)
        if self._api:
            url = self._api + parts.path + (f"?{parts.query}" if parts.query else "")
        credentials = base64.b64encode(":".join(auth).encode()).decode()
        headers = {**headers, "Authorization": f"Basic {credentials}"}
        return await super().request(method, url, headers=headers, **rest)

    def log_request(self, kwargs: dict[str, Any]) -> None:
        """Log nothing."""

    def log_response(self, status_code: int, response: Any) -> None:
        """Log nothing."""


async def deliver(client: Client, body: str, *, sender: str, to: str, status_callback: str, seconds: float) -> str:
    """Create the message within so many seconds and return its sid; raises SendError."""
    try:
        async with asyncio.timeout(seconds):
            message = await client.messages.create_async(
                to=to, from_=sender, body=body, status_callback=status_callback
            )
    except (TwilioRestException, TwilioServiceException) as error:
        raise failure(int(error.status), int(error.code or 0)) from None
    except aiohttp.ClientConnectorError:
        raise SendError("Twilio can't be reached") from None
    except (TimeoutError, aiohttp.ClientError, ValueError):
        raise SendError(OUTCOME_UNKNOWN, permanent=True) from None
    return str(message.sid)


def failure(status: int, code: int) -> SendError:
    """What an HTTP status and Twilio's own code mean for the delivery."""
    if status == 429 or code in (20429, 63018):
        return SendError("Twilio asks to slow down")
    if status >= 500:
        return SendError(f"Twilio failed with HTTP {status}")
    return SendError(f"Twilio refuses the message: {reason(code)}", permanent=True)


def reason(code: int) -> str:
    """An error code in words, with its number."""
    return f"{ERROR_REASONS.get(code, 'see twilio.com/docs/api/errors')} ({code})"
