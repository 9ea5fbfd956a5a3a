"""Pages that answer 200 and are none, pages that are elsewhere, and pages that want to stay out."""

from __future__ import annotations

import pytest
from aiohttp import web

from retrieval.decision import Decision, Kind, State
from retrieval.index.index import Index
from tests.retrieval.ingest.crawling import WORDS, crawled, held, page, report_of, shop
from tests.standins.site import Answer, Site

LOGIN = "<main><h1>Sign in</h1><form><input name=u><input type=password name=p></form><p>Please sign in.</p></main>"


class SoftSite(Site):
    """Says 200 to everything, with the address in the text."""

    def _response(self, request: web.Request) -> web.Response:
        if request.path_qs in self.pages or request.path == "/robots.txt":
            return super()._response(request)
        text = f"<main><p>We looked for {request.path} in every drawer, without luck. Try the menu above.</p></main>"
        return web.Response(text=text, content_type="text/html")


async def test_a_site_that_answers_everything_is_seen_through(index: Index) -> None:
    async with SoftSite(shop() | {"/": page("Home", "/boats", "/old-page", "/older-page")}) as site:
        decisions = await crawled(index, site)
    for path in ("/old-page", "/older-page"):
        assert decisions[path] == Decision(Kind.SOFT_404, detail="the same as what a made-up address gets (soft 404)")
    assert set(await held(index, site)) == {"/", "/boats"}
    assert sum(path.count("/") == 1 and len(path) == 17 for path in site.requests) == 1, "one probe a host"


@pytest.mark.parametrize(
    "title",
    ["404", "Error 404", "Page not found", "Seite nicht gefunden", "Page introuvable", "Página no encontrada",
     "The page you want could not be found", "404 – Not Found"],
)  # fmt: skip
async def test_a_page_that_calls_itself_missing_is_missing(index: Index, title: str) -> None:
    async with Site({"/": page("Home", "/a"), "/a": page("Sorry about that.", title=title)}) as site:
        assert (await crawled(index, site))["/a"].kind is Kind.SOFT_404


@pytest.mark.parametrize(
    "title", ["Page 404", "Room 404", "404 ways to tie a knot", "Found and not lost", "Model X-404"]
)
async def test_a_page_with_that_number_is_a_page(index: Index, title: str) -> None:
    async with Site({"/": page("Home", "/a"), "/a": page("Sorry about that.", title=title)}) as site:
        assert (await crawled(index, site))["/a"].state is State.ADDED


async def test_an_honest_site_is_probed_and_keeps_its_pages(index: Index) -> None:
    async with Site(
        shop() | {"/lost-and-found": page("Things left behind wait here.", title="Lost and found")}
    ) as site:
        site.pages["/"] = page("Home", *(f"/{name}" for name in WORDS), "/lost-and-found")
        await crawled(index, site)
        assert set(await held(index, site)) == {"/", "/lost-and-found", *(f"/{name}" for name in WORDS)}


async def test_a_login_page_is_skipped_by_its_password_field(index: Index) -> None:
    pages: dict[str, str | Answer] = {
        "/": page("Home", "/a", "/b"),
        "/a": LOGIN,
        "/b": Answer(location="/login?next=/b", status=302),
        "/login?next=/b": LOGIN,
    }
    async with Site(pages) as site:
        decisions = await crawled(index, site)
    assert decisions["/a"] == Decision(Kind.LOGIN)
    assert decisions["/b"] == Decision(Kind.LOGIN)


async def test_a_long_page_with_a_login_box_is_a_page(index: Index) -> None:
    async with Site({"/": page(" ".join(WORDS.values()) * 2 + "<input type=password>")}) as site:
        assert (await crawled(index, site))["/"].state is State.ADDED


FORM = "<form>User <input name=u> Password <input type=password name=p> <button>Log in</button></form>"


@pytest.mark.parametrize("frame", [f"<header>{FORM}</header>", f"<div class=topbar>{FORM}</div>"])
async def test_short_pages_under_a_form_to_log_in_are_pages(index: Index, frame: str) -> None:
    pages = {path: str(text).replace("<body>", f"<body>{frame}") for path, text in shop().items()}
    async with Site(pages) as site:
        await crawled(index, site)
        assert set(await held(index, site)) >= {f"/{name}" for name in WORDS}


@pytest.mark.parametrize(
    "text", ["Please sign in to read on.", "Enter your password to go on.", "Bitte melden Sie sich an."]
)
async def test_a_wall_is_told_by_what_it_asks_for(index: Index, text: str) -> None:
    form = "<form><input name=u><input type=password name=p></form>"
    async with Site({"/": page("Home", "/a"), "/a": page(f"The harbour's own pages. {text}{form}")}) as site:
        assert (await crawled(index, site))["/a"] == Decision(Kind.LOGIN)


