"""Ranking as it is configured: a file, the environment, and servers on loopback."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from aiohttp import web

from bot.app import configured
from bot.cli.doctor import examined
from bot.cli.search import as_json
from retrieval.errors import RerankError
from tests.journeys.business import ADDRESSES
from tests.journeys.house import House
from tests.standins.fake_model import FakeModel, Messages, status
from tests.standins.fake_reranker import FakeReranker

REMOTE = """
[retrieval]
mode = "keyword"
threshold = 0.0
rerank = "remote"
rerank_dialect = "jina"
rerank_model = "m"
rerank_url = "{url}"
"""
KEY = "rr-very-secret-key"


async def test_a_remote_re_ranker_orders_the_hits_and_its_key_comes_from_a_file(house: House, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"{KEY}\n", encoding="utf-8")
    async with FakeReranker(lambda _, text: 0.9 if "vest" in text else 0.2) as server:
        environ = {"FRONTDESK_RERANK_API_KEY_FILE": str(tmp_path / "key")}
        async with house.bot(REMOTE.format(url=server.url), environ) as bot:
            found = await bot.knowledge.search("price of a double kayak")
        assert server.requests[0].authorization == f"Bearer {KEY}"
    hits = as_json("price of a double kayak", found)["hits"]
    first, last = hits[0], hits[-1]
    assert "vest" in first["text"]
    assert first["rerank"] == pytest.approx(2.197, abs=1e-3)
    assert (first["relevance"], last["relevance"]) == ("HIGH", "LOW")


async def test_a_re_ranker_that_fails_costs_nothing_but_its_order(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    async with FakeReranker(lambda _, text: 0.5) as server:
        server.answer = lambda: web.Response(status=503)
        toml = REMOTE.format(url=server.url)
        async with house.bot(toml, {"FRONTDESK_RERANK_API_KEY": KEY}) as bot:
            with caplog.at_level(logging.WARNING):
                found = await bot.knowledge.search("double kayak")
        async with house.bot(toml.replace('"remote"', '"features"')) as bot:
            plain = await bot.knowledge.search("double kayak")
    assert [hit.chunk_id for hit in found.hits] == [hit.chunk_id for hit in plain.hits]
    assert all(hit.rerank is None for hit in found.hits)
    assert [record.getMessage() for record in caplog.records] == [
        "the re-ranker m failed, the fused order stays: the re-ranking server answered 503"
    ]


async def test_a_model_that_is_not_there_is_told_at_the_start(house: House) -> None:
    pytest.importorskip("onnxruntime")
    toml = '[retrieval]\nmode = "keyword"\nrerank = "onnx"\nrerank_path = "models/cross"\n'
    with pytest.raises(RerankError, match=r"models/cross/model\.onnx: there is no such file"):
        async with house.bot(toml):
            pass


async def test_doctor_asks_for_the_key_of_a_service(tmp_path: Path) -> None:
    file = tmp_path / "frontdesk.toml"
    file.write_text(REMOTE.format(url=""), encoding="utf-8")
    checks = await examined(configured(file, {}), tmp_path / "data")
    assert [check.text for check in checks if check.name == "secrets"] == [
        "retrieval.rerank is remote, but FRONTDESK_RERANK_API_KEY is not set"
    ]


@pytest.mark.parametrize(("key", "light"), [("features", True), ("none", False)])
async def test_the_settings_reach_the_search(house: House, key: str, light: bool) -> None:
    toml = f'[retrieval]\nmode = "keyword"\nrerank = "{key}"\nper_page = 2\nhyde = true\nqueries = 4\n'
    async with house.bot(toml) as bot:
        options = bot.knowledge.options
    assert (options.light, options.per_page, options.hyde, options.queries) == (light, 2, True, 4)


WIDER = """
[retrieval]
hyde = true
queries = 2
[model]
provider = "openai"
name = "large"
fast_name = "small"
base_url = "{model}"
"""


def imagines(messages: Messages) -> str:
    asks = str(messages[0]["content"])
    if "paragraph" in asks:
        return "Small dogs may come along in a double kayak."
    return "Are pets allowed on board?" if "anew" in asks else "Small dogs may come.[1]"


async def test_the_fast_model_imagines_an_answer_and_asks_in_other_words(house: House) -> None:
    async with FakeModel(imagines) as model, house.bot(WIDER.format(model=model.url)) as bot:
        found = await bot.knowledge.search("can my poodle join us")
        assert found.hits[0].url == ADDRESSES["Dogs on board"]
        assert [request["model"] for request in model.requests] == ["small", "small"]
        model.fail(status(500), status(500), status(500), status(500))
        plain = await bot.knowledge.search("can my poodle join us")
        alone = await bot.knowledge.search("can my poodle join us", hyde=False, queries=1)
    assert [(hit.chunk_id, hit.score) for hit in plain.hits] == [(hit.chunk_id, hit.score) for hit in alone.hits]
