"""An OpenAI-compatible server on loopback, whose answers are a function of the messages.

async with FakeModel(lambda messages: "A double kayak costs £36.[1]") as model:
    # [model] provider = "openai", base_url = model.url
    model.fail(status(429, retry_after=1), CUT)      # what the next requests get instead
    model.requests                                   # the bodies of all requests, in order
    model.asked                                      # the messages of those that stream
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.standins.server import StandIn

Json = dict[str, Any]
Messages = Sequence[Json]
Script = Callable[[Messages], str]


@dataclass(frozen=True)
class Fault:
    """An answer out of the ordinary: a status, or what happens to the stream after `pieces` pieces."""

    kind: str
    code: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    pieces: int = 2


def status(code: int, retry_after: float | None = None) -> Fault:
    """An error of the server, with words that no visitor may ever read."""
    return Fault("status", code, {} if retry_after is None else {"Retry-After": f"{retry_after:g}"})


SILENT = Fault("silent")
HANG = Fault("hang")
HANG_AT_ONCE = Fault("hang", pieces=0)
CUT = Fault("cut")
FULL = Fault("full")
"""The answer is longer than the tokens that it may have."""
MALFORMED = Fault("malformed")
SECRET_WORDS = "internal: shard 7 exploded"


class FakeModel(StandIn):
    """One server; `script` makes the answer's text of a request's messages."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.pause = 0.0
        """Seconds between two pieces of a stream."""
        self.requests: list[Json] = []
        self._faults: list[Fault] = []
        self._over = asyncio.Event()
        super().__init__(web.post("/v1/chat/completions", self._complete))

    def end(self) -> None:
        """Let go of whoever waits."""
        self._over.set()

    @property
    def url(self) -> str:
        """The address for `[model] base_url`."""
        return f"{super().url}/v1"

    @property
    def asked(self) -> list[list[Json]]:
        """The messages of the requests for an answer, as against those for a short text."""
        return [request["messages"] for request in self.requests if request.get("stream")]

    def fail(self, *faults: Fault) -> None:
        """The next requests go like this."""
        self._faults.extend(faults)

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        fault = self._faults.pop(0) if self._faults else None
        if fault and fault.kind == "status":
            return web.json_response({"error": {"message": SECRET_WORDS}}, status=fault.code, headers=fault.headers)
        if fault and (fault.kind == "silent" or not body.get("stream")):
            await self._over.wait()
        text = self.script(body["messages"])
        if body.get("stream"):
            return await self._streamed(request, body, text, fault)
        message = {"role": "assistant", "content": text}
        return web.json_response(
            _named(body, "chat.completion")
            | {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": _usage(body, text)}
        )

    async def _streamed(self, request: web.Request, body: Json, text: str, fault: Fault | None) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await answer.prepare(request)
        pieces = re.findall(r".{1,7}", text, re.S)
        for at, piece in enumerate(pieces):
            if fault and at >= fault.pieces:
                break
            await asyncio.sleep(self.pause)
            delta = {"index": 0, "delta": {"role": "assistant", "content": piece}, "finish_reason": None}
            await _frame(answer, _named(body, "chat.completion.chunk") | {"choices": [delta]})
        if fault and fault.kind != "full":
            return await self._broken(request, answer, fault)
        end = {"index": 0, "delta": {}, "finish_reason": "length" if fault else "stop"}
        await _frame(answer, _named(body, "chat.completion.chunk") | {"choices": [end]})
        if body.get("stream_options", {}).get("include_usage"):
            usage = {"choices": [], "usage": _usage(body, text)}
            await _frame(answer, _named(body, "chat.completion.chunk") | usage)
        await answer.write(b"data: [DONE]\n\n")
        await answer.write_eof()
        return answer

    async def _broken(self, request: web.Request, answer: web.StreamResponse, fault: Fault) -> web.StreamResponse:
        if fault.kind == "hang":
            await self._over.wait()
        elif fault.kind == "malformed":
            await answer.write(b'data: {"choices": [{"delta": {"content": \n\n')
            await answer.write_eof()
        elif request.transport:
            request.transport.abort()
        return answer


def _named(body: Json, kind: str) -> Json:
    return {"id": "chatcmpl-1", "object": kind, "created": 1_790_000_000, "model": body["model"]}


def _usage(body: Json, text: str) -> Json:
    prompt = sum(len(str(message["content"])) for message in body["messages"]) // 4
    completion = len(text) // 4 + 1
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


async def _frame(answer: web.StreamResponse, record: Json) -> None:
    await answer.write(f"data: {json.dumps(record)}\n\n".encode())


def source_with(messages: Messages, words: str) -> int:
    """The number of the source in the prompt's context that holds some words; fails when there is none."""
    for found in re.finditer(r'<source number="(\d+)".*?</source>', context_of(messages), re.S):
        if words in found[0]:
            return int(found[1])
    raise AssertionError(f"no source holds {words!r}")


def context_of(messages: Messages) -> str:
    """The context of the prompt: the system message with the sources."""
    return next(str(message["content"]) for message in messages if "<source" in str(message["content"]))
