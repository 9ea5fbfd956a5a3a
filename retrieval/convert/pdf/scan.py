"""Scanned pages, read by tesseract where it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess

import pypdfium2 as pdfium

from retrieval.convert.pdf.hyphen import join_lines
from retrieval.errors import ConvertError

DOTS_PER_INCH = 250
MOST_PIXELS = 30_000_000
SECONDS = 90
"""The longest time that one page may take."""
MOST_LANGUAGES = 5


def program() -> str:
    """Where tesseract is; empty when it isn't installed."""
    return shutil.which("tesseract") or ""


def picture(page: pdfium.PdfPage) -> bytes:
    """The page in shades of grey, as a portable graymap."""
    width, height = page.get_size()
    scale = min(DOTS_PER_INCH / 72, (MOST_PIXELS / max(width * height, 1.0)) ** 0.5)
    bitmap = page.render(scale=scale, grayscale=True)
    try:
        rows = memoryview(bitmap.buffer)
        lines = [bytes(rows[at * bitmap.stride : at * bitmap.stride + bitmap.width]) for at in range(bitmap.height)]
        return b"P5\n%d %d\n255\n" % (bitmap.width, bitmap.height) + b"".join(lines)
    finally:
        bitmap.close()


def read(image: bytes, url: str) -> str:
    """The text of a picture as paragraphs; raises ConvertError when it takes too long or can't be read."""
    command = [program(), "stdin", "stdout", "-l", _languages(), "--psm", "1"]
    try:
        done = subprocess.run(command, input=image, capture_output=True, timeout=SECONDS, check=True)  # noqa: S603 - fixed words
    except subprocess.TimeoutExpired as error:
        raise ConvertError(
            f"{url}: has a scanned page that takes longer than {SECONDS} s to read; scan it anew"
        ) from error
    except (subprocess.CalledProcessError, OSError) as error:
        raise ConvertError(f"{url}: has a scanned page that tesseract can't read; check its installation") from error
    text = done.stdout.decode("utf-8", "replace").replace("\f", "")
    parts = [[line.strip() for line in part.split("\n") if line.strip()] for part in re.split(r"\n\s*\n", text)]
    return "\n\n".join(join_lines(part) for part in parts if part)


def _languages() -> str:
    """The languages that are installed, English first."""
    done = subprocess.run([program(), "--list-langs"], capture_output=True, timeout=SECONDS, check=False)  # noqa: S603
    found = re.findall(r"^[a-z]{3}(?:_[a-zA-Z]+)?$", done.stdout.decode("utf-8", "replace"), flags=re.M)
    ordered = sorted((name for name in found if name != "osd"), key=lambda name: (name != "eng", name))
    return "+".join(ordered[:MOST_LANGUAGES]) or "eng"
