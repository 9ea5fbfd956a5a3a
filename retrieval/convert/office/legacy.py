"""Reads Word's old format (DOC) by a program that is installed: antiword, catdoc or LibreOffice."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from retrieval.convert.office.tables import has_head
from retrieval.convert.office.text import decoded, name_of
from retrieval.convert.office.word import convert_docx
from retrieval.convert.office.writing import BlockWriter, one_line
from retrieval.document import Document
from retrieval.errors import ConvertError
from retrieval.text.language import detect

OLE_START = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""The bytes that all of the old Office formats begin with."""
# Names of streams as they stand in the file's own directory.
WORD_STREAM = "WordDocument".encode("utf-16-le")
ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
"""The stream that a newer Office file with a password is packed into."""
PROGRAM_SECONDS = 60
"""The longest time that a program may take for one file; chosen by hand."""
WHAT_TO_DO = "open it in Word or LibreOffice, save it as .docx or PDF and add that"


def convert_doc(body: bytes, url: str) -> Document:
    """The document's text; raises ConvertError for other formats, and where no program that reads it is installed."""
    if ENCRYPTED_STREAM in body:
        raise ConvertError("is protected by a password; save it without protection and add it again", about=url)
    if WORD_STREAM not in body:
        raise ConvertError("is an Office file of before 2007; save it as .xlsx, .pptx or PDF and add that", about=url)
    if shutil.which("antiword"):
        return _from_text(_output_of(["antiword", "-m", "UTF-8.txt", "-w", "0", "-"], body, url), url)
    if shutil.which("catdoc"):
        return _from_text(_output_of(["catdoc", "-d", "utf-8", "-w", "-"], body, url), url)
    if office := shutil.which("soffice") or shutil.which("libreoffice"):
        return _by_libreoffice(office, body, url)
    raise ConvertError(f"is in Word's old format, which needs antiword or LibreOffice here; {WHAT_TO_DO}", about=url)


def _output_of(command: list[str], body: bytes, url: str) -> bytes:
    """What a program prints for a file; raises ConvertError when it fails, prints nothing or takes too long."""
    try:
        done = subprocess.run(command, input=body, capture_output=True, timeout=PROGRAM_SECONDS, check=False)  # noqa: S603 - fixed words
    except subprocess.TimeoutExpired as error:
        raise ConvertError(
            f"takes {command[0]} longer than {PROGRAM_SECONDS} s to read; {WHAT_TO_DO}",
            about=url,
        ) from error
    if done.returncode or not done.stdout.strip():
        said = one_line(done.stderr.decode("utf-8", "replace"))[:120]
        raise ConvertError(f"can't be read by {command[0]} ({said or 'it found no text'}); {WHAT_TO_DO}", about=url)
    return done.stdout


def _by_libreoffice(office: str, body: bytes, url: str) -> Document:
    """The file made into DOCX by LibreOffice, with a profile of its own so that one that is running doesn't matter."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "document.doc"
        source.write_bytes(body)
        profile = f"-env:UserInstallation=file://{folder}/profile"
        command = [office, profile, "--headless", "--convert-to", "docx", "--outdir", folder, str(source)]
        try:
            subprocess.run(command, capture_output=True, timeout=PROGRAM_SECONDS, check=False)  # noqa: S603 - fixed words and own names
            docx = source.with_suffix(".docx").read_bytes()
        except (subprocess.TimeoutExpired, FileNotFoundError) as error:
            raise ConvertError(f"can't be read by LibreOffice; {WHAT_TO_DO}", about=url) from error
    return convert_docx(docx, url)


def _from_text(output: bytes, url: str) -> Document:
    """The document that a program's lines are: each a paragraph, an item or, between `|`, a row of cells."""
    blocks, rows = BlockWriter(), list[list[str]]()
    for line in [*decoded(output).split("\n"), ""]:
        if line.startswith("|"):
            rows.append([one_line(cell) for cell in line.strip().strip("|").split("|")])
            continue
        if rows:
            joined = _wrapped_rows_joined(rows)
            blocks.table(joined, head=has_head(joined))
            rows = []
        if item := re.match(r"\s*[•·▪◦*]\s+(?=\S)", line):
            blocks.item(line[item.end() :])
        else:
            blocks.paragraph(line)
    markdown = blocks.markdown()
    return Document(url=url, title=name_of(url), markdown=markdown, language=detect(markdown))


def _wrapped_rows_joined(rows: list[list[str]]) -> list[list[str]]:
    """The rows, each one with an empty first cell joined to the row that it goes on with."""
    joined: list[list[str]] = []
    for row in rows:
        if joined and not row[0] and any(row) and len(row) == len(joined[-1]):
            joined[-1] = [one_line(f"{above} {cell}") for above, cell in zip(joined[-1], row, strict=True)]
        else:
            joined.append(row)
    return joined
