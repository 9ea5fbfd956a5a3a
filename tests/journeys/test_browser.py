"""The example business in a real browser, as somebody who has just installed Frontdesk would try it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from aiohttp import web
from playwright.async_api import Browser, Page, expect

from bot.run import demo, sources
from tests.channels.recording import served
from tests.journeys.house import QUIET, House, Served, number, until
from tests.standins.fake_model import FakeModel, source_with

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
TOML = demo.folder() / "frontdesk.toml"
STREAMED = """() => {
  window.lengths = [];
  const root = document.querySelector(".frontdesk").shadowRoot;
  new MutationObserver(() => {
    const writing = root.querySelector(".writing .text");
    if (writing) window.lengths.push(writing.textContent.length);
  }).observe(root, {childList: true, subtree: true, characterData: true});
}"""


@dataclass
class Tab:
    """A page, and what went wrong on it."""

    page: Page
    problems: list[str]

    async def ask(self, text: str) -> None:
        """Type a question and wait for its whole reply."""
        before = await self.page.locator(".thumbs").count()
        await self.page.locator("textarea").fill(text)
        await self.page.keyboard.press("Enter")
        await expect(self.page.locator(".thumbs")).to_have_count(before + 1, timeout=15_000)


@asynccontextmanager
async def tab(browser: Browser, address: str) -> AsyncIterator[Tab]:
    context = await browser.new_context(viewport={"width": 1100, "height": 800}, locale="en-GB")
    page = await context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda told: problems.append(told.text) if told.type == "error" else None)
    await page.goto(address)
    yield Tab(page, problems)
    await context.close()


@asynccontextmanager
async def example(house: House) -> AsyncIterator[Served]:
    """The example business, its site crawled from this very server."""
    toml = TOML.read_text(encoding="utf-8") + '\n[retrieval]\nmode = "keyword"\n'
    async with house.served(toml, pages=(), with_demo=True) as bot:
        await bot.bot.knowledge.crawl(sources.demo(bot.bot.config, bot.base))
        yield bot


async def test_a_visitor_sees_the_answer_grow_and_lands_on_the_cited_sentence(
    house: House, browser: Browser, tmp_path: Path
) -> None:
    async with example(house) as bot, tab(browser, bot.base + "/") as visit:
        page = visit.page
        await expect(page.locator(".offers button")).to_have_count(3)
        await visit.ask("How much is a double kayak for half a day?")
        reply = page.locator(".reply").last
        await expect(reply.locator(".text")).to_contain_text("£")
        await page.screenshot(path=tmp_path / "answer.png")

        cited = reply.locator("sup a.cite").first
        address = str(await cited.get_attribute("href"))
        assert address.startswith(bot.base + "/demo/site/")
        assert ":~:text=" in address
        async with page.context.expect_page() as opening:
            await cited.click()
        landed = await opening.value
        await landed.wait_for_load_state()
        assert landed.url.partition("#")[0] == address.partition("#")[0]
        await expect(landed.locator("h1").first).to_be_visible()
        await landed.screenshot(path=tmp_path / "source.png")
        passage = str(await cited.get_attribute("title"))
        shown = re.sub(r"\s+", " ", await landed.locator("body").inner_text())
        assert passage.split("\n")[0][:20] in shown
        assert visit.problems == []


async def test_a_models_answer_grows_while_it_is_written(house: House, browser: Browser) -> None:
    async with FakeModel(
        lambda messages: f"We open at 9:30 and close at 18:00.[{source_with(messages, '9:30')}]"
    ) as model:
        model.pause = 0.1
        toml = f'{QUIET}[model]\nprovider = "openai"\nbase_url = "{model.url}"\n'
        async with house.served(toml) as bot, tab(browser, bot.base + "/") as visit:
            await visit.page.locator(".reply").first.wait_for()
            await visit.page.evaluate(STREAMED)
            await visit.ask("When are you open?")
            lengths = await visit.page.evaluate("window.lengths")
            assert lengths == sorted(lengths)
            assert len(set(lengths)) >= 3
            whole = re.compile(r"We open at 9:30 and close at 18:00\.\s*1")
            await expect(visit.page.locator(".reply .text").last).to_have_text(whole)
            await expect(visit.page.locator(".reply.writing")).to_have_count(0)


async def test_an_honest_no_is_in_the_owners_log_after_logging_in(
    house: House, browser: Browser, tmp_path: Path
) -> None:
    question = "Do you sell submarine tickets to Atlantis?"
    async with example(house) as bot, tab(browser, bot.base + "/") as visit:
        await visit.page.locator(".offers button").first.wait_for()
        await visit.ask(question)
        reply = visit.page.locator(".reply.none").last
        await expect(reply).to_contain_text("I couldn't find that in our pages and documents")
        await expect(reply).to_contain_text("+44 1632 960418")
        await reply.get_by_label("Not helpful").click()
        await until(lambda: number(bot.bot.db, "SELECT count(*) FROM turns WHERE rating = -1"))
        await visit.page.screenshot(path=tmp_path / "no-answer.png")

        page = visit.page
        await page.goto(bot.base + "/console/")
        assert page.url == bot.base + "/console/login"
        await page.get_by_label("Password").fill("wrong")
        await page.get_by_role("button", name="Log in").click()
        await expect(page.get_by_role("alert")).to_have_text("That is not the password.")
        visit.problems.clear()
        await page.get_by_label("Password").fill(bot.server.passwords["bot"])
        await page.get_by_role("button", name="Log in").click()
        assert page.url == bot.base + "/console/"
        topic = page.locator("article.topic", has_text=question)
        await expect(topic).to_have_count(1)
        await expect(page.locator(".figures")).to_contain_text("1 down")
        await topic.locator("summary").click()
        await expect(topic.locator("td").nth(1)).to_have_text("nothing found")
        await page.screenshot(path=tmp_path / "console.png")

        await topic.get_by_role("button", name="Close").click()
        await expect(page.locator("article.topic")).to_have_count(0)
        assert visit.problems == []


async def test_a_reload_shows_the_conversation_again_and_a_reset_ends_it(house: House, browser: Browser) -> None:
    async with house.served() as bot, tab(browser, bot.base + "/") as visit:
        await visit.page.locator(".reply").first.wait_for()
        await visit.ask("When are you open?")
        await visit.page.reload()
        await expect(visit.page.locator(".bubble")).to_have_text(["When are you open?"])
        await expect(visit.page.locator(".reply").last).to_contain_text("9:30")
        await visit.page.get_by_label("New conversation").click()
        await visit.page.locator(".divider").wait_for()
        await expect(visit.page.locator(".bubble")).to_have_count(0)
        assert visit.problems == []


async def test_a_thumb_that_is_typed_is_answered_at_once(house: House, browser: Browser) -> None:
    async with house.served() as bot, tab(browser, bot.base + "/") as visit:
        await visit.page.locator(".reply").first.wait_for()
        await visit.ask("When are you open?")
        await visit.page.locator("textarea").fill("👍")
        await visit.page.keyboard.press("Enter")
        await expect(visit.page.locator(".reply").last).to_contain_text("🙏")
        assert await number(bot.bot.db, "SELECT rating FROM turns") == 1


async def test_a_widget_on_another_site_talks_to_the_bot(house: House, browser: Browser) -> None:
    async with house.served() as bot:
        text = f'<!doctype html><title>Shop</title><h1>Shop</h1><script async src="{bot.base}/widget.js"></script>'

        async def shop(_: web.Request) -> web.Response:
            return web.Response(text=text, content_type="text/html")

        async with served([web.get("/shop", shop)]) as site, tab(browser, f"{site}/shop") as visit:
            stored = "localStorage.length + document.cookie.length"
            await visit.page.locator(".launcher").wait_for()
            assert await visit.page.evaluate(stored) == 0
            await visit.page.locator(".launcher").click()
            await visit.page.locator(".reply").first.wait_for()
            await visit.ask("When are you open?")
            await expect(visit.page.locator(".reply").last).to_contain_text("9:30")
            assert await visit.page.evaluate("document.cookie.length") == 0
            assert [one for one in visit.problems if "favicon" not in one and "404" not in one] == []
