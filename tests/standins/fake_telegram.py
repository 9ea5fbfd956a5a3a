"""A Bot API server on loopback: it does with the bot's calls what Telegram would, and sends updates.

async with FakeTelegram() as telegram:
    Telegram(config, telegram.token, "secret", inbox, api=telegram.url)
    telegram.push_text("Hello")               # arrives by getUpdates, or at the webhook once one is set
    telegram.fail("sendMessage", 429, "Too Many Requests: retry after 3", retry_after=3)
    telegram.sent                             # the messages as a person would see them now
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import ClientError, ClientSession, web

from tests.standins.server import StandIn

Json = dict[str, Any]
BOT_ID = 4242
ENCODED = {"entities", "reply_markup", "link_preview_options", "commands", "allowed_updates"}


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@dataclass
class Fault:
    """An answer out of the ordinary: an error of the Bot API, a page of HTML, or a lost connection."""

    status: int
    description: str
    parameters: Json = field(default_factory=dict)
    html: bool = False
    reset: bool = False


class Refused(Exception):
    """A 400 of the Bot API."""


class FakeTelegram(StandIn):
    """One bot, its chats, and everything that was said."""

    def __init__(self, token: str = f"{BOT_ID}:stand-in-token", username: str = "fake_bot") -> None:
        self.token = token
        self.me = {
            "id": int(token.partition(":")[0]),
            "is_bot": True,
            "first_name": "Fake",
            "username": username,
        }
        self.sent: list[Json] = []
        self.deleted: list[Json] = []
        self.calls: list[tuple[str, Json]] = []
        self.webhook: Json = {}
        self.commands: dict[str, list[Json]] = {}
        self.deliveries: list[int] = []
        self.offsets: list[int | None] = []
        self.long_poll = 25.0
        self._updates: list[Json] = []
        self._faults: dict[str, list[Fault]] = {}
        self._last_id = 1000
        self._stir = asyncio.Event()
        self._called = asyncio.Event()
        """Set by each call, after what it does was done."""
        super().__init__(web.post("/bot{token}/{method}", self._call))
        self._tasks: set[asyncio.Task[None]] = set()

    def end(self) -> None:
        """Let go of whoever waits."""
        self.long_poll = 0
        self._stir.set()
        for task in self._tasks:
            task.cancel()

    # What people do.

    def push(self, update: Json) -> int:
        """Queue an update, giving it an id unless it has one, and return the id."""
        if "update_id" not in update:
            self._last_id += 1
            update = {"update_id": self._last_id, **update}
        if self.webhook:
            task = asyncio.create_task(self._deliver_until_taken(update))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        else:
            self._updates.append(update)
            self._stir.set()
        return int(update["update_id"])

    def push_text(self, text: str, chat_id: int = 77, **fields: Any) -> int:
        """A person writes a text in a private chat, or whatever `fields` of the message say."""
        return self.push({"message": self.message(text, chat_id, **fields)})

    def push_tap(self, data: str, message: Json, chat_id: int = 77) -> int:
        """A person taps on a button under one of the messages in `sent`."""
        shown = {
            **self.message(message["text"], chat_id, **{"from": self.me}),
            "message_id": message["message_id"],
        }
        shown["reply_markup"] = message.get("reply_markup", {"inline_keyboard": []})
        self._last_id += 1
        query = {"id": f"q{self._last_id}", "from": person(chat_id), "chat_instance": "1", "data": data}
        return self.push({"callback_query": {**query, "message": shown}})

    def message(self, text: str, chat_id: int = 77, **fields: Any) -> Json:
        """A message as Telegram would put it; commands get their entity."""
        self._last_id += 1
        body: Json = {"message_id": self._last_id, "date": 1_790_000_000, "text": text}
        body |= {"from": person(chat_id), "chat": {"id": chat_id, "type": "private", "first_name": "Ann"}}
        if text.startswith("/"):
            body["entities"] = [{"type": "bot_command", "offset": 0, "length": _units(text.split()[0])}]
        return body | fields

    async def deliver(self, update: Json, secret: str | None = None) -> int:
        """Post an update to the webhook once and return the HTTP status; 0 when nobody is there."""
        headers = {"X-Telegram-Bot-Api-Secret-Token": secret or self.webhook.get("secret_token", "")}
        async with ClientSession() as session:
            try:
                async with session.post(self.webhook["url"], json=update, headers=headers) as response:
                    return response.status
            except ClientError:
                return 0

    async def _deliver_until_taken(self, update: Json) -> None:
        while self.webhook:
            self.deliveries.append(await self.deliver(update))
            if 200 <= self.deliveries[-1] < 300:
                return
            await asyncio.sleep(0.1)

    # What goes wrong.

    def fail(
        self,
        method: str,
        status: int,
        description: str = "",
        *,
        times: int = 1,
        html: bool = False,
        reset: bool = False,
        **parameters: Any,
    ) -> None:
        """The next calls of a method fail; `parameters` are those of the Bot API, as retry_after."""
        fault = Fault(status, description, parameters, html, reset)
        self._faults.setdefault(method.lower(), []).extend([fault] * times)

    def unspent(self, method: str) -> int:
        """How many scripted faults of a method are still to come."""
        return len(self._faults.get(method.lower(), []))

    # What the bot calls.

    def called(self, method: str) -> list[Json]:
        """The parameters of every call of a method."""
        return [parameters for name, parameters in self.calls if name.lower() == method.lower()]

    async def until(self, true: Callable[[], object], seconds: float = 5) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(seconds):
            while not true():  # at each call, and now and then: what it waits for may be inside the bot
                self._called.clear()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._called.wait(), 0.05)

    async def _call(self, request: web.Request) -> web.Response:
        try:
            return await self._answered(request)
        finally:
            self._called.set()

    async def _answered(self, request: web.Request) -> web.Response:
        method = request.match_info["method"]
        parameters = _decoded(dict(await request.post()))
        self.calls.append((method, parameters))
        if request.match_info["token"] != self.token:
            return _error(401, "Unauthorized")
        faults = self._faults.get(method.lower())
        if faults:
            return _broken(faults.pop(0), request)
        handler = getattr(self, f"_on_{method.lower()}", None)
        if handler is None:
            return _error(404, "Not Found: method not found")
        try:
            result = await handler(parameters)
        except Refused as error:
            return _error(400, f"Bad Request: {error}")
        return web.json_response({"ok": True, "result": result})

    async def _on_getme(self, _: Json) -> Json:
        return self.me

    async def _on_getupdates(self, parameters: Json) -> Sequence[Json]:
        if self.webhook:
            raise Refused("can't use getUpdates method while webhook is active")
        offset = int(parameters["offset"]) if "offset" in parameters else None
        self.offsets.append(offset)
        self._updates = [item for item in self._updates if item["update_id"] >= (offset or 0)]
        loop = asyncio.get_running_loop()
        end = loop.time() + min(float(parameters.get("timeout", 0)), self.long_poll)
        while not self._updates and (left := end - loop.time()) > 0 and self.long_poll:
            self._stir.clear()
            try:
                await asyncio.wait_for(self._stir.wait(), left)
            except TimeoutError:
                break
        return self._updates[:100]

    async def _on_sendmessage(self, parameters: Json) -> Json:
        _check(parameters)
        self._last_id += 1
        message: Json = {"message_id": self._last_id, "chat_id": int(parameters["chat_id"]), "edits": 0}
        message["topic"] = int(parameters["message_thread_id"]) if "message_thread_id" in parameters else None
        self.sent.append(message | _content(parameters))
        return self._as_result(self.sent[-1])

    async def _on_editmessagetext(self, parameters: Json) -> Json:
        _check(parameters)
        message = self._find(parameters, "message to edit not found")
        new = _content(parameters)
        if new == {key: message[key] for key in new}:
            raise Refused("message is not modified: specified new message content and reply markup are the same")
        message.update(new, edits=message["edits"] + 1)
        return self._as_result(message)

    async def _on_deletemessage(self, parameters: Json) -> bool:
        message = self._find(parameters, "message to delete not found")
        self.sent.remove(message)
        self.deleted.append(message)
        return True

    def _find(self, parameters: Json, otherwise: str) -> Json:
        for message in self.sent:
            if str(message["message_id"]) == parameters["message_id"]:
                return message
        raise Refused(otherwise)

    def _as_result(self, message: Json) -> Json:
        chat = {"id": message["chat_id"], "type": "private" if message["chat_id"] > 0 else "supergroup"}
        return {
            "message_id": message["message_id"],
            "date": 1_790_000_000,
            "chat": chat,
            "text": message["text"],
        }

    async def _on_sendchataction(self, _: Json) -> bool:
        return True

    _on_answercallbackquery = _on_sendchataction

    async def _on_setwebhook(self, parameters: Json) -> bool:
        self.webhook = parameters
        return True

    async def _on_deletewebhook(self, _: Json) -> bool:
        self.webhook = {}
        return True

    async def _on_setmycommands(self, parameters: Json) -> bool:
        self.commands[parameters.get("language_code", "")] = parameters["commands"]
        return True


def person(user_id: int = 77) -> Json:
    """Somebody who writes."""
    return {"id": abs(user_id), "is_bot": False, "first_name": "Ann", "language_code": "en-GB"}


def _decoded(form: dict[str, Any]) -> Json:
    return {name: json.loads(value) if name in ENCODED else value for name, value in form.items()}


def _content(parameters: Json) -> Json:
    return {
        "text": parameters["text"],
        "entities": parameters.get("entities", []),
        "reply_markup": parameters.get("reply_markup", {}),
    }


def _check(parameters: Json) -> None:
    text = parameters.get("text", "")
    if not text.strip():
        raise Refused("message text is empty")
    if len(text) > 4096:
        raise Refused("message is too long")
    for item in parameters.get("entities", []):
        if item["offset"] < 0 or item["length"] < 1 or item["offset"] + item["length"] > _units(text):
            raise Refused("can't parse entities: an entity is out of bounds")
    for row in parameters.get("reply_markup", {}).get("inline_keyboard", []):
        if any(len(button["callback_data"].encode()) > 64 for button in row):
            raise Refused("BUTTON_DATA_INVALID")


def _error(status: int, description: str, parameters: Json | None = None) -> web.Response:
    body = {"ok": False, "error_code": status, "description": description}
    return web.json_response(body | ({"parameters": parameters} if parameters else {}), status=status)


def _broken(fault: Fault, request: web.Request) -> web.Response:
    if fault.reset and request.transport:
        request.transport.abort()
    if fault.html:
        return web.Response(status=fault.status, text="<html>502 Bad Gateway</html>", content_type="text/html")
    return _error(fault.status, fault.description, fault.parameters)
