"""The command line as a person and a program use it, in a process of its own where it matters."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from bot.cli.main import main, parser
from bot.errors import FrontdeskError
from bot.run.lock import exclusive

COMMANDS = "init run crawl add convert search ask chat eval gaps doctor db forget export"
PAGES = {
    "hire.md": "# Hire\n\nA single kayak costs £36 for half a day.\n\n## Dogs\n\nDogs may come in a canoe.\n",
    "hours.md": "# Opening hours\n\nWe open at 09:00 and close at 17:30 from April to October.\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "documents").mkdir()
    for name, text in PAGES.items():
        (tmp_path / "documents" / name).write_text(text, encoding="utf-8")
    (tmp_path / "frontdesk.toml").write_text(
        '[bot]\nname = "Tern"\ncontact = "the quay"\n[retrieval]\nmode = "keyword"\n[[sources]]\npath = "documents"\n',
        encoding="utf-8",
    )
    return tmp_path


def frontdesk(folder: Path, *arguments: str, status: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "bot", *arguments], cwd=folder, capture_output=True, text=True, timeout=60,
        env={"PYTHONPATH": str(Path(__file__).parents[3]), "PATH": "/usr/bin:/bin", "HOME": str(folder)},
    )  # fmt: skip
    assert done.returncode == status, done.stderr
    return done.stdout if status == 0 else done.stderr


def test_the_way_from_documents_to_answers(folder: Path) -> None:
    report = json.loads(frontdesk(folder, "crawl", "--json"))
    assert report["sources"][0]["counts"] == {"added": 2}
    found = json.loads(frontdesk(folder, "search", "how much is a kayak", "--json"))
    assert set(found) == {"question", "rewritten", "mode", "verdict", "confidence", "floor", "elapsed_ms", "hits"}
    assert found["hits"][0]["title"] == "Hire"
    assert found["hits"][0]["keyword"]["rank"] == 1
    assert found["hits"][0]["semantic"] is None
    answer = json.loads(frontdesk(folder, "ask", "How much is a single kayak?", "--json"))
    assert answer["outcome"] == "answered"
    assert "£36" in answer["text"]
    assert answer["citations"][0]["title"] == "Hire"
    nothing = json.loads(frontdesk(folder, "ask", "Who wrote Hamlet?", "--json"))
    assert (nothing["outcome"], nothing["gap"]["reason"]) == ("no_answer", "nothing_found")


def test_a_search_keeps_to_a_source_a_language_a_knowledge_base_and_days(folder: Path) -> None:
    frontdesk(folder, "crawl")
    asked = ("search", "kayak", "--json")
    for flags, number in (
        (("--language", "en", "--language", "de"), 1),
        (("--language", "fr"), 0),
        (("--knowledge", "default", "--since", "2020-01-01"), 1),
        (("--knowledge", "staff"), 0),
        (("--source", str(folder / "documents")), 1),
        (("--source", "https://x.example/"), 0),
        (("--until", "2020-01-01"), 0),
    ):
        assert len(json.loads(frontdesk(folder, *asked, *flags))["hits"]) == number, flags
    assert "since: 'May' is no day; write it as 2026-05-31" in frontdesk(folder, *asked, "--since", "May", status=1)


def test_doctor_says_what_is_missing_and_then_that_all_is_well(folder: Path) -> None:
    assert "chunks" in frontdesk(folder, "doctor", status=0)
    frontdesk(folder, "crawl")
    checks = json.loads(frontdesk(folder, "doctor", "--json"))
    assert checks["ok"]
    assert {"config", "secrets", "databases", "index", "sources", "model"} <= {
        check["name"] for check in checks["checks"]
    }


def test_a_crawl_that_is_not_believed_is_an_alarm_until_the_owner_believes_it(folder: Path) -> None:
    for number in range(6):
        (folder / "documents" / f"{number}.md").write_text(
            f"# Page {number}\n\nText of page {number}.\n", encoding="utf-8"
        )
    frontdesk(folder, "crawl")
    for number in range(6):
        (folder / "documents" / f"{number}.md").unlink()
    assert "braked: 6 kept, 2 unchanged; of 8 pages 6 would vanish" in frontdesk(folder, "crawl", status=1)
    frontdesk(folder, "doctor", status=1)
    assert "6 gone" in frontdesk(folder, "crawl", "--accept")
    assert json.loads(frontdesk(folder, "doctor", "--json"))["ok"]


def test_the_report_names_the_facts_that_changed(folder: Path) -> None:
    frontdesk(folder, "crawl")
    path = folder / "documents" / "hire.md"
    path.write_text(PAGES["hire.md"].replace("£36", "£39"), encoding="utf-8")
    report = json.loads(frontdesk(folder, "crawl", "--json"))
    assert {page["change"] for page in report["sources"][0]["pages"]} == {"", "A single kayak costs £36 → £39"}
    path.write_text(PAGES["hire.md"].replace("£36", "£42"), encoding="utf-8")
    assert "hire.md  A single kayak costs £39 → £42" in frontdesk(folder, "crawl")


def test_eval_measures_and_can_fail(folder: Path) -> None:
    frontdesk(folder, "crawl")
    lines = [
        {"id": "1", "question": "what does a kayak cost", "relevant": ["/hire.md"]},
        {"id": "2", "question": "capital of Peru", "answerable": False},
    ]
    file = folder / "q.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    figures = json.loads(frontdesk(folder, "eval", str(file), "--json"))
    assert figures["recall@1"] == 1.0
    assert figures["floor"]["refused_right"] == 1.0
    assert {"questions", "recall@4", "recall@10", "mrr@10", "ndcg@10", "misses"} <= set(figures)
    file.write_text('{"question": "hours", "relevant": ["/nowhere.md"]}', encoding="utf-8")
    assert "recall@4 is 0.000" in frontdesk(folder, "eval", str(file), "--min-recall", "0.5", status=1)
    file.write_text("not json", encoding="utf-8")
    assert "q.jsonl:1" in frontdesk(folder, "eval", str(file), status=1)


def test_imports_keep_their_ids(folder: Path) -> None:
    lines = [
        {
            "id": "doc-7",
            "url": "https://x.example",
            "title": "Lockers",
            "text": "A locker costs £2 a day.",
            "lang": "en",
        },
        {
            "question": "Do you have showers?",
            "answer": "Yes, two warm ones behind the loft.",
            "phrasings": ["Can I wash?"],
        },
    ]
    (folder / "more.jsonl").write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    assert json.loads(frontdesk(folder, "add", "more.jsonl", "--json"))["imported"] == 2
    first = json.loads(frontdesk(folder, "search", "locker", "--json"))["hits"][0]
    assert (first["document_id"], first["url"]) == ("doc-7", "https://x.example")
    for question in ("are there showers", "can I wash?"):
        text = json.loads(frontdesk(folder, "ask", question, "--json"))["text"]
        assert "two warm ones" in text
        assert "Can I wash" not in text


def test_convert_prints_markdown_and_stores_nothing(folder: Path) -> None:
    (folder / "p.html").write_text("<main><h1>A</h1><p>b <a href='c'>d</a></p></main>", encoding="utf-8")
    assert (
        frontdesk(folder, "convert", "p.html", "--base", "https://x.example/") == "# A\n\nb [d](https://x.example/c)\n"
    )
    (folder / "more").mkdir()
    (folder / "more" / "p.html").write_text("<main><p>Two</p></main>", encoding="utf-8")
    frontdesk(folder, "convert", "p.html", "more/p.html", "--out", "out")
    assert (folder / "out" / "p.html-2.md").read_text(encoding="utf-8") == "Two\n"
    assert not (folder / "data").exists()
    assert "not a kind of file" in frontdesk(folder, "convert", sys.executable, status=1)


def test_pages_that_are_converted_together_show_each_other_their_frame(folder: Path) -> None:
    for number in range(5):
        page = f"<main><h1>Page {number}</h1><p>Text {number}.</p><p>Ten percent off all boats!</p></main>"
        (folder / f"{number}.html").write_text(page, encoding="utf-8")
    alone = frontdesk(folder, "convert", "1.html")
    assert alone == "# Page 1\n\nText 1.\n\nTen percent off all boats!\n"
    together = frontdesk(folder, "convert", *(f"{number}.html" for number in range(5)))
    assert together == "".join(f"# Page {number}\n\nText {number}.\n" for number in range(5))


def test_convert_says_what_each_rule_took_away(folder: Path) -> None:
    (folder / "p.html").write_text("<main><h1>A</h1><p>b</p><nav>Menu of boats</nav></main>", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "bot", "convert", "p.html", "--audit"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "# A\n\nb\n"
    assert done.stderr == "p.html: navigation, 13 characters: Menu of boats\n"


def test_backup_restore_and_check(folder: Path) -> None:
    frontdesk(folder, "crawl")
    frontdesk(folder, "db", "backup", "b.zip")
    assert "both databases are sound" in frontdesk(folder, "db", "check")
    frontdesk(folder, "db", "restore", "b.zip")
    assert json.loads(frontdesk(folder, "search", "kayak", "--json"))["hits"]


def test_init_writes_once_and_never_overwrites(tmp_path: Path) -> None:
    told = frontdesk(
        tmp_path, "init", "shop", "--url", "https://their.example/", "--name", 'The "Quay"', "--contact", "a@b.example"
    )
    assert "frontdesk.toml" in told
    assert (tmp_path / "shop" / ".env").stat().st_mode & 0o077 == 0
    assert "already there" in frontdesk(tmp_path, "init", "shop", "--url", "https://their.example/", status=1)
    assert "not a web address" in frontdesk(tmp_path, "init", "other", "--url", "their.example", status=1)
    assert "sources" in frontdesk(tmp_path, "doctor", "-c", "shop/frontdesk.toml")


def test_mistakes_are_sentences(folder: Path) -> None:
    assert "no such visitor" in frontdesk(folder, "forget", "nobody", status=1)
    assert "no such visitor" in frontdesk(folder, "export", "nobody", status=1)
    assert "there is no such file or folder" in frontdesk(folder, "add", "nowhere", status=1)
    assert "no such source" in frontdesk(folder, "crawl", "https://elsewhere.example/", status=1)
    (folder / "frontdesk.toml").write_text("[bot]\nnmae = 1\n", encoding="utf-8")
    assert "bot.nmae: there is no such key" in frontdesk(folder, "doctor", status=1)


def test_wrong_usage_has_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["nonsense"], ["search"], ["eval"]):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 2
    assert "usage" in capsys.readouterr().err


def test_each_command_of_the_interface_has_help() -> None:
    text = parser().format_help()
    for command in COMMANDS.split():
        assert f"    {command} " in text or f"    {command}\n" in text, command


def test_files_that_are_not_there_are_sentences(folder: Path) -> None:
    frontdesk(folder, "crawl")
    assert "nowhere.jsonl: No such file" in frontdesk(folder, "eval", "nowhere.jsonl", status=1)
    assert "nowhere.jsonl: No such file" in frontdesk(folder, "add", "nowhere.jsonl", status=1)
    (folder / "frontdesk.toml").write_text('[bot]\ninstruction_file = "gone.md"\n', encoding="utf-8")
    assert "gone.md can't be read" in frontdesk(folder, "ask", "anything", status=1)


def test_adding_says_for_each_file_what_became_of_it_and_fails_when_one_failed(folder: Path) -> None:
    (folder / "faq.csv").write_text("question,answer\nDo you rent tandems?,No tandems here.\n", encoding="utf-8")
    (folder / "pier.md").write_text("# Pier\n\n## Tickets\n\nThe pier costs two pounds.\n", encoding="utf-8")
    (folder / "odd.bin").write_bytes(b"\x00\x01")
    assert frontdesk(folder, "add", "faq.csv", "pier.md").split() == [
        "added", f"{folder}/faq.csv", "added", f"{folder}/pier.md",
    ]  # fmt: skip
    said = frontdesk(folder, "add", "nowhere.pdf", status=1)
    assert said == "nowhere.pdf: there is no such file or folder\n"
    (folder / "pier.md").write_text("# Pier\n\n## Tickets\n\nThe pier costs three pounds.\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "bot", "add", "faq.csv", "odd.bin", "pier.md", "--json"], cwd=folder, capture_output=True,
        text=True, timeout=60, env={"PYTHONPATH": str(Path(__file__).parents[3]), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.returncode == 1
    pages = [page for source in json.loads(done.stdout)["sources"] for page in source["pages"]]
    assert [page["decision"] for page in pages] == ["unchanged", "failed", "changed"]
    assert "known: .html" in pages[1]["reason"]
    answer = json.loads(frontdesk(folder, "ask", "What does the pier cost?", "--json"))
    assert answer["citations"][0]["title"] == "Pier, Tickets"


def test_an_archive_is_converted_file_by_file(folder: Path) -> None:
    with zipfile.ZipFile(folder / "all.zip", "w") as archive:
        archive.writestr("a.md", "# Alpha")
        archive.writestr("in/b.csv", "Dogs?,Yes")
    assert frontdesk(folder, "convert", "all.zip") == "# Alpha\n## Dogs?\n\nYes\n"
    frontdesk(folder, "convert", "all.zip", "--out", "made")
    assert sorted(path.name for path in (folder / "made").iterdir()) == ["a.md.md", "b.csv.md"]


def test_a_corrupt_database_is_a_sentence_and_no_command_hangs(folder: Path) -> None:
    (folder / "data").mkdir()
    (folder / "data" / "knowledge.db").write_bytes(b"not a database, whatever its name says " * 50)
    for command in (["ask", "anything"], ["db", "check"], ["run", "--port", "0"]):
        assert "knowledge.db: is no database" in frontdesk(folder, *command, status=1)


def test_one_process_a_data_folder(tmp_path: Path) -> None:
    with exclusive(tmp_path), pytest.raises(FrontdeskError, match="another Frontdesk is running"), exclusive(tmp_path):
        pass
    with exclusive(tmp_path):
        pass


def test_empty_questions_and_odd_numbers_are_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (
        ["ask", " "],
        ["search", ""],
        ["search", "x", "-k", "0"],
        ["search", "x", "-k", "-5"],
        ["search", "x", "-k", "²"],
    ):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 2
    assert "empty" in capsys.readouterr().err
