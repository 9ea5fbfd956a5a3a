"""The process itself: how it starts, and what becomes of an answer in whose middle it is killed."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

from tests.channels.web.visitor import person
from tests.journeys.business import PAGES
from tests.standins.fake_model import HANG, FakeModel, source_with

ROOT = Path(__file__).parents[2]
CHAT = re.compile(r"^\s+chat\s+(http://127\.0\.0\.1:\d+)/$", re.M)
QUESTION = "When are you open?"


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """`frontdesk run` as a process of its own, ready; killed in the end."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("FRONTDESK_")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "run", "-c", str(folder / "frontdesk.toml"), "--port", "0"),
        cwd=ROOT,
        env=environ | {"PYTHONPATH": str(ROOT)},
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    said = ""
    try:
        async with asyncio.timeout(40):
            while "ready after" not in said:
                line = await process.stderr.readline()
                assert line, said
                said += line.decode()
        found = CHAT.search(said)
        assert found is not None, said
        yield process, found[1]
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def configured(folder: Path, model: FakeModel) -> None:
    (folder / "pages").mkdir()
    for page in PAGES:
        name = page.url.rpartition("/")[2]
        (folder / "pages" / f"{name}.md").write_text(page.markdown, encoding="utf-8")
    (folder / "frontdesk.toml").write_text(
        f'[retrieval]\nmode = "keyword"\n[[sources]]\npath = "pages"\n'
        f'[model]\nprovider = "openai"\nbase_url = "{model.url}"\n',
        encoding="utf-8",
    )


async def test_a_question_is_answered_once_though_the_process_was_killed_while_the_model_wrote(tmp_path: Path) -> None:
    async with FakeModel(lambda messages: f"From 9:30 to 18:00.[{source_with(messages, '9:30')}]") as model:
        configured(tmp_path, model)
        model.fail(HANG)
        async with running(tmp_path) as (process, base), person(base) as ann:
            token, body = ann.token, {"id": str(uuid4()), "text": QUESTION}
            async with ann.http.post(f"{base}/web/v1/messages", json=body, headers=ann.bearer()) as stream:
                seen = (await stream.content.readuntil(b"delta")).decode()
                process.kill()
                await process.wait()
            assert "event: done" not in seen
        async with running(tmp_path) as (process, base), person(base, token) as ann:
            done = (await ann.events(0))[-1]
            turns = (await ann.history())["turns"]
            assert await ann.say(QUESTION, body["id"]) == [done]
            process.terminate()
            assert await process.wait() == 0
    assert done.data["text"] == "From 9:30 to 18:00. [1]"
    assert [turn["question"] for turn in turns] == [QUESTION]
    assert len(model.asked) == 2


def test_threads_that_count_the_first_tokens_together_do_not_disturb_each_other() -> None:
    script = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from retrieval.text.tokens import count\n"
        "with ThreadPoolExecutor(8) as pool: print(sum(pool.map(count, ['one'] * 8)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert (done.stdout.decode().strip(), done.stderr.decode()) == ("8", "")
