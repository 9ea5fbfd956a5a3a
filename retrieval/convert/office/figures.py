"""Writes a spreadsheet's numbers as its reader sees them: dates, percentages, prices, by the cell's number format."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

# The numbers of formats that a file doesn't spell out (ECMA-376 part 1, 18.8.30).
BUILT_IN_FORMATS = {
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    14: "yyyy-mm-dd",  # the short date of the reader's country, which the file doesn't say
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm",
    37: "#,##0;(#,##0)",
    38: "#,##0;(#,##0)",
    39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss",
    48: "0.0E+0",
}
# [Red], [>100] and the like, `_x` (a space as wide as x) and `*x` (fill with x) match without a group: they show nothing.
FORMAT_PIECE = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[(?P<elapsed>h+|m+|s+)\]|\[[^\]]*\]|_.|\*.'
    r"|(?P<half>AM/PM|A/P)|(?P<date>y+|m+|d+|h+|s+|e+(?![+-]))|(?P<number>[0#?,.]*[0#?][0#?,.]*(?:E[+-][0#?]+)?)"
    r"|(?P<other>.)",
    re.I | re.S,
)
MONTH_NAMES = "January February March April May June July August September October November December".split()
WEEKDAY_NAMES = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()

FormatPiece = tuple[str, str]
"""(kind, letters) of one piece of a format; kinds: literal, number, date, half (AM/PM), elapsed, nothing."""


def formatted(number: float, code: str, *, from_1904: bool = False) -> str:
    """A number in a cell's format, such as `#,##0.00` or `d mmm yyyy`; where we don't know the format, the number itself.

    `from_1904`: the workbook counts days from 1904, as old ones from a Mac do.
    """
    if code in ("", "General", "@"):
        return general(number)
    sections = _sections_of_format(code)
    section = sections[0]
    if number < 0 and len(sections) > 1:
        section, number = sections[1], -number
    elif number == 0 and len(sections) > 2:
        section = sections[2]
    parts = [_format_piece(match) for match in FORMAT_PIECE.finditer(section)]
    if any(kind in ("date", "half", "elapsed") for kind, _ in parts):
        return _formatted_date(number, parts, from_1904=from_1904)
    return _formatted_number(number, parts)


def general(number: float) -> str:
    """A number without a format, with at most the ten digits that a cell shows."""
    if number == int(number) and abs(number) < 1e15:
        return str(int(number))
    return format(number, ".10g")


def _sections_of_format(code: str) -> list[str]:
    """The parts of a format between semicolons: for positive numbers, negative ones, and zero."""
    return re.findall(r'(?:"[^"]*"|\\.|\[[^\]]*\]|[^;])+', code) or [""]


def _format_piece(match: re.Match[str]) -> FormatPiece:
    kind = match.lastgroup or "nothing"
    return ("literal" if kind in ("quoted", "escaped", "currency", "other") else kind), match[
        kind
    ] if match.lastgroup else ""


def _formatted_number(number: float, parts: list[FormatPiece]) -> str:
    if any(kind == "literal" and "%" in text for kind, text in parts):
        number *= 100
    patterns = [text for kind, text in parts if kind == "number"]
    if not patterns:
        return "".join(text for _, text in parts) or general(number)
    if len(patterns) > 1 or any(text == "/" for _, text in parts):
        return general(number)
    written = _digits(number, patterns[0])
    return "".join(written if kind == "number" else text for kind, text in parts).strip()


def _digits(number: float, pattern: str) -> str:
    whole, _, decimals = pattern.upper().partition(".")
    if "E" in pattern.upper():
        places = sum(letter in "0#?" for letter in decimals.partition("E")[0])
        return format(number, f".{places}E")
    # commas behind the last digit divide by a thousand each: 0.0,, shows millions
    scale = len(whole) - len(whole.rstrip(",")) if not decimals else len(decimals) - len(decimals.rstrip(","))
    number /= 1000**scale
    places = sum(letter in "0#?" for letter in decimals)
    text = format(number, f"{',' if ',' in whole.rstrip(',') else ''}.{places}f")
    optional = len(decimals) - len(decimals.rstrip("#?"))
    for _ in range(optional):
        text = text[:-1] if text.endswith("0") else text
    text = text.rstrip(".") if places else text
    least = whole.count("0")
    sign, figures = ("-", text[1:]) if text.startswith("-") else ("", text)
    return sign + ("0" * max(0, least - len(figures.partition(".")[0].replace(",", ""))) + figures)


def _formatted_date(number: float, parts: list[FormatPiece], *, from_1904: bool) -> str:
    # Excel counts a 29 February 1900 that never was; from March 1900 on, counting from 30 December 1899 is right.
    first = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30)  # noqa: DTZ001 - a sheet's time has no zone
    try:
        when = first + timedelta(seconds=round(number * 86400))
    except OverflowError:
        return general(number)
    half = any(kind == "half" for kind, _ in parts)
    text = ""
    for index, (kind, letters) in enumerate(parts):
        if kind == "elapsed":
            unit = {"h": 3600, "m": 60, "s": 1}[letters[0].lower()]
            text += str(round(number * 86400) // unit)
        elif kind == "half":
            text += "AM" if when.hour < 12 else "PM"
        elif kind == "date":
            minutes = letters[0].lower() == "m" and _is_minutes(parts, index)
            text += _formatted_unit(when, letters.lower(), half=half, minutes=minutes)
        elif kind == "literal":
            text += letters
    return text.strip()


def _is_minutes(parts: list[FormatPiece], index: int) -> bool:
    """Whether an `m` means minutes: it stands behind hours or before seconds, else it means months."""
    times = [(at, text[0].lower()) for at, (kind, text) in enumerate(parts) if kind in ("date", "elapsed")]
    before = [letter for at, letter in times if at < index]
    after = [letter for at, letter in times if at > index]
    return (bool(before) and before[-1] == "h") or (bool(after) and after[0] == "s")


def _formatted_unit(when: datetime, letters: str, *, half: bool, minutes: bool) -> str:
    kind, size = letters[0], len(letters)
    if kind == "m" and not minutes:
        names = {3: MONTH_NAMES[when.month - 1][:3], 4: MONTH_NAMES[when.month - 1], 5: MONTH_NAMES[when.month - 1][:1]}
        return names.get(size) or f"{when.month:0{min(size, 2)}d}"
    if kind == "d" and size > 2:
        return WEEKDAY_NAMES[when.weekday()][: 3 if size == 3 else None]
    if kind in ("y", "e"):
        return str(when.year) if size > 2 or kind == "e" else f"{when.year % 100:02d}"
    hour = when.hour if not half else (when.hour - 1) % 12 + 1
    values = {"m": when.minute, "d": when.day, "h": hour, "s": when.second}
    return f"{values[kind]:0{min(size, 2)}d}"
