"""What people give the command line by mistake, and what strangers' addresses do: a sentence each, and no harm."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.cli.convert import run as convert
from bot.cli.main import parser
from tests.bot.cli.test_commands import frontdesk
from tests.standins.site import Answer, Site


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "hire.md").write_text("# Hire\n\nA kayak costs £36.\n", encoding="utf-8")
    (tmp_path / "frontdesk.toml").write_text('[retrieval]\nmode = "keyword"\n', encoding="utf-8")
    return tmp_path


def test_an_import_that_fails_is_a_sentence_and_keeps_nothing_else_out(folder: Path) -> None:
    (folder / "old.jsonl").write_bytes('{"text": "Für dich"}'.encode("cp1252"))
    said = frontdesk(folder, "add", "old.jsonl", "documents/hire.md", status=1)
    assert said == "old.jsonl: isn't in UTF-8; save it in that encoding and add it again\n"
    assert json.loads(frontdesk(folder, "search", "kayak", "--json"))["hits"]
    (folder / "half.jsonl").write_text(r'{"text": "Half a letter: \ud83d"}', encoding="utf-8")
    assert frontdesk(folder, "add", "half.jsonl", status=1).startswith("half.jsonl:1: not a document")
    (folder / "marked.jsonl").write_text('\ufeff{"text": "A mark of the byte order is no fault."}', encoding="utf-8")
    assert frontdesk(folder, "add", "marked.jsonl") == "1 documents imported\n"


def test_an_address_with_a_password_is_neither_stored_nor_shown(folder: Path) -> None:
    said = frontdesk(folder, "add", "https://me:secret@shop.example/a", "ftp://x.example/", status=1)
    assert "holds a user name or password" in said
    assert "ftp://x.example/: only http and https" in said
    assert "secret" not in said
    assert b"secret" not in b"".join(path.read_bytes() for path in (folder / "data").rglob("*") if path.is_file())


def test_what_cannot_be_converted_is_a_sentence(folder: Path) -> None:
    assert frontdesk(folder, "convert", "gone.pdf", status=1).startswith("gone.pdf: can't be read (No such file")
    assert frontdesk(folder, "convert", "documents", status=1).startswith("documents: can't be read (Is a directory)")
    said = frontdesk(folder, "convert", "documents/hire.md", "--base", "http://[x", status=1)
    assert said == "--base http://[x: can't be read as an address\n"


async def test_the_name_of_a_page_cannot_lead_out_of_the_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with Site({"/go": Answer(location="/..%2F..%2Fup"), "/..%2F..%2Fup": "<main>Up</main>"}) as site:
        arguments = parser("convert").parse_args(
            ["convert", f"{site.url}/go", "--out", str(tmp_path / "a" / "b" / "out")]
        )
        assert await convert(arguments) == 0
    assert [path.name for path in (tmp_path / "a" / "b" / "out").iterdir()] == ["_.._up.md"]
    assert capsys.readouterr().err == ""
