"""Cross-encoders behind HTTP, over real sockets: what each dialect sends and reads, and everything that can go wrong."""

from __future__ import annotations

import pytest
from aiohttp import web

from retrieval.errors import RerankError
from retrieval.search.rerank.remote import DIALECTS, DialectName, logit, remote_reranker
from tests.standins.fake_reranker import SECRET_WORDS, FakeReranker

TEXTS = ["about boats", "about dogs", "about canoes and dogs"]
KEY = "rr-very-secret-key"


def likely(question: str, text: str) -> float:
    return 0.1 + 0.4 * sum(word in text for word in ("dogs", "canoes"))


@pytest.mark.parametrize(("dialect", "path"), [("cohere", "/v2/rerank"), ("jina", "/v1/rerank"), ("tei", "/rerank")])
async def test_each_dialect_gives_logits_in_the_order_of_the_texts(dialect: DialectName, path: str) -> None:
    async with FakeReranker(likely) as server, remote_reranker(dialect, server.url, "m", KEY) as reranker:
        assert await reranker.score("dogs in a canoe", TEXTS) == pytest.approx([logit(0.1), logit(0.5), logit(0.9)])
        asked = server.requests[0]
    assert (asked.path, asked.authorization) == (path, f"Bearer {KEY}")
    assert asked.body["query"] == "dogs in a canoe"
    assert asked.body["texts" if dialect == "tei" else "documents"] == TEXTS
    if dialect == "tei":
        assert (asked.body["raw_scores"], asked.body["truncate"]) == (True, True)
    else:
        assert (asked.body["model"], asked.body["top_n"]) == ("m", 3)
    assert asked.body.get("return_documents") == (False if dialect == "jina" else None)


async def test_an_address_with_its_path_is_taken_as_it_is_and_no_key_is_no_header() -> None:
    async with FakeReranker(likely) as server, remote_reranker("jina", f"{server.url}/rerank/", "m", "") as reranker:
        with pytest.raises(RerankError):
            await reranker.score("q", ["a"])  # the path is TEI's, which knows no documents
        assert [(one.path, one.authorization) for one in server.requests] == [("/rerank", "")]


async def test_tei_gets_no_more_texts_than_it_takes_at_once() -> None:
    async with FakeReranker(lambda _, text: (int(text) + 1) / 100) as server:
        async with remote_reranker("tei", server.url, "", "") as reranker:
            scores = await reranker.score("q", [str(at) for at in range(50)])
        assert [len(one.body["texts"]) for one in server.requests] == [32, 18]
    assert scores == pytest.approx([logit((at + 1) / 100) for at in range(50)])


def test_probabilities_become_logits_that_are_finite_and_fit_to_the_labels() -> None:
    assert logit(0.5) == 0
    assert logit(0.6) < 0.5 < logit(0.63)
    assert logit(0.26) < -1 < logit(0.28)
    assert -20 < logit(0.0) < logit(1.0) < 20


WRONG = {
    "500": lambda: web.json_response({"message": SECRET_WORDS}, status=500),
    "401": lambda: web.json_response({"message": SECRET_WORDS}, status=401),
    "302": lambda: web.Response(status=302, headers={"Location": "/v1/rerank"}),
    "no JSON": lambda: web.Response(text=SECRET_WORDS),
    "no text": lambda: web.Response(body=b"\xff\xfe\xff"),
    "another form": lambda: web.json_response({"scores": [1, 2, 3]}),
    "no object": lambda: web.json_response("scores"),
    "no number": lambda: web.json_response({"results": [{"index": 0, "relevance_score": "high"}] * 3}),
    "3 texts": lambda: web.json_response({"results": [{"index": at, "relevance_score": 0.5} for at in range(2)]}),
    "3 texts, one twice": lambda: web.json_response({"results": [{"index": 0, "relevance_score": 0.5}] * 3}),
    "too long": lambda: web.Response(body=b" " * (2 << 20)),
}


@pytest.mark.parametrize("wrong", WRONG)
async def test_every_wrong_answer_is_an_error_without_the_servers_words_or_the_key(wrong: str) -> None:
    async with FakeReranker(likely) as server, remote_reranker("cohere", server.url, "m", KEY) as reranker:
        server.answer = WRONG[wrong]
        with pytest.raises(RerankError) as caught:
            await reranker.score("q", TEXTS)
        assert len(server.requests) == 1, "nothing is tried twice, no redirect is followed"
    assert SECRET_WORDS not in str(caught.value)
    assert KEY not in str(caught.value)
    if wrong.isdigit():
        assert wrong in str(caught.value)


async def test_a_server_that_hangs_or_is_not_there_is_an_error_in_time() -> None:
    async with FakeReranker(likely) as server, remote_reranker("cohere", server.url, "m", KEY, seconds=0.2) as reranker:
        server.hangs = True
        with pytest.raises(RerankError, match="can't be reached"):
            await reranker.score("q", TEXTS)
        gone = server.url
    async with remote_reranker("cohere", gone, "m", KEY) as reranker:
        with pytest.raises(RerankError, match="can't be reached"):
            await reranker.score("q", TEXTS)


def test_without_an_address_each_service_is_asked_at_its_own() -> None:
    assert {name: dialect.base for name, dialect in DIALECTS.items()} == {
        "cohere": "https://api.cohere.com",
        "jina": "https://api.jina.ai",
        "tei": "",
    }
