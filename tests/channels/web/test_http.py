"""The web channel as a client sees it: real HTTP to a whole bot."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from aiohttp import ClientSession
from yarl import URL

from bot.answer.phrases import PHRASES
from tests.channels.web.visitor import Person, frames, person
from tests.journeys.house import QUIET, House, Served, number

PRICE = "How much is a single kayak for half a day?"
HOURS = "When are you open?"


@pytest.fixture
async def served(house: House) -> AsyncIterator[Served]:
    async with house.served() as opened:
        yield opened


@pytest.fixture
async def ann(served: Served) -> AsyncIterator[Person]:
    async with person(served.base) as visitor:
        yield visitor


async def test_a_question_streams_as_start_deltas_and_the_whole_reply(ann: Person) -> None:
    start, *deltas, done = await ann.say(PRICE, "11111111-aaaa")
    assert (start.name, start.data["messages"]) == ("start", ["11111111-aaaa"])
    assert {frame.name for frame in deltas} == {"delta"}
    assert "".join(frame.data["text"] for frame in deltas) == done.data["text"]
    assert done.name == "done"
    assert done.data["outcome"] == "answered"
    assert done.data["citations"][0]["title"] == "Prices"
    assert done.data["messages"] == ["11111111-aaaa"]
    ids = [frame.id for frame in (start, *deltas, done)]
    assert ids == sorted(set(ids))


async def test_a_stream_is_marked_so_that_no_proxy_holds_it_back(ann: Person) -> None:
    _, _, answer = await ann.post("messages", {"id": str(uuid4()), "text": PRICE})
    assert answer.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-cache, no-transform"
    assert answer.headers["X-Accel-Buffering"] == "no"


async def test_the_same_id_posted_twice_is_one_turn_and_the_same_reply(ann: Person, served: Served) -> None:
    first = await ann.say(PRICE, "22222222-bbbb")
    again = await ann.say(PRICE, "22222222-bbbb")
    assert again == [first[-1]]
    assert await number(served.bot.db, "SELECT count(*) FROM turns") == 1


async def test_one_visitors_id_does_not_shadow_the_same_id_of_another(ann: Person, served: Served) -> None:
    await ann.say(PRICE, "22222222-bbbb")
    async with person(served.base) as bob:
        done = (await bob.say(HOURS, "22222222-bbbb"))[-1]
    assert "9:30" in done.data["text"]


async def test_a_known_token_is_kept_and_a_forged_one_gives_a_new_visitor(ann: Person, served: Served) -> None:
    visitor = (await ann.enter())["visitor"]
    async with person(served.base, ann.token) as same, person(served.base, ann.token[:-1] + "x") as other:
        assert (await same.enter())["visitor"] == visitor
        assert (await other.enter())["visitor"] != visitor


@pytest.mark.parametrize("token", ["", "nonsense", "visitor.0123", "ä.ö"])
@pytest.mark.parametrize("name", ["messages", "feedback"])
async def test_without_a_good_token_nothing_is_taken(ann: Person, token: str, name: str) -> None:
    status, body, _ = await ann.post(name, {"id": str(uuid4()), "text": PRICE}, Authorization=f"Bearer {token}")
    assert status == 401
    assert body == {"error": "The session is not known; ask for a new one."}


async def test_events_and_history_need_a_token_too(ann: Person) -> None:
    ann.token = "visitor.0123"
    for name in ("events", "history"):
        async with ann.http.get(f"{ann.base}/web/v1/{name}", headers=ann.bearer()) as answer:
            assert answer.status == 401


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("{", 400),
        ("[1]", 400),
        ('"text"', 400),
        ("\udcff", 400),
        ({"text": PRICE}, 400),
        ({"id": 7, "text": PRICE}, 400),
        ({"id": "short", "text": PRICE}, 400),
        ({"id": "../../../../etc", "text": PRICE}, 400),
        ({"id": "33333333-cccc", "text": 7}, 400),
        ({"id": "33333333-cccc", "text": "  \n"}, 400),
        ({"id": "33333333-cccc", "text": "x" * 8001}, 413),
    ],
)
async def test_a_message_that_cannot_be_taken_is_told_why(
    ann: Person, served: Served, body: object, status: int
) -> None:
    sent = body.encode("utf-8", "surrogateescape") if isinstance(body, str) else None
    url = f"{ann.base}/web/v1/messages"
    if sent is not None:
        async with ann.http.post(url, data=sent, headers=ann.bearer()) as answer:
            got, sentence = answer.status, (await answer.json())["error"]
    else:
        got, told, _ = await ann.post("messages", body)
        sentence = told["error"]
    assert got == status
    assert sentence.endswith(".")
    assert await number(served.bot.db, "SELECT count(*) FROM inbox") == 0


async def test_a_body_of_megabytes_is_refused_as_json_too(ann: Person) -> None:
    body = io.BytesIO(b'{"id": "33333333-cccc", "text": "' + b"x" * 2_000_000)
    async with ann.http.post(f"{ann.base}/web/v1/messages", data=body, headers=ann.bearer()) as answer:
        assert answer.status == 413
        assert (await answer.json())["error"].endswith(".")


async def test_too_many_new_visitors_of_one_address_are_asked_to_wait(house: House) -> None:
    async with house.served(QUIET + "[limits]\nsessions_per_minute = 2\n") as served, ClientSession() as http:
        for _ in range(2):
            async with http.post(f"{served.base}/web/v1/session", json={}) as answer:
                assert answer.status == 200
        async with http.post(f"{served.base}/web/v1/session", json={}) as answer:
            assert answer.status == 429
            assert 1 <= int(answer.headers["Retry-After"]) <= 60
            assert (await answer.json())["error"].endswith(".")


async def test_too_many_questions_are_refused_in_words_and_not_searched(house: House) -> None:
    async with house.served(QUIET + "[limits]\nper_visitor_minute = 2\n") as served, person(served.base) as ann:
        outcomes = [(await ann.say(HOURS))[-1].data["outcome"] for _ in range(3)]
    assert outcomes == ["answered", "answered", "refused"]


async def test_only_listed_sites_and_the_own_one_may_use_the_chat(house: House) -> None:
    toml = QUIET + '[channels.web]\norigins = ["https://shop.example"]\n'
    async with house.served(toml) as served, ClientSession() as http:
        url = f"{served.base}/web/v1/session"
        for origin, status in {
            "https://shop.example": 200,
            served.base: 200,
            "https://evil.example": 403,
            "https://shop.example.evil.example": 403,
            "http://shop.example": 403,
            "null": 403,
        }.items():
            async with http.post(url, json={}, headers={"Origin": origin}) as answer:
                assert answer.status == status, origin
                allowed = answer.headers.get("Access-Control-Allow-Origin")
                assert allowed == (origin if status == 200 else None)
                assert status == 200 or (await answer.json())["error"].endswith(".")


async def test_a_preflight_allows_the_token_and_a_stream_carries_the_origin(ann: Person) -> None:
    ann.headers = {"Origin": "https://shop.example"}
    async with ann.http.options(f"{ann.base}/web/v1/messages", headers=ann.headers) as answer:
        assert answer.status == 204
        assert "authorization" in answer.headers["Access-Control-Allow-Headers"]
        assert answer.headers["Access-Control-Allow-Origin"] == "https://shop.example"
    _, _, stream = await ann.post("messages", {"id": str(uuid4()), "text": HOURS})
    assert stream.headers["Access-Control-Allow-Origin"] == "https://shop.example"
    assert stream.headers["Vary"] == "Origin"
    assert "Access-Control-Allow-Credentials" not in stream.headers


async def test_a_refusal_carries_the_origin_so_that_the_page_can_read_it(ann: Person) -> None:
    status, _, answer = await ann.post("messages", {}, Origin="https://shop.example")
    assert status == 400
    assert answer.headers["Access-Control-Allow-Origin"] == "https://shop.example"


async def test_events_after_a_number_are_the_same_after_a_restart(house: House) -> None:
    async with house.served() as served, person(served.base) as ann:
        first, second = [(await ann.say(text))[-1] for text in (PRICE, HOURS)]
        token = ann.token
        assert [frame for frame in await ann.events(0) if frame.name == "done"] == [first, second]
    async with house.served() as served, person(served.base, token) as ann:
        assert await ann.events(0) == [first, second]
        assert await ann.events(first.id) == [second]
        third = await ann.say("May small dogs come along?")
        assert third[0].id > second.id
        assert await ann.events(second.id) == third


async def test_the_number_of_events_must_be_a_number(ann: Person) -> None:
    for after in ("x", "-1", "1.5"):
        async with ann.http.get(f"{ann.base}/web/v1/events?after={after}", headers=ann.bearer()) as answer:
            assert answer.status == 400, after


async def test_history_shows_the_turns_of_this_visitor_alone(ann: Person, served: Served) -> None:
    await ann.say(PRICE)
    async with person(served.base) as bob:
        assert (await bob.history())["turns"] == []
    turns = (await ann.history())["turns"]
    assert [turn["question"] for turn in turns] == [PRICE]
    assert turns[0]["reply"]["text"].startswith("This is what our pages say")


async def test_a_turn_is_rated_only_in_its_own_chat(ann: Person, served: Served) -> None:
    turn = (await ann.say(PRICE))[-1].data["turn"]
    async with person(served.base) as bob:
        status, body, _ = await bob.post("feedback", {"turn": turn, "rating": 1})
        assert (status, body["error"]) == (404, "There is no such turn in this chat.")
    assert (await ann.post("feedback", {"turn": turn, "rating": -1, "comment": "too dear"}))[0] == 204
    row = await served.bot.db.one("SELECT rating, comment FROM turns")
    assert row is not None
    assert tuple(row) == (-1, "too dear")


@pytest.mark.parametrize(
    "body", [{}, {"turn": "t"}, {"turn": "t", "rating": 2}, {"turn": 7, "rating": 1}, {"rating": 1}]
)
async def test_a_rating_of_another_shape_is_refused(ann: Person, body: dict[str, object]) -> None:
    status, told, _ = await ann.post("feedback", body)
    assert status == 400
    assert told["error"].endswith(".")


async def test_a_thumb_that_is_written_rates_the_last_answer_and_the_stream_ends(ann: Person, served: Served) -> None:
    await ann.say(PRICE)
    done = await ann.say("👎")
    assert [frame.name for frame in done] == ["done"]
    assert await number(served.bot.db, "SELECT rating FROM turns") == -1
    assert len((await ann.history())["turns"]) == 1


async def test_a_question_goes_on_being_answered_when_its_reader_leaves(ann: Person) -> None:
    body = {"id": "44444444-dddd", "text": PRICE}
    async with ann.http.post(f"{ann.base}/web/v1/messages", json=body, headers=ann.bearer()) as answer:
        answer.close()
    assert (await ann.events(0))[-1].data["outcome"] == "answered"


async def test_two_tabs_see_the_same_events(ann: Person) -> None:
    said = await ann.say(PRICE)
    assert await ann.events(0) == said


def test_a_stream_of_signs_of_life_holds_no_event() -> None:
    assert frames(": ping\n\n: ping\n\n") == []


async def test_the_page_and_the_widget_are_served_with_a_policy_and_an_etag(ann: Person) -> None:
    async with ann.http.get(f"{ann.base}/") as page:
        assert page.headers["Content-Security-Policy"].startswith("default-src 'self'")
        assert "Harbour Kayaks" in await page.text()
    async with ann.http.get(f"{ann.base}/widget.js") as widget:
        etag = widget.headers["ETag"]
    async with ann.http.get(f"{ann.base}/widget.js", headers={"If-None-Match": etag}) as again:
        assert again.status == 304


async def test_two_questions_posted_at_once_are_both_answered_each_in_its_own_stream(ann: Person) -> None:
    first, second = await asyncio.gather(ann.say(PRICE, "55555555-eeee"), ann.say(HOURS, "66666666-ffff"))
    assert first[-1].data["messages"] == ["55555555-eeee"]
    assert "£24" in first[-1].data["text"]
    assert second[-1].data["messages"] == ["66666666-ffff"]
    assert "9:30" in second[-1].data["text"]


async def test_an_answer_that_fails_ends_the_stream_with_a_sentence(ann: Person, served: Served) -> None:
    async with served.bot.knowledge.db.write() as tx:
        await tx.run("ALTER TABLE chunks RENAME TO lost")
    done = (await ann.say(PRICE))[-1]
    assert (done.name, done.data["outcome"]) == ("done", "failed")
    assert done.data["text"] == PHRASES["en"]["failed"]


async def test_half_a_character_is_taken_as_an_unknown_one_and_disturbs_nobody(ann: Person, served: Served) -> None:
    async with person(served.base) as bob:
        broken, whole = await asyncio.gather(
            ann.post("messages", '{"id": "77777777-abcd", "text": "Kayak \\ud83d"}'), bob.say(PRICE)
        )
    assert broken[0] == 200
    assert "£24" in whole[-1].data["text"]
    assert (await ann.history())["turns"][0]["question"] == "Kayak \ufffd"
    status, _, _ = await ann.post("feedback", '{"turn": "\\ud83d", "rating": 1}')
    assert status == 404
    assert (await ann.post("session", '{"token": "\\ud83d.x"}'))[0] == 200


@pytest.mark.parametrize("after", ["²", "99999999999999999999999999", "-1", "x"])
async def test_an_odd_event_number_is_a_sentence(served: Served, ann: Person, after: str) -> None:
    async with ann.http.get(f"{served.base}/web/v1/events", params={"after": after}, headers=ann.bearer()) as answer:
        assert answer.status == 400
        assert "after" in (await answer.json())["error"]


@pytest.mark.parametrize(
    ("body", "kind"), [("[" * 200_000, "application/json"), ("{}", "application/json; charset=foo")]
)
async def test_a_body_that_no_parser_takes_is_a_sentence(ann: Person, body: str, kind: str) -> None:
    status, told, _ = await ann.post("session", body, **{"Content-Type": kind})
    assert status == 400
    assert "JSON" in told["error"]


async def test_an_origin_that_is_no_address_is_refused(ann: Person) -> None:
    status, told, _ = await ann.post("session", "{}", Origin="http://[bad")
    assert status == 403
    assert told["error"]


async def test_an_impossible_path_of_the_example_site_is_not_found(house: House) -> None:
    async with house.served(with_demo=True) as running, ClientSession(running.base) as http:
        for path in ("/demo/site/%00", "/demo/site/..%2f..%2fpyproject.toml"):
            async with http.get(URL(path, encoded=True)) as answer:
                assert answer.status == 404
