"""Reads scanned pages by tesseract, where that is installed."""

from __future__ import annotations

import re
import shutil
import subprocess

import pypdfium2 as pdfium

from retrieval.convert.pdf.hyphen import join_lines
from retrieval.convert.pdf.limits import PDF_LIMITS
from retrieval.errors import ConvertError

SCAN_DOTS_PER_INCH = 250
"""Resolution of the picture that is read; chosen by hand, no command measures it."""
MOST_OCR_LANGUAGES = 5
"""Languages that tesseract is asked to read at once; each makes it slower."""


def tesseract() -> str:
    """The path of the program; empty where it isn't installed."""
    return shutil.which("tesseract") or ""


def page_image(page: pdfium.PdfPage, most_pixels: int = PDF_LIMITS.scan_pixels) -> bytes:
    """The page in shades of grey, as a portable graymap (P5) of about `most_pixels` pixels at most."""
    width, height = page.get_size()
    scale = min(SCAN_DOTS_PER_INCH / 72, (most_pixels / max(width * height, 1.0)) ** 0.5)
    bitmap = page.render(scale=scale, grayscale=True)
    try:
        rows = memoryview(bitmap.buffer)
        lines = [bytes(rows[at * bitmap.stride : at * bitmap.stride + bitmap.width]) for at in range(bitmap.height)]
        return b"P5\n%d %d\n255\n" % (bitmap.width, bitmap.height) + b"".join(lines)
    finally:
        bitmap.close()


def read_image(image: bytes, url: str, seconds: float = PDF_LIMITS.scan_seconds) -> str:
    """The text of a picture, paragraphs parted by an empty line; raises ConvertError when it can't be read in time."""
    command = [tesseract(), "stdin", "stdout", "-l", _installed_languages(seconds), "--psm", "1"]
    try:
        done = subprocess.run(command, input=image, capture_output=True, timeout=seconds, check=True)  # noqa: S603 - fixed words
    except subprocess.TimeoutExpired as error:
        raise ConvertError(
            f"has a scanned page that takes longer than {seconds:g} s to read; scan it anew",
            about=url,
        ) from error
    except (subprocess.CalledProcessError, OSError) as error:
        raise ConvertError("has a scanned page that tesseract can't read; check its installation", about=url) from error
    text = done.stdout.decode("utf-8", "replace").replace("\f", "")
    parts = [[line.strip() for line in part.split("\n") if line.strip()] for part in re.split(r"\n\s*\n", text)]
    return "\n\n".join(join_lines(part) for part in parts if part)


def _installed_languages(seconds: float) -> str:
    """The languages that are installed, English first, as tesseract wants them: `eng+deu`."""
    done = subprocess.run([tesseract(), "--list-langs"], capture_output=True, timeout=seconds, check=False)  # noqa: S603
    names = re.findall(r"^[a-z]{3}(?:_[a-zA-Z]+)?$", done.stdout.decode("utf-8", "replace"), flags=re.M)
    ordered = sorted((name for name in names if name != "osd"), key=lambda name: (name != "eng", name))
    return "+".join(ordered[:MOST_OCR_LANGUAGES]) or "eng"