@pytest.mark.parametrize(
    "title",
    ["Printer not found", "Wi-Fi network not found", "What if a product is not available?", "Why the page isn't found"],
)
async def test_help_with_things_that_are_not_found_is_a_page(index: Index, title: str) -> None:
    async with Site({"/": page("Home", "/a"), "/a": page("Turn it off and on again.", title=title)}) as site:
        assert (await crawled(index, site))["/a"].state is State.ADDED


async def test_a_redirect_to_the_start_page_is_no_page(index: Index) -> None:
    async with Site(shop() | {"/gone": Answer(location="/")}) as site:
        site.pages["/"] = page("Home", "/gone")
        assert (await crawled(index, site))["/gone"] == Decision(Kind.MOVED, "/")


async def test_a_refresh_leads_on_like_a_redirect(index: Index) -> None:
    refresh = page("You are being sent on", head="<meta http-equiv=refresh content='0; url=/new'>")
    async with Site({"/": page("Home", "/old"), "/old": refresh, "/new": page(WORDS["boats"])}) as site:
        decisions = await crawled(index, site)
    assert decisions["/old"] == Decision(Kind.MOVED, "/new")
    assert decisions["/new"].state is State.ADDED


async def test_a_move_for_good_changes_the_address_and_one_for_now_does_not(index: Index) -> None:
    pages: dict[str, str | Answer] = {
        "/": page("Home", "/old", "/latest"),
        "/old": Answer(location="/new", status=308),
        "/new": page(WORDS["boats"]),
        "/latest": Answer(location="/v/2/", status=302),
        "/v/2/": page(WORDS["carts"], "notes"),
        "/v/2/notes": page(WORDS["tents"]),
    }
    async with Site(pages) as site:
        await crawled(index, site)
        assert set(await held(index, site)) == {"/", "/new", "/latest", "/v/2/notes"}


async def test_a_chain_of_moves_that_never_ends_is_given_up(index: Index) -> None:
    pages: dict[str, str | Answer] = {f"/{at}": Answer(location=f"/{at + 1}") for at in range(20)}
    async with Site({"/": page("Home", "/0"), **pages}) as site:
        decisions = await crawled(index, site)
        assert site.count("/9") == 0
    assert decisions["/5"] == Decision(Kind.MOVED_TOO_OFTEN, detail="5")


@pytest.mark.parametrize(
    ("head", "headers"),
    [("<meta name=robots content=noindex>", {}), ("", {"X-Robots-Tag": "noindex"}), ("", {"X-Robots-Tag": "none"})],
)
async def test_a_page_that_asks_to_stay_out_leaves_in_the_same_crawl(
    index: Index, head: str, headers: dict[str, str]
) -> None:
    async with Site(shop()) as site:
        await crawled(index, site)
        assert "/boats" in await held(index, site)
        site.pages["/boats"] = Answer(page(WORDS["boats"], head=head), headers=headers)
        assert (await crawled(index, site))["/boats"] == Decision(Kind.NOINDEX)
        assert "/boats" not in await held(index, site)


async def test_the_owner_may_overrule_noindex(index: Index) -> None:
    async with Site({"/": page(WORDS["boats"], head="<meta name=robots content=noindex>")}) as site:
        assert (await crawled(index, site, respect_noindex=False))["/"].state is State.ADDED


async def test_links_of_a_nofollow_page_and_nofollow_links_are_not_followed(index: Index) -> None:
    pages: dict[str, str | Answer] = {
        "/": page("Home", "/a") + "<a rel='nofollow' href='/c'>c</a>",
        "/a": Answer(page("A", "/b"), headers={"X-Robots-Tag": "nofollow"}),
        "/b": page("B"),
        "/c": page("C"),
    }
    async with Site(pages) as site:
        assert set(await crawled(index, site)) == {"/", "/a"}


async def test_one_page_under_many_addresses_is_one_document(index: Index) -> None:
    """github.com/langgenius/dify/issues/6532"""
    text = page(WORDS["boats"])
    links = ("/a", "/a/", "/a#x", "/a?utm_source=q", "/a?srsltid=7", "/./a", "/%61")
    async with Site({"/": page("Home", *links), "/a": text, "/a/": text}) as site:
        decisions = await crawled(index, site)
        assert len(await held(index, site)) == 2
        assert site.count("/a") == 1
    assert {decisions["/a"].kind, decisions["/a/"].kind} == {Kind.ADDED, Kind.TWIN}


