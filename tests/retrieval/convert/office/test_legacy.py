"""Word's old format, read by programs that are installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.convert.convert import convert
from retrieval.convert.office.legacy import OLE_START, WORD_STREAM
from retrieval.document import Page
from retrieval.errors import ConvertError
from tests.retrieval.convert.office.packages import word

OLD = OLE_START + b"\x00" * 600 + WORD_STREAM


def test_old_word_files_are_read_by_antiword_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "antiword"
    program.write_text(
        "#!/bin/sh\nprintf 'Terms\\n\\nPay first.\\n|Boat |Euro|\\n|Dinghy |50 |\\n|blue | |\\n* cash\\n'\n",
        encoding="utf-8",
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    document = convert(Page("https://x.example/a.doc", OLD))
    assert document.markdown == (
        "Terms\n\nPay first.\n\n| Boat | Euro |\n| --- | --- |\n| Dinghy | 50 |\n| blue |  |\n\n- cash\n"
    )
    program.write_text("#!/bin/sh\necho 'not a Word file' >&2; exit 1\n", encoding="utf-8")
    with pytest.raises(ConvertError, match=r"antiword \(not a Word file\); open it in Word"):
        convert(Page("https://x.example/a.doc", OLD))


def test_old_word_files_are_made_new_by_libreoffice_where_that_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "made.docx").write_bytes(word(("Heading 1", "Terms")))
    program = tmp_path / "soffice"
    program.write_text(f'#!/bin/sh\ncp {tmp_path}/made.docx "$6/document.docx"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConvertError, match="can't be read by LibreOffice"):
        convert(Page("https://x.example/a.doc", OLD))  # without `cp` on the path it makes nothing
    (tmp_path / "cp").symlink_to("/bin/cp")
    assert convert(Page("https://x.example/a.doc", OLD)).markdown == "# Terms\n"


def test_old_office_files_without_a_program_say_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConvertError, match=r"needs antiword or LibreOffice here; open it .* save it as \.docx"):
        convert(Page("https://x.example/a.doc", OLD))
    with pytest.raises(ConvertError, match="protected by a password"):
        convert(Page("https://x.example/a.xlsx", OLE_START + b"\x00" * 600 + "EncryptedPackage".encode("utf-16-le")))
    with pytest.raises(ConvertError, match=r"before 2007; save it as \.xlsx"):
        convert(Page("https://x.example/a.xls", OLE_START + b"\x00" * 600))
