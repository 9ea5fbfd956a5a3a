"""The WhatsApp channel by way of Twilio, as the application constructs it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Sequence
from urllib.parse import urlsplit

from aiohttp import web
from multidict import MultiDict
from twilio.request_validator import RequestValidator  # type: ignore[import-untyped]
from twilio.rest import Client  # type: ignore[import-untyped]

from bot.errors import ConfigError
from bot.messages import Event, Inbox, Message, Part, Reply
from channels.whatsapp import forms, markup
from channels.whatsapp.send import Http, deliver, reason
from channels.whatsapp.settings import WhatsAppSettings

log = logging.getLogger(__name__)

STATUS_PATH = "/whatsapp/status"
FORM_TYPE = "application/x-www-form-urlencoded"
DELIVERY_STATES = {
    "sent": "sent",
    "delivered": "delivered",
    "read": "read",
    "undelivered": "failed",
    "failed": "failed",
    "canceled": "failed",
}
"""Twilio's words for ours; those before `sent` say nothing new."""


class WhatsApp:
    """A door for WhatsApp: two webhooks in, Twilio's API out."""

    name = "whatsapp"
    send_seconds = 15.0
    """How long Twilio may take; the twilio client's own timeout isn't enforced when it is asynchronous."""
    between_parts = 1.0
    """Seconds between two parts of one chat: Twilio promises no order for messages that it queues."""

    def __init__(
        self,
        config: WhatsAppSettings,
        account_sid: str,
        auth_token: str,
        inbox: Inbox,
        *,
        public_url: str,
        api: str = "",
    ) -> None:
        """Raises ConfigError without a public address (signatures cover it) or with a sender that is none."""
        if problems := _problems(config, public_url, auth_token):
            raise ConfigError(problems)
        self.burst_seconds = config.burst_seconds
        self._config = config
        self._credentials = (account_sid, auth_token)
        self._validator = RequestValidator(auth_token)
        self._inbox = inbox
        self._public_url = public_url.rstrip("/")
        self._api = api
        self._http: Http | None = None
        self._sent_at: dict[str, float] = {}

    def parse(self, raw: str) -> Message | None:
        """A stored form as a message."""
        return forms.parse(raw)

    def render(self, reply: Reply, message: Message) -> list[Part]:
        """A reply in WhatsApp's own marks."""
        return markup.render(reply)

    async def send(self, message: Message, part: Part) -> str:
        """Send one part from the number that the visitor wrote to, and return its sid."""
        chat_id = message.chat_id
        await self._keep_order(chat_id)
        visitor, written_to = forms.ends(chat_id)
        sid = await deliver(
            self._client(),
            part["body"],
            sender=self._config.sender or written_to,
            to=visitor,
            status_callback=self._public_url + STATUS_PATH,
            seconds=self.send_seconds,
        )
        self._sent_at[chat_id] = asyncio.get_running_loop().time()
        return sid

    async def _keep_order(self, chat_id: str) -> None:
        """Let the chat's last part get ahead."""
        now = asyncio.get_running_loop().time()
        recent = {chat: at for chat, at in self._sent_at.items() if now - at < self.between_parts}
        self._sent_at = recent
        if chat_id in recent:
            await asyncio.sleep(recent[chat_id] + self.between_parts - now)

    def _client(self) -> Client:
        self._http = self._http or Http(self._api)
        return Client(*self._credentials, http_client=self._http)

    async def show(self, chat_id: str, event: Event) -> None:
        """WhatsApp shows nothing of a turn before its reply."""

    def routes(self) -> Sequence[web.RouteDef]:
        """The webhooks for messages and for the progress of ours."""
        return [web.post("/whatsapp/webhook", self._received), web.post(STATUS_PATH, self._progressed)]

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Close the connections to Twilio in the end."""
        try:
            yield
        finally:
            if self._http:
                await self._http.close()
            self._http = None

    async def _received(self, request: web.Request) -> web.Response:
        """`POST /whatsapp/webhook`: acknowledged once it is on disk; the answer comes by the API."""
        pairs = await self._authentic(request)
        if pairs is None:
            return web.Response(status=403)
        form = dict(reversed(pairs))
        if not all(form.get(key) for key in ("MessageSid", "From", "To")):
            log.warning("a signed webhook without MessageSid, From or To; dropped")
            return _acknowledged()
        try:
            await self._inbox.accept("whatsapp", form["MessageSid"], forms.place(form), forms.as_raw(pairs))
        except Exception as error:  # noqa: BLE001 - the outermost place: whatever failed, Twilio may send it again
            log.error("message %s was not stored: %s", form["MessageSid"], type(error).__name__)
            return _try_again()
        return _acknowledged()

    async def _progressed(self, request: web.Request) -> web.Response:
        """`POST /whatsapp/status`: what became of a part; the inbox keeps states from going backwards."""
        pairs = await self._authentic(request)
        if pairs is None:
            return web.Response(status=403)
        form = dict(reversed(pairs))
        sid, state = form.get("MessageSid", ""), DELIVERY_STATES.get(form.get("MessageStatus", ""))
        if not sid or not state:
            return _acknowledged()
        code = form.get("ErrorCode", "")
        try:
            await self._inbox.progressed("whatsapp", sid, state, reason(int(code)) if code.isdecimal() else "")
        except Exception as error:  # noqa: BLE001 - the outermost place: whatever failed, Twilio may send it again
            log.error("the progress of %s was not stored: %s", sid, type(error).__name__)
            return _try_again()
        return _acknowledged()

    def _signed_address(self, request: web.Request) -> str:
        """The address that Twilio called: what the proxy made of it doesn't count, only its path and query.

        A path of `public_url` may have been taken off on the way, or not.
        """
        parts = urlsplit(self._public_url)
        kept = parts.path and request.raw_path.startswith(parts.path + "/")
        base = f"{parts.scheme}://{parts.netloc}" if kept else self._public_url
        return base + request.raw_path

    async def _authentic(self, request: web.Request) -> list[tuple[str, str]] | None:
        """The form's pairs; None when the signature doesn't fit."""
        signature = request.headers.get("X-Twilio-Signature", "")
        try:
            form = await request.post() if request.content_type == FORM_TYPE else MultiDict[str]()
            if form and self._validator.validate(self._signed_address(request), form, signature):
                return [(name, value) for name, value in form.items() if isinstance(value, str)]
        except (ValueError, TypeError, LookupError) as error:
            log.info("a WhatsApp webhook could not be read: %s", type(error).__name__)
        log.warning(
            "a WhatsApp webhook's signature doesn't fit and was refused. If Twilio sent it, "
            "server.public_url (%s) isn't the address set there, or FRONTDESK_TWILIO_AUTH_TOKEN is wrong",
            self._public_url,
        )
        return None


def _acknowledged() -> web.Response:
    return web.Response(text="<Response/>", content_type="text/xml")


def _try_again() -> web.Response:
    return web.Response(status=503, headers={"Retry-After": "5"})


def _problems(config: WhatsAppSettings, public_url: str, auth_token: str) -> list[str]:
    problems = []
    if not auth_token:
        problems.append(
            "FRONTDESK_TWILIO_AUTH_TOKEN: is missing; without it nobody could tell Twilio's requests from others"
        )
    if not public_url.startswith(("https://", "http://")):
        problems.append("server.public_url: WhatsApp needs the address, as https://bot.example; signatures cover it")
    if config.sender and not config.sender.startswith("whatsapp:"):
        problems.append("channels.whatsapp.sender: must look like whatsapp:+441632960000")
    return problems
