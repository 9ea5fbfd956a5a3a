"""What starting costs: the command line's help beside Python doing nothing, seconds from the command to the first answered
question, first and later start, and the memory before and after 100 questions."""

from __future__ import annotations

import json
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from pathlib import Path

from bot.run import demo
from retrieval.search.evaluate import read_questions


class Running:
    """A Frontdesk with the demo, in a process of its own."""

    def __init__(self, folder: str, port: int) -> None:
        self.began = time.perf_counter()
        command = [sys.executable, "-m", "bot", "run", "--demo", "--port", str(port), "--data", folder]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        lines = iter(self.process.stderr.readline, "")
        self.base = next(found[1] for line in lines if (found := re.search(r"chat +(http\S+)/", line)))
        self.token = self.post("session", {})["token"]

    def post(self, name: str, record: object) -> dict[str, str]:
        """The JSON answer, or the last event of a stream."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {getattr(self, 'token', '')}"}
        request = urllib.request.Request(f"{self.base}/web/v1/{name}", json.dumps(record).encode(), headers)  # noqa: S310
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
            body = answer.read().decode()
        found: dict[str, str] = json.loads(body.rpartition("data: ")[2] if "event:" in body else body)
        return found

    def ask(self, text: str) -> dict[str, str]:
        """One question's reply."""
        return self.post("messages", {"id": str(uuid.uuid4()), "text": text})

    def memory(self) -> float:
        """Resident megabytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]

    def stop(self) -> None:
        """As a service manager would."""
        self.process.terminate()
        self.process.wait(timeout=30)


def wall_seconds(command: list[str]) -> float:
    """The median of nine runs."""

    def once() -> float:
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        return time.perf_counter() - began

    return statistics.median(once() for _ in range(9))


def main() -> None:
    """Print the table."""
    nothing = wall_seconds([sys.executable, "-c", "pass"])
    for option in ("--help", "--version"):
        seconds = wall_seconds([sys.executable, "-m", "bot", option])
        print(f"frontdesk {option}: {seconds:.3f} s, {seconds / nothing:.1f} times python -c pass")
    questions = [item.question for item in read_questions(demo.folder() / "questions.jsonl")][:100]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        for name in ("first start", "later start"):
            running = Running(folder, port)
            reply = running.ask(questions[0])
            assert reply["outcome"] in ("answered", "no_answer")
            print(
                f"{name}: first answer after {time.perf_counter() - running.began:.1f} s, {running.memory():.0f} MB resident"
            )
            for at, text in enumerate(questions if name == "later start" else ()):
                if at % 15 == 14:
                    running.token = running.post("session", {})[
                        "token"
                    ]  # another visitor: one may ask 20 times a minute
                running.ask(text)
            if name == "later start":
                print(f"after {len(questions)} questions: {running.memory():.0f} MB resident")
            running.stop()


if __name__ == "__main__":
    main()
