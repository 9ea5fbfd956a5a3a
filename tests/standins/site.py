"""A website on loopback: pages from a dictionary, with ETags, redirects and scripted failures; it counts requests.

async with Site({"/": "<main>Hello</main>"}) as site:
    site.pages["/new"] = Answer("text", kind="text/plain")
    site.script("/", Answer(status=503, headers={"Retry-After": "0"}))   # for the next request only
    site.requests                                                        # paths in the order they were asked for
"""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from aiohttp import web

from tests.standins.server import StandIn


@dataclass
class Answer:
    """What a path answers; a `location` makes it a redirect."""

    body: str | bytes = ""
    kind: str = "text/html"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    location: str = ""


class Site(StandIn):
    """Answers 404 for what isn't in `pages`; `{base}` in a text stands for the site's own address."""

    def __init__(self, pages: Mapping[str, str | Answer] | None = None, *, etags: bool = True) -> None:
        self.pages: dict[str, str | Answer] = dict(pages or {})
        self.requests: list[str] = []
        self.statuses: list[int] = []
        self.times: list[float] = []
        self.user_agents: set[str] = set()
        self.authorizations: list[str] = []
        self._etags = etags
        self._scripts: dict[str, list[Answer]] = {}
        super().__init__(web.get("/{path:.*}", self._answer))

    def script(self, path: str, *answers: Answer) -> None:
        """What the path answers to its next requests, before its page again."""
        self._scripts.setdefault(path, []).extend(answers)

    def count(self, path: str) -> int:
        """How often a path was asked for."""
        return self.requests.count(path)

    def forget(self) -> None:
        """Count from nought again."""
        self.requests.clear()
        self.statuses.clear()
        self.times.clear()

    def distances(self) -> list[float]:
        """Seconds between each two requests that follow each other."""
        return [later - earlier for earlier, later in itertools.pairwise(self.times)]

    async def _answer(self, request: web.Request) -> web.Response:
        self.requests.append(request.path_qs)
        self.times.append(time.monotonic())
        self.authorizations.append(request.headers.get("Authorization", ""))
        self.user_agents.add(request.headers.get("User-Agent", ""))
        response = self._response(request)
        self.statuses.append(response.status)
        return response

    def _response(self, request: web.Request) -> web.Response:
        page: str | Answer | None = self.pages.get(request.path_qs)
        if waiting := self._scripts.get(request.path_qs):
            page = waiting.pop(0)
        if page is None:
            return web.Response(status=404, text="not here")
        answer = Answer(page) if isinstance(page, str) else page
        if answer.location:
            location = answer.location.replace("{base}", self.url)
            return web.Response(status=answer.status if answer.status != 200 else 301, headers={"Location": location})
        return self._content(request, answer)

    def _content(self, request: web.Request, answer: Answer) -> web.Response:
        text = answer.body
        body = text.replace("{base}", self.url).encode() if isinstance(text, str) else text
        headers = {"Content-Type": answer.kind, **answer.headers}
        if self._etags and answer.status == 200:
            headers["ETag"] = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
            if request.headers.get("If-None-Match") == headers["ETag"]:
                return web.Response(status=304, headers={"ETag": headers["ETag"], **answer.headers})
        return web.Response(status=answer.status, body=body, headers=headers)
