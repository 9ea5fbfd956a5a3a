"""HTTP of the web channel that knows no chat: page and widget, origins, refusals as JSON, the framing of events."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from aiohttp import web

from bot.messages import Reply
from channels.web.live import Numbered
from channels.web.visitor import allowed_origin

FOLDER = Path(__file__).parent
CONTENT_TYPES = {"page.html": "text/html", "page.css": "text/css", "widget.js": "text/javascript"}
MOST_MESSAGE_CHARACTERS = 8000
"""Of a visitor's message; the engine's own limit is in tokens."""
PAGE_POLICY = "default-src 'self'; frame-ancestors 'self'; base-uri 'none'; form-action 'self'"
CORS = web.RequestKey("cors", dict[str, str])


class Refused(Exception):
    """A request that can't be served: status and sentence."""

    def __init__(self, status: int, sentence: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.headers = headers or {}


def page(request: web.Request, name: str) -> web.Response:
    """The page to try the chat, with the line that embeds it elsewhere."""
    address = f"{request.scheme}://{request.host}{request.path.rstrip('/')}/widget.js"
    embed = escape(f'<script async src="{address}"></script>')
    text = (FOLDER / "page.html").read_text(encoding="utf-8")
    body = text.replace("{{name}}", escape(name)).replace("{{embed}}", embed)
    return web.Response(text=body, content_type="text/html", headers={"Content-Security-Policy": PAGE_POLICY})


async def static(request: web.Request) -> web.StreamResponse:
    """The widget or the page's style."""
    name = request.path.rsplit("/", 1)[-1]
    file = FOLDER / name
    etag = f'"{file.stat().st_mtime_ns:x}"'
    headers = {"ETag": etag, "Cache-Control": "no-cache", "Access-Control-Allow-Origin": "*"}
    if request.headers.get("If-None-Match") == etag:
        return web.Response(status=304, headers=headers)
    answer = web.Response(body=file.read_bytes(), content_type=CONTENT_TYPES[name], charset="utf-8", headers=headers)
    answer.enable_compression()
    return answer


def guarded(origins: list[str], handler: Callable[[web.Request], Any]) -> Callable[[web.Request], Any]:
    """Checks the origin, and answers what goes wrong as JSON with a sentence."""

    async def answered(request: web.Request) -> web.StreamResponse:
        origin = allowed_origin(request, origins)
        if origin is None:
            return web.json_response(
                {"error": "This site may not use the chat; add it to [channels.web] origins."}, status=403
            )
        request[CORS] = cors(origin)
        try:
            answer: web.StreamResponse = await handler(request)
        except Refused as refused:
            answer = web.json_response({"error": refused.sentence}, status=refused.status, headers=refused.headers)
        if not answer.prepared:
            answer.headers.update(request[CORS])
        return answer

    return answered


async def preflight(_: web.Request) -> web.Response:
    """What a browser asks before it lets another site's page talk to us."""
    return web.Response(
        status=204,
        headers={
            "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
            "Access-Control-Allow-Headers": "authorization, content-type",
            "Access-Control-Max-Age": "7200",
        },
    )


async def stream(request: web.Request, events: AsyncIterator[Numbered | None]) -> web.StreamResponse:
    """The events as they come; a visitor who leaves can fetch them again."""
    headers = {
        "Content-Type": "text/event-stream; charset=utf-8",
        "Cache-Control": "no-cache, no-transform",
        "X-Accel-Buffering": "no",
    }
    cors = request[CORS]
    headers.update(cors)
    answer = web.StreamResponse(headers=headers)
    await answer.prepare(request)
    try:
        async for event in events:
            await answer.write(framed(event))
        await answer.write_eof()
    except ConnectionResetError:
        pass  # the visitor left; the answer is stored and can be fetched again
    return answer


async def body_of(request: web.Request) -> dict[str, Any]:
    """The request's JSON object; raises Refused."""
    try:
        record = json.loads(await request.text() or "{}")
    except web.HTTPRequestEntityTooLarge:
        raise Refused(413, f"A message may have at most {MOST_MESSAGE_CHARACTERS} characters.") from None
    except (ValueError, RecursionError, LookupError):
        record = None
    if not isinstance(record, dict):
        raise Refused(400, "The body must be a JSON object.")
    return {name: clean(value) if isinstance(value, str) else value for name, value in record.items()}


def clean(text: str) -> str:
    """Text that can be stored: a lone surrogate (JSON allows it) becomes U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def framed(event: Numbered | None) -> bytes:
    """An event as server-sent events write it; None is a sign of life."""
    if event is None:
        return b": ping\n\n"
    data = json.dumps(event.data, ensure_ascii=False)
    return f"id: {event.id}\nevent: {event.name}\ndata: {data}\n\n".encode()


async def noted(client_id: str) -> AsyncIterator[Numbered]:
    """The answer to a thumb that was written: no turn, so no number in the chat, and words of no language."""
    yield Numbered(0, "done", {**Reply("🙏").as_json(), "messages": [client_id]})


def client_ids(platform_ids: Sequence[str]) -> list[str]:
    """The browser's own ids of messages."""
    return [platform_id.rpartition("/")[2] for platform_id in platform_ids]


def language_of(request: web.Request) -> str:
    """The primary subtag of the browser's first language."""
    return (
        request.headers.get("Accept-Language", "")
        .partition(",")[0]
        .partition("-")[0]
        .partition(";")[0]
        .strip()
        .lower()[:3]
    )


def cors(origin: str) -> dict[str, str]:
    """The headers that let a page of this origin read the answer."""
    if not origin:
        return {}
    return {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Expose-Headers": "Retry-After",
        "Vary": "Origin",
    }
