"""Small PDF files, written by hand."""

from __future__ import annotations

from collections.abc import Sequence

Piece = tuple[float, float, float, str] | bytes
"""From the left, from the bottom, size of type (in points), text; or a page's operators as they are."""


Link = tuple[float, float, float, float, str]
"""Left, bottom, right, top of a place on the first page, and the address that it leads to."""


def pdf(
    *pages: Sequence[Piece],
    title: str = "",
    listed: int | None = None,
    encrypted: bool = False,
    links: Sequence[Link] = (),
) -> bytes:
    """A PDF in Helvetica; `listed` is the number of pages that it claims to have."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
        b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>"
        b"\nstream\n\xee\nendstream",
    ]
    kids: list[bytes] = []
    marks = b"".join(_annotation(link) for link in links)
    for page in pages:
        content = b"\n".join(_shown(piece) for piece in page)
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R /Annots [%s]"
            b" /Resources << /Font << /F1 3 0 R /F2 4 0 R >> /XObject << /Im 5 0 R >> >> >>"
            % (len(objects), marks if not kids else b"")
        )
        kids.append(b"%d 0 R" % len(objects))
    kids += [b"99 0 R"] * ((listed or len(pages)) - len(pages))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    objects.append(b"<< /Title (%s) >>" % title.encode())
    trailer = b"/Info %d 0 R" % len(objects)
    if encrypted:
        key = b"ab" * 32
        objects.append(b"<< /Filter /Standard /V 1 /R 2 /O <%s> /U <%s> /P -4 >>" % (key, key))
        trailer += b" /Encrypt %d 0 R /ID [<00> <00>]" % len(objects)
    return _file(objects, trailer)


def _shown(piece: Piece, font: str = "F1") -> bytes:
    if isinstance(piece, bytes):
        return piece
    x, y, size, text = piece
    safe = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"BT /{font} {size} Tf {x} {y} Td ({safe}) Tj ET".encode("cp1252")


def bold(x: float, y: float, size: float, text: str) -> bytes:
    """A line in bold type."""
    return _shown((x, y, size, text), "F2")


def stroke(x0: float, y0: float, x1: float, y1: float) -> bytes:
    """A ruled line."""
    return f"{x0} {y0} m {x1} {y1} l S".encode()


def picture(width: float = 595, height: float = 842) -> bytes:
    """A grey picture over the page, as a scanner makes it."""
    return f"q {width} 0 0 {height} 0 0 cm /Im Do Q".encode()


def _annotation(link: Link) -> bytes:
    *place, address = link
    rect = " ".join(map(str, place))
    return f"<< /Type /Annot /Subtype /Link /Rect [{rect}] /A << /S /URI /URI ({address}) >> >>".encode()


def grid(
    rows: Sequence[Sequence[str]], *, left: float = 50, top: float = 700, widths: Sequence[float], ruled: bool = True
) -> list[Piece]:
    """A table in 10 points with rows of 20 points; a text may have lines, 12 points apart, in a higher row."""
    pieces: list[Piece] = []
    y = top
    xs = [left + sum(widths[:at]) for at in range(len(widths) + 1)]
    for row in rows:
        high = 8 + 12 * max(len(text.split("\n")) for text in row)
        for x, text in zip(xs, row, strict=False):
            pieces += [(x + 4, y - 14 - 12 * at, 10, line) for at, line in enumerate(text.split("\n")) if line]
        if ruled:
            pieces += [stroke(xs[0], y, xs[-1], y), *(stroke(x, y, x, y - high) for x in xs)]
        y -= high
    return [*pieces, stroke(xs[0], y, xs[-1], y)] if ruled else pieces


def _file(objects: Sequence[bytes], trailer: bytes) -> bytes:
    body, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, item in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, item)
    start = len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    body += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    body += b"trailer << /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, trailer, start)
    return bytes(body)


def lines(text: str, *, left: float = 50, top: float = 700, size: float = 10) -> list[Piece]:
    """One piece for each line of the text, set solid downwards."""
    return [(left, top - 12 * at, size, line) for at, line in enumerate(text.split("\n"))]
