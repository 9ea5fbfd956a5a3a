"""The owner's pages: the missing-content log, sources, conversations. Rendered on the server, without scripts."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from aiohttp import web
from jinja2 import Environment, FileSystemLoader
from markdown_it import MarkdownIt
from markupsafe import Markup

from bot.config import Config
from bot.console.login import COOKIE, LOGIN_SECONDS, Owner
from bot.desk import gaps, transcripts
from bot.desk.jobs import last_runs
from retrieval.db import Database
from retrieval.decision import State
from retrieval.knowledge import Knowledge

TEMPLATES_FOLDER = Path(__file__).parent / "templates"
SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
ROWS_A_PAGE = 50
REASON_WORDS = {
    "nothing_found": "nothing found",
    "not_covered": "not covered by what was found",
    "not_supported": "could not be supported",
}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Console:
    """The pages of one bot."""

    def __init__(self, config: Config, db: Database, knowledge: Knowledge, owner: Owner) -> None:
        self._config = config
        self._db = db
        self._knowledge = knowledge
        self._owner = owner
        zone = ZoneInfo(config.bot.timezone)
        self._pages = Environment(
            loader=FileSystemLoader(TEMPLATES_FOLDER), autoescape=True, trim_blocks=True, lstrip_blocks=True
        )
        markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
        self._pages.filters["markdown"] = lambda text: Markup(markdown.render(text))  # noqa: S704 — HTML in it is escaped
        self._pages.filters["time"] = lambda text: _local_time(text, zone)
        self._pages.globals.update(name=config.bot.name, reasons=REASON_WORDS)

    def routes(self) -> list[web.RouteDef]:
        """Every address under /console/."""
        return [
            web.get("/console", _to_folder),
            web.get("/console/console.css", _style),
            web.get("/console/login", self._login_page),
            web.post("/console/login", self._login),
            web.post("/console/logout", self._inside(self._logout)),
            web.get("/console/", self._inside(self._log)),
            web.post("/console/topics/{id}", self._inside(self._topic)),
            web.get("/console/sources", self._inside(self._sources)),
            web.get("/console/crawls/{id}", self._inside(self._crawl)),
            web.get("/console/conversations", self._inside(self._conversations)),
            web.get("/console/conversations/{id}", self._inside(self._conversation)),
        ]

    def _inside(self, handler: Handler) -> Handler:
        """Only with a session; a form must carry the session's own token."""

        async def inside(request: web.Request) -> web.StreamResponse:
            if not self._owner.is_in(request):
                raise web.HTTPSeeOther(_up(request) + "login")
            if request.method == "POST":
                form = await request.post()
                if not self._owner.is_own_form(request, str(form.get("token", ""))):
                    return self._page(
                        request,
                        "message.html",
                        status=403,
                        text="This form is too old. Go back, reload the page and try again.",
                    )
            return await handler(request)

        return inside

    def _page(self, request: web.Request, template: str, status: int = 200, **values: Any) -> web.Response:
        known = {"token": self._owner.form_token(request), "up": _up(request), "here": request.path, **values}
        text = self._pages.get_template(template).render(known)
        return web.Response(text=text, status=status, content_type="text/html", headers=SECURITY_HEADERS)

    async def _login_page(self, request: web.Request) -> web.Response:
        return self._page(request, "login.html", problem="")

    async def _login(self, request: web.Request) -> web.Response:
        form = await request.post()
        if not self._owner.may_try():
            return self._page(request, "login.html", status=429, problem="Too many tries. Wait a minute.")
        if not self._owner.is_right(str(form.get("password", ""))):
            return self._page(request, "login.html", status=403, problem="That is not the password.")
        answer = web.HTTPSeeOther("./")
        secure = request.scheme == "https" or self._config.server.public_url.startswith("https:")
        # without a path the browser keeps it for this console's folder: the owners of several bots don't log each other out
        answer.set_cookie(
            COOKIE,
            self._owner.cookie(),
            path="",
            max_age=LOGIN_SECONDS,
            httponly=True,
            samesite="Strict",
            secure=secure,
        )
        raise answer

    async def _logout(self, _: web.Request) -> web.Response:
        answer = web.HTTPSeeOther("login")
        answer.set_cookie(COOKIE, "", path="", max_age=0)
        raise answer

    async def _log(self, request: web.Request) -> web.Response:
        state = request.query.get("state", "open")
        topics = [topic for topic in await gaps.topics(self._db) if state == "all" or topic["state"] == state]
        figures = await transcripts.figures(self._db)
        return self._page(request, "log.html", topics=topics, state=state, figures=figures)

    async def _topic(self, request: web.Request) -> web.Response:
        form = await request.post()
        state = "closed" if form.get("state") == "closed" else "open"
        if not await gaps.set_state(self._db, request.match_info["id"], state, "owner"):
            return self._page(request, "message.html", status=404, text="There is no such topic any more.")
        raise web.HTTPSeeOther("../")

    async def _sources(self, request: web.Request) -> web.Response:
        known, sizes = await self._knowledge.sources(), await self._knowledge.sizes()
        crawls = await self._knowledge.past_crawls()
        last = {source.id: [crawl for crawl in crawls if crawl.source_id == source.id][:5] for source in known}
        jobs = await last_runs(self._db)
        return self._page(request, "sources.html", sources=known, sizes=sizes, crawls=last, jobs=jobs)

    async def _crawl(self, request: web.Request) -> web.Response:
        found = await self._knowledge.past_report(request.match_info["id"])
        if found is None:
            return self._page(request, "message.html", status=404, text="There is no such crawl.")
        crawl, report = found
        pages = [
            {
                "url": url,
                "state": decision.state,
                "words": decision.in_words,
                "change": report.changes.get(url, ""),
            }
            for url, decision in report.decisions.items()
        ]
        pages.sort(key=lambda page: (page["state"] == State.UNCHANGED, page["state"], page["url"]))
        return self._page(request, "crawl.html", crawl=crawl, pages=pages)

    async def _conversations(self, request: web.Request) -> web.Response:
        page = request.query.get("page", "1")
        at = max(int(page), 1) if page.isdigit() else 1
        rows = await transcripts.newest(self._db, ROWS_A_PAGE + 1, (at - 1) * ROWS_A_PAGE)
        more = len(rows) > ROWS_A_PAGE
        return self._page(request, "conversations.html", conversations=rows[:ROWS_A_PAGE], at=at, more=more)

    async def _conversation(self, request: web.Request) -> web.Response:
        found = await transcripts.transcript(self._db, request.match_info["id"])
        if found is None:
            return self._page(request, "message.html", status=404, text="There is no such conversation any more.")
        return self._page(
            request, "conversation.html", conversation=found.conversation, answers=found.answers, turns=found.turns
        )


async def _to_folder(request: web.Request) -> web.Response:
    raise web.HTTPMovedPermanently(request.path + "/")


async def _style(request: web.Request) -> web.Response:
    body = (TEMPLATES_FOLDER / "console.css").read_bytes()
    etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    if request.headers.get("If-None-Match") == etag:
        return web.Response(status=304, headers={"ETag": etag})
    return web.Response(body=body, content_type="text/css", charset="utf-8", headers={"ETag": etag})


def _up(request: web.Request) -> str:
    """The way back to /console/ from a page below it, so that a prefix in front never matters."""
    below = request.path.partition("/console/")[2]
    return "../" * below.count("/") or "./"


def _local_time(text: str | None, zone: ZoneInfo) -> str:
    return datetime.fromisoformat(text).astimezone(zone).strftime("%d %b %Y, %H:%M") if text else "–"
