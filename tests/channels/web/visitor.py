"""A visitor of the web channel who speaks HTTP by hand."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from aiohttp import ClientResponse, ClientSession

Json = dict[str, Any]


@dataclass(frozen=True)
class Frame:
    """One event of a stream."""

    id: int
    name: str
    data: Json


@dataclass
class Person:
    """Keeps its token as the widget does."""

    http: ClientSession
    base: str
    token: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    async def enter(self) -> Json:
        async with self.http.post(f"{self.base}/web/v1/session", json={"token": self.token}) as answer:
            opened: Json = await answer.json()
        self.token = opened["token"]
        return opened

    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", **self.headers}

    async def post(self, name: str, body: object, **headers: str) -> tuple[int, Json, ClientResponse]:
        """Post a body (text goes as it is) and return status, JSON and the response."""
        data = body if isinstance(body, str) else json.dumps(body)
        url = f"{self.base}/web/v1/{name}"
        async with self.http.post(url, data=data, headers={**self.bearer(), **headers}) as answer:
            text = await answer.text()
        return answer.status, json.loads(text) if text.startswith("{") else {}, answer

    async def say(self, text: str, client_id: str = "") -> list[Frame]:
        body = {"id": client_id or str(uuid4()), "text": text}
        async with self.http.post(f"{self.base}/web/v1/messages", json=body, headers=self.bearer()) as answer:
            assert answer.status == 200, await answer.text()
            return frames(await answer.text())

    async def events(self, after: int) -> list[Frame]:
        url = f"{self.base}/web/v1/events?after={after}"
        async with self.http.get(url, headers=self.bearer()) as answer:
            assert answer.status == 200, await answer.text()
            return frames(await answer.text())

    async def history(self) -> Json:
        async with self.http.get(f"{self.base}/web/v1/history", headers=self.bearer()) as answer:
            body: Json = await answer.json()
            return body


@asynccontextmanager
async def person(base: str, token: str = "") -> AsyncIterator[Person]:
    """Somebody with a session; `token` is one of an earlier visit."""
    async with ClientSession() as http:
        visitor = Person(http, base, token)
        await visitor.enter()
        yield visitor


def frames(text: str) -> list[Frame]:
    """A whole stream's events; every frame must be exactly `id`, `event` and one line of `data`."""
    found = []
    for block in text.split("\n\n")[:-1]:
        if block.startswith(":"):
            continue
        names, values = zip(*(line.split(": ", 1) for line in block.split("\n")), strict=True)
        assert names == ("id", "event", "data"), block
        found.append(Frame(int(values[0]), values[1], json.loads(values[2])))
    assert text == "" or text.endswith("\n\n")
    return found
