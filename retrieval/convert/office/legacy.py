"""Word's old format (DOC), by a program that is installed: antiword, catdoc or LibreOffice."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from retrieval.convert.office.tables import has_head
from retrieval.convert.office.text import decoded, name_of
from retrieval.convert.office.word import convert_docx
from retrieval.convert.office.writing import Blocks, one_line
from retrieval.document import Document
from retrieval.errors import ConvertError
from retrieval.text.language import detect

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""With which all of the old Office formats begin."""
WORD = "WordDocument".encode("utf-16-le")
LOCKED = "EncryptedPackage".encode("utf-16-le")
"""The stream in which newer Office files with a password lie."""
SECONDS = 60
HOW = "open it in Word or LibreOffice, save it as .docx or PDF and add that"


def convert_doc(body: bytes, url: str) -> Document:
    """The document's text; raises ConvertError when no program that reads it is installed."""
    if LOCKED in body:
        raise ConvertError(f"{url}: is protected by a password; save it without protection and add it again")
    if WORD not in body:
        raise ConvertError(f"{url}: is an Office file of before 2007; save it as .xlsx, .pptx or PDF and add that")
    if shutil.which("antiword"):
        return _from_text(_run(["antiword", "-m", "UTF-8.txt", "-w", "0", "-"], body, url), url)
    if shutil.which("catdoc"):
        return _from_text(_run(["catdoc", "-d", "utf-8", "-w", "-"], body, url), url)
    if office := shutil.which("soffice") or shutil.which("libreoffice"):
        return _by_office(office, body, url)
    raise ConvertError(f"{url}: is in Word's old format, which needs antiword or LibreOffice here; {HOW}")


def _run(command: list[str], body: bytes, url: str) -> bytes:
    try:
        done = subprocess.run(command, input=body, capture_output=True, timeout=SECONDS, check=False)  # noqa: S603 - fixed words
    except subprocess.TimeoutExpired as error:
        raise ConvertError(f"{url}: takes {command[0]} longer than {SECONDS} s to read; {HOW}") from error
    if done.returncode or not done.stdout.strip():
        said = one_line(done.stderr.decode("utf-8", "replace"))[:120]
        raise ConvertError(f"{url}: can't be read by {command[0]} ({said or 'it found no text'}); {HOW}")
    return done.stdout


def _by_office(office: str, body: bytes, url: str) -> Document:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "document.doc"
        source.write_bytes(body)
        profile = f"-env:UserInstallation=file://{folder}/profile"
        command = [office, profile, "--headless", "--convert-to", "docx", "--outdir", folder, str(source)]
        try:
            subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)  # noqa: S603 - fixed words and own names
            made = source.with_suffix(".docx").read_bytes()
        except (subprocess.TimeoutExpired, FileNotFoundError) as error:
            raise ConvertError(f"{url}: can't be read by LibreOffice; {HOW}") from error
    return convert_docx(made, url)


def _from_text(output: bytes, url: str) -> Document:
    """The program's lines: one a paragraph, `|` between the cells of a table."""
    blocks, rows = Blocks(), list[list[str]]()
    for line in [*decoded(output).split("\n"), ""]:
        if line.startswith("|"):
            rows.append([one_line(cell) for cell in line.strip().strip("|").split("|")])
            continue
        if rows:
            whole = _whole(rows)
            blocks.table(whole, head=has_head(whole))
            rows = []
        if item := re.match(r"\s*[•·▪◦*]\s+(?=\S)", line):
            blocks.item(line[item.end() :])
        else:
            blocks.paragraph(line)
    markdown = blocks.markdown()
    return Document(url=url, title=name_of(url), markdown=markdown, language=detect(markdown))


def _whole(rows: list[list[str]]) -> list[list[str]]:
    """Rows whose first cell is empty go on with the cells above them."""
    found: list[list[str]] = []
    for row in rows:
        if found and not row[0] and any(row) and len(row) == len(found[-1]):
            found[-1] = [one_line(f"{above} {cell}") for above, cell in zip(found[-1], row, strict=True)]
        else:
            found.append(row)
    return found
