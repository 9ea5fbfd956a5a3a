"""A spreadsheet's numbers as its reader sees them: dates, percentages, currencies, by the cell's number format."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

BUILT_IN = {
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
TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[(?P<elapsed>h+|m+|s+)\]|\[[^\]]*\]|_.|\*.'
    r"|(?P<half>AM/PM|A/P)|(?P<date>y+|m+|d+|h+|s+|e+(?![+-]))|(?P<number>[0#?,.]*[0#?][0#?,.]*(?:E[+-][0#?]+)?)"
    r"|(?P<other>.)",
    re.I | re.S,
)
MONTHS = "January February March April May June July August September October November December".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()

Part = tuple[str, str]
"""What a piece of a format is, and its letters."""


def shown(number: float, code: str, *, from_1904: bool = False) -> str:
    """The number in a format; where the format is beyond us, the number itself."""
    if code in ("", "General", "@"):
        return general(number)
    sections = _sections(code)
    section = sections[0]
    if number < 0 and len(sections) > 1:
        section, number = sections[1], -number
    elif number == 0 and len(sections) > 2:
        section = sections[2]
    parts = [_part(match) for match in TOKEN.finditer(section)]
    if any(kind in ("date", "half", "elapsed") for kind, _ in parts):
        return _date(number, parts, from_1904=from_1904)
    return _number(number, parts)


def general(number: float) -> str:
    """A number without a format: no more digits than a cell shows."""
    if number == int(number) and abs(number) < 1e15:
        return str(int(number))
    return format(number, ".10g")


def _sections(code: str) -> list[str]:
    return re.findall(r'(?:"[^"]*"|\\.|\[[^\]]*\]|[^;])+', code) or [""]


def _part(match: re.Match[str]) -> Part:
    kind = match.lastgroup or "nothing"
    return ("literal" if kind in ("quoted", "escaped", "currency", "other") else kind), match[
        kind
    ] if match.lastgroup else ""


def _number(number: float, parts: list[Part]) -> str:
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


def _date(number: float, parts: list[Part], *, from_1904: bool) -> str:
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
            text += _time(when, letters.lower(), half=half, minutes=minutes)
        elif kind == "literal":
            text += letters
    return text.strip()


def _is_minutes(parts: list[Part], index: int) -> bool:
    """An `m` means minutes behind hours and before seconds."""
    times = [(at, text[0].lower()) for at, (kind, text) in enumerate(parts) if kind in ("date", "elapsed")]
    before = [letter for at, letter in times if at < index]
    after = [letter for at, letter in times if at > index]
    return (bool(before) and before[-1] == "h") or (bool(after) and after[0] == "s")


def _time(when: datetime, letters: str, *, half: bool, minutes: bool) -> str:
    kind, size = letters[0], len(letters)
    if kind == "m" and not minutes:
        names = {3: MONTHS[when.month - 1][:3], 4: MONTHS[when.month - 1], 5: MONTHS[when.month - 1][:1]}
        return names.get(size) or f"{when.month:0{min(size, 2)}d}"
    if kind == "d" and size > 2:
        return DAYS[when.weekday()][: 3 if size == 3 else None]
    if kind in ("y", "e"):
        return str(when.year) if size > 2 or kind == "e" else f"{when.year % 100:02d}"
    hour = when.hour if not half else (when.hour - 1) % 12 + 1
    values = {"m": when.minute, "d": when.day, "h": hour, "s": when.second}
    return f"{values[kind]:0{min(size, 2)}d}"
