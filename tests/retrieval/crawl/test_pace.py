"""How a host is asked: slower when it is busy, not at all when it fails, and as fast as before when it is well again."""

from __future__ import annotations

import asyncio

import pytest

from retrieval.crawl.fetch import Fetcher
from retrieval.crawl.pace import LONGEST_PAUSE_SECONDS, MOST_ERRORS_IN_A_ROW, RECOVERY_ANSWERS, Pace
from retrieval.crawl.walk import Limits
from retrieval.decision import State
from tests.retrieval.crawl.walking import linking, walk
from tests.standins.site import Answer, Site


async def test_no_more_turns_at_once_than_are_allowed() -> None:
    pace = Pace(0.0, 2)
    under_way, most = 0, 0

    async def work() -> None:
        nonlocal under_way, most
        async with pace.turn():
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0.001)
            under_way -= 1

    await asyncio.gather(*(work() for _ in range(10)))
    assert most == 2


async def test_a_busy_host_is_asked_half_as_much_and_recovers() -> None:
    pace = Pace(0.0, 4)
    pace.busy(429, 0.0)
    assert (pace.allowed, pace.delay) == (2, 0.05)
    await asyncio.sleep(0.001)
    pace.busy(503, 0.0)
    assert (pace.allowed, pace.delay) == (1, 0.1)
    for _ in range(RECOVERY_ANSWERS * 4):
        pace.answered()
    assert (pace.allowed, pace.delay) == (4, 0.0)


async def test_requests_that_were_under_way_together_count_as_one_complaint() -> None:
    pace = Pace(0.0, 4)
    for _ in range(4):
        pace.busy(429, 1.0)
    assert pace.allowed == 2


async def test_a_host_that_wants_a_long_rest_is_left_alone() -> None:
    pace = Pace(0.0, 1)
    pace.busy(503, 3600.0)
    assert pace.stopped == "answered 503 and asks to be left alone for 60 minutes"
    assert LONGEST_PAUSE_SECONDS < 3600


async def test_errors_must_follow_each_other_to_stop_a_host() -> None:
    pace = Pace(0.0, 1)
    for _ in range(MOST_ERRORS_IN_A_ROW - 1):
        pace.failed()
    pace.answered()
    for _ in range(MOST_ERRORS_IN_A_ROW - 1):
        pace.failed()
    assert not pace.stopped
    pace.failed()
    assert pace.stopped == f"failed {MOST_ERRORS_IN_A_ROW} times in a row"


async def test_one_busy_answer_makes_all_requests_to_the_host_wait(fetcher: Fetcher) -> None:
    pages = {f"/{at}": f"P{at}" for at in range(6)}
    async with Site({"/": linking(*pages), **pages}) as site:
        site.script("/0", Answer(status=429, headers={"Retry-After": "1"}))
        walked = await walk(fetcher, site)
    assert walked.complete
    assert len(walked.taken) == 7
    asked = [(path, at) for path, at in zip(site.requests, site.times, strict=True) if path in pages]
    refused = asked[0][1]
    under_way = Limits().concurrency
    assert min(at for _, at in asked[under_way:]) >= refused + 0.95


async def test_a_host_that_fails_in_a_row_is_left_alone_and_that_is_said(fetcher: Fetcher) -> None:
    failing = {f"/{at:02}": Answer(status=500, headers={"Retry-After": "0"}) for at in range(MOST_ERRORS_IN_A_ROW + 5)}
    async with Site({"/": linking(*failing), **failing}) as site:
        walked = await walk(fetcher, site, Limits(concurrency=16))
    assert "times in a row" in walked.warnings[0]
    assert {decision.state for decision in walked.decisions.values()} == {State.FAILED}


@pytest.mark.parametrize("status", [404, 410, 403])
async def test_missing_pages_are_no_trouble_of_the_host(fetcher: Fetcher, status: int) -> None:
    missing = {f"/{at}": Answer(status=status) for at in range(MOST_ERRORS_IN_A_ROW + 5)}
    async with Site({"/": linking(*missing, "/last"), **missing, "/last": "L"}) as site:
        walked = await walk(fetcher, site)
    assert walked.taken == ["/", "/last"]
    assert walked.warnings == []
