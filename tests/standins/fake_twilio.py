"""Twilio on loopback: takes messages by its REST API, and posts signed webhooks to the bot.

async with FakeTwilio(public="https://bot.example", local="http://127.0.0.1:8123") as twilio:
    WhatsApp(config, twilio.account_sid, twilio.auth_token, inbox, public_url=twilio.public, api=twilio.url)
    await twilio.post_text("Hello")           # the webhook's HTTP status
    twilio.sent                               # the messages that the bot created, as forms with their sid
    await twilio.progress(twilio.sent[0]["sid"], "sent", "delivered")
    twilio.fail(429, 20429, "Too Many Requests")
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import ClientSession, web

from tests.standins.server import StandIn

VISITOR = "whatsapp:+447700900123"
BUSINESS = "whatsapp:+441632960000"
Pairs = Sequence[tuple[str, str]]


@dataclass
class Fault:
    """An answer out of the ordinary, after `seconds`; `taken` when the message is created all the same."""

    status: int
    code: int
    message: str
    html: bool = False
    reset: bool = False
    seconds: float = 0
    taken: bool = False


class FakeTwilio(StandIn):
    """One account, the messages that it was asked to send, and the visitors who write to it."""

    def __init__(self, public: str = "https://bot.example", local: str = "") -> None:
        self.account_sid = "AC" + "0" * 32
        self.auth_token = "stand-in-auth-token"
        self.public = public
        self.local = local or public
        self.sent: list[dict[str, str]] = []
        self.attempts = 0
        self._faults: list[Fault] = []
        self._numbers = itertools.count(1)
        super().__init__(web.post("/2010-04-01/Accounts/{sid}/Messages.json", self._create))

    # What visitors do, and what becomes of messages.

    def form(self, text: str = "", sender: str = VISITOR, **fields: str) -> dict[str, str]:
        """A message of a visitor as Twilio's webhook puts it."""
        sid = f"SM{next(self._numbers):032x}"
        form = {"MessageSid": sid, "SmsSid": sid, "SmsMessageSid": sid, "AccountSid": self.account_sid}
        form |= {"From": sender, "To": BUSINESS, "Body": text, "NumMedia": "0", "NumSegments": "1"}
        form |= {
            "SmsStatus": "received",
            "ApiVersion": "2010-04-01",
            "ProfileName": "Ann",
            "MessageType": "text",
        }
        number = sender.removeprefix("whatsapp:+")
        return form | ({"WaId": number} if number.isdecimal() else {}) | fields

    async def post_text(self, text: str, sender: str = VISITOR, **fields: str) -> int:
        """A visitor writes; returns the HTTP status of the bot's webhook."""
        return await self.post("/whatsapp/webhook", list(self.form(text, sender, **fields).items()))

    async def progress(self, sid: str, *states: str, error_code: str = "") -> None:
        """Tell the bot what became of one of its messages."""
        for state in states:
            form = {"MessageSid": sid, "MessageStatus": state, "AccountSid": self.account_sid}
            form |= {"ErrorCode": error_code} if error_code else {}
            await self.post("/whatsapp/status", list(form.items()))

    async def post(self, path: str, pairs: Pairs, signature: str | None = None) -> int:
        """Post a form, signed for the public address, to the local one."""
        signature = self.sign(self.public + path, pairs) if signature is None else signature
        async with ClientSession() as session:
            headers = {"X-Twilio-Signature": signature}
            async with session.post(self.local + path, data=pairs, headers=headers) as response:
                return response.status

    def sign(self, url: str, pairs: Pairs) -> str:
        """Twilio's signature, by its documentation and without its library."""
        text = url + "".join(name + value for name, value in sorted(set(pairs)))
        digest = hmac.new(self.auth_token.encode(), text.encode(), hashlib.sha1).digest()
        return base64.b64encode(digest).decode()

    # What goes wrong.

    def fail(
        self,
        status: int,
        code: int = 0,
        message: str = "",
        *,
        times: int = 1,
        html: bool = False,
        reset: bool = False,
        seconds: float = 0,
        taken: bool = False,
    ) -> None:
        """The next messages are answered like this."""
        self._faults += [Fault(status, code, message, html, reset, seconds, taken)] * times

    # What the bot calls.

    async def _create(self, request: web.Request) -> web.Response:
        self.attempts += 1
        credentials = base64.b64encode(f"{self.account_sid}:{self.auth_token}".encode()).decode()
        if request.headers.get("Authorization") != f"Basic {credentials}":
            return _error(401, 20003, "Authenticate")
        form = {name: str(value) for name, value in (await request.post()).items()}
        fault = self._faults.pop(0) if self._faults else None
        if fault is None or fault.taken:
            form["sid"] = f"SM{next(self._numbers):032x}"
        if fault:
            await asyncio.sleep(fault.seconds)
        return self._answer(request, form, fault)

    def _answer(self, request: web.Request, form: dict[str, str], fault: Fault | None) -> web.Response:
        if "sid" in form:
            self.sent.append(form)
        if fault is None:
            return self._checked(form)
        if fault.reset and request.transport:
            request.transport.abort()
        if fault.html:
            return web.Response(status=fault.status, text="<html>Bad Gateway</html>", content_type="text/html")
        return _error(fault.status, fault.code, fault.message)

    def _checked(self, form: dict[str, str]) -> web.Response:
        """A message as created, unless Twilio would refuse it."""
        if missing := [name for name in ("To", "From", "Body") if not form.get(name)]:
            self.sent.remove(form)
            return _error(400, 21604, f"{missing[0]} is required")
        if len(form["Body"]) > 1600:
            self.sent.remove(form)
            return _error(400, 21617, "The concatenated message body exceeds the 1600 character limit")
        body = {"sid": form["sid"], "status": "queued", "to": form["To"], "from": form["From"]}
        return web.json_response(body | {"body": form["Body"], "account_sid": self.account_sid}, status=201)


def _error(status: int, code: int, message: str) -> web.Response:
    more = f"https://www.twilio.com/docs/errors/{code}"
    return web.json_response({"code": code, "message": message, "more_info": more, "status": status}, status=status)
