"""The brake: what a site in trouble can't do to the index."""

from __future__ import annotations

import pytest

from retrieval.decision import Decision, Kind, State
from retrieval.index.index import Index
from retrieval.split.splitting import Splitting
from tests.retrieval.ingest.crawling import WORDS, crawled, held, page, report_of, shop
from tests.standins.site import Answer, Site

TIDES = "High water is twice a day, an hour later each day, and the table at the pier says when it is on day"
MAINTENANCE = page("We are making things better for you and will be back soon, thank you for waiting.")
LOGIN = "<main><h1>Members only</h1><form><input type=password name=p></form><p>Sign in to read on.</p></main>"


def shortened(count: int) -> dict[str, str]:
    return {f"/{name}": page(" ".join(text.split()[:5])) for name, text in list(WORDS.items())[:count]}


@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        ({f"/{name}": MAINTENANCE for name in WORDS}, "would turn into the same text"),
        ({f"/{name}": LOGIN for name in WORDS}, "would vanish"),
        (dict.fromkeys([f"/{name}" for name in list(WORDS)[:3]], Answer(status=404)), "3 would vanish"),
        (shortened(4), "4 would shrink to less than half"),
        ({f"/{name}": page(text, head="<meta name=robots content=noindex>") for name, text in WORDS.items()}, "6 would vanish"),
        ({f"/{name}": Answer(status=410) for name in WORDS}, "6 would vanish"),
    ],
    ids=["maintenance", "login wall", "half gone", "shrunk", "noindex everywhere", "all gone"],
)  # fmt: skip
async def test_too_much_at_once_is_not_believed(index: Index, trouble: dict[str, str | Answer], told: str) -> None:
    async with Site(shop()) as site:
        await crawled(index, site)
        good = await held(index, site)
        site.pages |= trouble
        for _ in range(3):
            report = await report_of(index, site)
            assert report.outcome == "braked"
            assert told in report.note
            assert report.note.endswith(f"If the site is right: frontdesk crawl {site.url}/ --accept")
            assert await held(index, site) == good
        site.pages |= shop()
        report = await report_of(index, site)
        assert report.outcome == "complete"
        assert await held(index, site) == good


async def test_the_report_says_of_each_page_that_it_was_kept(index: Index) -> None:
    async with Site(shop()) as site:
        await crawled(index, site)
        site.pages |= shortened(4)
        decisions = await crawled(index, site)
    assert decisions["/boats"] == Decision(Kind.NOT_BELIEVED, detail="5 words are all that is left of it")
    assert decisions["/masts"].state is State.UNCHANGED


async def test_the_owner_may_say_that_the_site_is_right(index: Index) -> None:
    async with Site(shop()) as site:
        await crawled(index, site)
        site.pages |= shortened(3)
        for name in ("masts", "lamps"):
            del site.pages[f"/{name}"]
        assert (await report_of(index, site)).outcome == "braked"
        report = await report_of(index, site, accept=True)
        assert (report.outcome, report.counts[State.CHANGED], report.counts[State.GONE]) == ("complete", 3, 2)
        assert "/masts" not in await held(index, site)
        assert (await held(index, site))["/boats"] == "Our seven wooden rowing boats\n"


async def test_one_page_that_shrinks_is_believed_at_the_crawls_end(index: Index) -> None:
    async with Site(shop()) as site:
        await crawled(index, site)
        site.pages |= shortened(1)
        assert (await crawled(index, site))["/boats"].state is State.CHANGED
        assert (await held(index, site))["/boats"] == "Our seven wooden rowing boats\n"


async def test_another_way_of_converting_is_no_fault_of_the_site(index: Index) -> None:
    """A new version that takes more of the frame away leaves less text of every page."""
    async with Site(shop()) as site:
        await crawled(index, site)
        site.pages |= shortened(6)
        report = await report_of(index, site, splitting=Splitting(chunk_tokens=100))
    assert (report.outcome, report.counts[State.CHANGED]) == ("complete", 7)


async def test_a_site_that_is_written_anew_is_believed(index: Index) -> None:
    async with Site(shop()) as site:
        await crawled(index, site)
        new = {f"/{name}": page(" ".join(f"{name}{word[::-1]}" for word in WORDS[name].split())) for name in WORDS}
        site.pages |= new
        report = await report_of(index, site)
    assert (report.outcome, report.counts[State.CHANGED]) == ("complete", 6)


@pytest.mark.parametrize("redirected", [True, False])
async def test_a_site_whose_pages_all_move_is_believed(index: Index, redirected: bool) -> None:
    async with Site(shop()) as site:
        await crawled(index, site)
        for name, text in WORDS.items():
            site.pages[f"/new/{name}"] = page(text)
            site.pages[f"/{name}"] = Answer(location=f"/new/{name}") if redirected else Answer(status=404)
        site.pages["/"] = page(
            "Welcome to the harbour, where everything for a day on the water is.", *(f"/new/{n}" for n in WORDS)
        )
        for _ in range(3):
            report = await report_of(index, site)
            assert report.outcome == "complete"
            assert {text.strip() for text in (await held(index, site)).values()} >= set(WORDS.values())
        assert set(await held(index, site)) == {"/", *(f"/new/{name}" for name in WORDS)}  # fmt: skip


@pytest.mark.parametrize("status", [500, 503])
async def test_errors_of_the_server_remove_nothing_and_pull_no_brake(index: Index, status: int) -> None:
    async with Site(shop()) as site:
        await crawled(index, site)
        for name in WORDS:
            site.pages[f"/{name}"] = Answer(status=status, headers={"Retry-After": "0"})
        for _ in range(2):
            report = await report_of(index, site)
            assert (report.outcome, report.counts[State.FAILED]) == ("complete", 6)
        assert len(await held(index, site)) == 7


async def test_pages_that_move_with_a_new_sentence_each_and_no_redirect_are_believed(index: Index) -> None:
    async with Site(shop()) as site:
        await crawled(index, site)
        for name, text in WORDS.items():
            del site.pages[f"/{name}"]
            site.pages[f"/new/{name}"] = page(f"{text} From now on every Sunday.")
        site.pages["/"] = page("Home", *(f"/new/{name}" for name in WORDS))
        assert (await report_of(index, site)).outcome == "complete"
        await report_of(index, site)
        assert {path for path in await held(index, site) if path != "/"} == {f"/new/{name}" for name in WORDS}


async def test_one_new_page_does_not_stand_for_many_old_ones(index: Index) -> None:
    async with Site(
        {"/": page("Home", *(f"/{n}" for n in range(6))), **{f"/{n}": page(f"{TIDES} {n}") for n in range(6)}}
    ) as site:
        await crawled(index, site)
        for n in range(6):
            del site.pages[f"/{n}"]
        site.pages["/all"] = page(f"{TIDES} all")
        site.pages["/"] = page("Home", "/all")
        assert (await report_of(index, site)).outcome == "braked"
