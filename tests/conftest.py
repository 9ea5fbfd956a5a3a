"""What many tests open: a house of one's own, and a browser where there is one."""

from __future__ import annotations

import ipaddress
import os
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from hypothesis import settings

from tests.journeys.house import House

if TYPE_CHECKING:
    from playwright.async_api import Browser

# In CI the same examples every time; elsewhere new ones, which is where properties earn their keep.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")


def _only_loopback(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse every connection and every name that leads off this machine: tests are offline, whatever they try."""
    if event == "socket.connect":
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else ""
    elif event == "socket.getaddrinfo":
        host = arguments[0] or ""
    else:
        return
    name = (host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)).partition("%")[0]
    if name in ("", "localhost"):
        return
    try:
        allowed = ipaddress.ip_address(name).is_loopback or event == "socket.getaddrinfo"  # an address needs no look-up
    except ValueError:
        allowed = name.endswith((".invalid", ".test"))  # never resolved by anybody (RFC 6761)
    if not allowed:
        raise AssertionError(f"a test tried to reach {name}; tests stay on loopback")


sys.addaudithook(_only_loopback)

CHROMIUMS = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """A Chromium for all tests, which run in the session's loop; without one they are skipped."""
    candidates = [os.environ.get("CHROMIUM", ""), *CHROMIUMS]
    path = next((found for name in candidates if name and (found := shutil.which(name))), None)
    if path is None:
        if os.environ.get("BROWSER_TESTS") == "required":
            pytest.fail("BROWSER_TESTS=required, but there is no Chromium")
        pytest.skip("no Chromium: set CHROMIUM to its path, or install one as /usr/bin/chromium")
    api = pytest.importorskip("playwright.async_api", reason="playwright is not installed")
    async with api.async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        await browser.close()