async def test_a_fragment_is_dropped_but_a_page_number_is_not(index: Index) -> None:
    """github.com/bayesimpact/bayes-platform/pull/632"""
    pages = {"/blog": page("Blog one", "/blog#c", "/blog?page=2#c"), "/blog?page=2": page(WORDS["boats"])}
    async with Site({"/": page("Home", "/blog"), **pages}) as site:
        assert set(await crawled(index, site)) == {"/", "/blog", "/blog?page=2"}
        assert site.count("/blog") == 1


def canonical(target: str) -> str:
    return f"<link rel=canonical href='{target}'>"


async def test_a_variant_is_left_to_its_canonical_address(index: Index) -> None:
    variant = page(WORDS["boats"] + " Sorted by price.", head=canonical("/boats"))
    pages = {"/": page("Home", "/boats?sort=1"), "/boats?sort=1": variant, "/boats": page(WORDS["boats"])}
    async with Site(pages) as site:
        decisions = await crawled(index, site)
        assert decisions["/boats"].state is State.ADDED, "found by the canonical link alone"
        assert decisions["/boats?sort=1"] == Decision(Kind.CANONICAL, "/boats")
        site.forget()
        assert (await crawled(index, site))["/boats?sort=1"] == Decision(Kind.CANONICAL, "/boats")
        assert set(site.statuses) == {304, 404}, "nothing was sent again"


@pytest.mark.parametrize("target", ["/missing", "https://elsewhere.example/boats", "/", "http://[bad"])
async def test_a_canonical_address_that_is_no_version_of_the_page_is_not_believed(index: Index, target: str) -> None:
    pages = {"/": page("Home", "/boats"), "/boats": page(WORDS["boats"], head=canonical(target))}
    async with Site(pages) as site:
        assert (await crawled(index, site))["/boats"].state is State.ADDED
        assert set(await held(index, site)) == {"/", "/boats"}


async def test_languages_are_pages_of_their_own(index: Index) -> None:
    german = "Unsere sieben hölzernen Ruderboote liegen am nördlichen Steg und warten auf ruhiges Wetter."
    twins = "<link rel=alternate hreflang=de href='/de/boats'><link rel=alternate hreflang=x-default href='/boats'>"
    pages: dict[str, str | Answer] = {
        "/": page("Home", "/boats"),
        "/boats": page(WORDS["boats"], head=twins),
        "/de/boats": page(german, head=twins + canonical("/boats")),
    }
    async with Site(pages) as site:
        await crawled(index, site)
        assert set(await held(index, site)) == {"/", "/boats", "/de/boats"}


async def test_a_start_page_that_moved_to_its_own_subfolder_is_followed(index: Index) -> None:
    async with Site(
        {"/": Answer(location="/en/"), "/en/": page("Home", "/en/a"), "/en/a": page(WORDS["boats"])}
    ) as site:
        await crawled(index, site)
        assert set(await held(index, site)) == {"/en/", "/en/a"}


async def test_a_start_page_that_sends_elsewhere_says_so(index: Index) -> None:
    async with Site({"/": Answer(location="http://elsewhere.example/")}) as site:
        assert (await crawled(index, site))["/"] == Decision(Kind.MOVED, "http://elsewhere.example/", "another site")


async def test_a_crawl_that_takes_nothing_in_says_why(index: Index) -> None:
    """github.com/Mintplex-Labs/anything-llm/issues/3858"""
    async with Site({"/robots.txt": Answer("User-agent: *\nDisallow: /"), "/": page("Home")}) as site:
        report = await report_of(index, site)
    assert report.note == "no page was taken in (skipped: robots.txt disallows it)"


async def test_nothing_to_read_is_skipped_and_nothing_reached_is_said(index: Index) -> None:
    """github.com/Mintplex-Labs/anything-llm/issues/3858"""
    shell = "<html><body><div id=root></div><script src=/app.js></script></body></html>"
    async with Site({"/": page("Home", "/app", "/film", "/empty"), "/app": shell}) as site:
        site.pages["/film"] = Answer(b"\x1aE\xdf\xa3" + bytes(99), kind="video/webm")
        site.pages["/empty"] = "<html><body><main></main></body></html>"
        decisions = await crawled(index, site)
    assert decisions["/app"] == Decision(Kind.NEEDS_SCRIPT)
    assert decisions["/film"] == Decision(Kind.NOT_TEXT, detail="is a film (video/webm)")
    assert decisions["/empty"] == Decision(Kind.NO_TEXT)


@pytest.mark.parametrize("body", ["{'a'}", "你好"])
async def test_a_declared_charset_is_believed_when_it_fits(index: Index, body: str) -> None:
    """github.com/langgenius/dify/issues/13927"""
    text = f"<html><head><meta charset=utf-8></head><body><main><p>{body} 你好，欢迎光临我们的商店</p></main></body></html>"
    async with Site({"/": Answer(text.encode())}) as site:
        await crawled(index, site)
        assert "你好" in (await held(index, site))["/"]
