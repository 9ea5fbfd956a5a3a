"""The example business that ships with Frontdesk, served as a website of its own so that the demo's crawl is a real one."""

from __future__ import annotations

import hashlib
import mimetypes
from pathlib import Path

from aiohttp import web

SITE_PATH = "/demo/site"
FILES_WITH_ADDRESSES = ("robots.txt", "sitemap.xml")


def folder() -> Path:
    """Where the example business lies: inside the installed package, or beside it in a checkout."""
    installed = Path(__file__).parent / "example"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "examples" / "tern-and-tide"


def routes() -> list[web.RouteDef]:
    """The site under /demo/site/, and the robots.txt that its host must have."""
    return [
        web.get(SITE_PATH, _to_index),
        web.get(SITE_PATH + "/{path:.*}", _page),
        web.get("/robots.txt", _robots),
    ]


async def _to_index(_: web.Request) -> web.Response:
    raise web.HTTPFound(SITE_PATH + "/")


async def _robots(request: web.Request) -> web.Response:
    return _answer(request, folder() / "site" / "robots.txt")


async def _page(request: web.Request) -> web.Response:
    root = (folder() / "site").resolve()
    try:
        path = (root / request.match_info["path"]).resolve()
    except ValueError:
        raise web.HTTPNotFound(text="There is no such page.") from None
    if path.is_dir():
        path = path / "index.html"
    if not path.is_relative_to(root) or not path.is_file():
        raise web.HTTPNotFound(text="There is no such page.")
    return _answer(request, path)


def _answer(request: web.Request, path: Path) -> web.Response:
    body = path.read_bytes()
    if path.name in FILES_WITH_ADDRESSES:
        base = f"{request.scheme}://{request.host}{SITE_PATH}"
        body = body.replace(b"{{base}}", base.encode()).replace(b"{{prefix}}", SITE_PATH.encode())
    etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    headers = {"ETag": etag, "Cache-Control": "no-cache"}
    if request.headers.get("If-None-Match") == etag:
        return web.Response(status=304, headers=headers)
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    if kind.startswith("text/") or kind.endswith(("xml", "javascript")):
        kind += "; charset=utf-8"
    return web.Response(body=body, headers={**headers, "Content-Type": kind})
