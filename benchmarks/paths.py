"""How far a stranger must read: the modules that one message and one page run through, and their lines.

`python -m benchmarks.paths` serves a bot of words alone on loopback, sends one question to the web channel, then crawls a site of
one page; each function of ours that is called on the way is noted. A module counts with all its lines, and beside that with the
lines of the functions that were called. `--list` names the modules.
"""

from __future__ import annotations

import argparse
import asyncio
import inspect
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from aiohttp import ClientSession, web

from bot import app
from retrieval.crawl.walk import Limits
from retrieval.document import Document
from retrieval.ingest.ingest import Source

ROOT = Path(__file__).parents[1]
PACKAGES = ("bot", "channels", "retrieval")
PAGE = Document("https://shop.example/hours", "Opening hours", "# Opening hours\n\nWe open at nine every day.", "en")
HTML = (
    "<html><head><title>Hire</title></head><body><main><h1>Hire</h1><p>A kayak costs 24 euros.</p></main></body></html>"
)


@contextmanager
def called() -> Iterator[set[CodeType]]:
    """The functions of ours that are called in any thread, while this is open."""
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(ROOT)):
            codes.add(frame.f_code)

    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())  # only new threads are heard
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield codes
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


async def message(bot: app.Bot) -> set[CodeType]:
    """One question through the web channel, from the request to the last event."""
    async with app.serving([bot], "127.0.0.1", 0) as server, ClientSession() as session:
        answer = await session.post(f"{server.base}/web/v1/session", json={})
        headers = {"Authorization": f"Bearer {(await answer.json())['token']}"}
        body = {"id": "0b7e4c5e-0000-4000-8000-000000000001", "text": "When do you open?"}
        with called() as codes:
            answer = await session.post(f"{server.base}/web/v1/messages", json=body, headers=headers)
            assert '"answered"' in await answer.text(), "the question is answered"
    return codes


async def page(bot: app.Bot) -> set[CodeType]:
    """One page of a site, from its address to its chunks."""

    async def html(_: web.Request) -> web.Response:
        return web.Response(text=HTML, content_type="text/html")

    site = web.Application()
    site.router.add_get("/", html)
    runner = web.AppRunner(site)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    source = Source(f"http://127.0.0.1:{runner.addresses[0][1]}/", allow_private=True, limits=Limits(max_pages=5))
    with called() as codes:
        report = await bot.knowledge.crawl(source)
    await runner.cleanup()
    assert report.counts, "the page is taken in"
    return codes


def measured(codes: set[CodeType]) -> dict[str, tuple[int, int]]:
    """For each module its lines, and those of its functions that were called."""
    found: dict[str, tuple[int, int]] = {}
    for file in {Path(code.co_filename) for code in codes}:
        name = file.relative_to(ROOT).as_posix()
        if name.partition("/")[0] in PACKAGES:
            own = [code for code in codes if code.co_filename == str(file)]
            lines = {line for code in own for line in _lines(code)}
            found[name] = (len(file.read_text(encoding="utf-8").splitlines()), len(lines))
    return found


def _lines(code: CodeType) -> range:
    source, first = inspect.getsourcelines(code)
    return range(first, first + len(source))


async def both() -> dict[str, dict[str, tuple[int, int]]]:
    """The modules on each path."""
    paths: dict[str, Callable[[app.Bot], Awaitable[set[CodeType]]]] = {"message": message, "page": page}
    with tempfile.TemporaryDirectory() as folder:
        config = app.configured(None, {"FRONTDESK_RETRIEVAL__MODE": "keyword"})
        async with app.bot_of("bench", config, Path(folder)) as bot:
            await bot.knowledge.put([PAGE])
            return {name: measured(await walk(bot)) for name, walk in paths.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="name the modules, the longest first")
    arguments = parser.parse_args()
    for name, modules in asyncio.run(both()).items():
        lines, of_functions = (sum(sizes[at] for sizes in modules.values()) for at in (0, 1))
        print(
            f"{name:8} {len(modules):3} modules, {lines:5} lines, {of_functions:5} of them in functions that were called"
        )
        for module, sizes in sorted(modules.items(), key=lambda item: -item[1][0]) if arguments.list else ():
            print(f"    {module:44} {sizes[0]:4} {sizes[1]:4}")


if __name__ == "__main__":
    main()
