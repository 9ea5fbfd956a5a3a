"""Opening hours as schema.org writes them, on one line that a reader understands."""

from __future__ import annotations

import re
from typing import Any

DAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DAY_BY_TWO_LETTERS = {day[:2]: day for day in DAY_NAMES}


def opening_hours(item: dict[str, Any]) -> str:
    """The hours of a schema.org item: `Monday–Friday 09:00–18:00; Saturday 10:00–14:00`; empty where it has none."""
    spans: dict[str, list[str]] = {}
    specifications = item.get("openingHoursSpecification") or []
    for one in specifications if isinstance(specifications, list) else [specifications]:
        if isinstance(one, dict):
            for day in _days(one.get("dayOfWeek")):
                spans.setdefault(day, []).append(_hours_of(one))
    if spans:
        return "; ".join(f"{days} {hours}" for days, hours in _grouped(spans))
    written = item.get("openingHours") or []
    lines = written if isinstance(written, list) else [written]
    return "; ".join(_with_day_names(str(line)) for line in lines if line)


def _days(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [str(day).rpartition("/")[2] for day in values if day]


def _hours_of(one: dict[str, Any]) -> str:
    """The hours of one specification, with the dates that they hold for."""
    opens, closes = (re.sub(r"^(\d\d:\d\d):00$", r"\1", str(one.get(name) or "")) for name in ("opens", "closes"))
    if opens == closes == "00:00" or not opens:  # how schema.org says that a day is closed
        return "closed"
    hours = f"{opens}–{closes}"
    if one.get("validFrom") or one.get("validThrough"):
        hours += f" ({one.get('validFrom') or ''} to {one.get('validThrough') or ''})"
    return hours


def _grouped(spans: dict[str, list[str]]) -> list[tuple[str, str]]:
    """The days as (days, hours), in the order of the week; neighbours with the same hours as one."""
    order = [day for day in DAY_NAMES if day in spans] + [day for day in spans if day not in DAY_NAMES]
    groups: list[tuple[list[str], str]] = []
    for day in order:
        hours = ", ".join(spans[day])
        follows = (
            groups
            and day in DAY_NAMES
            and groups[-1][0][-1] in DAY_NAMES
            and DAY_NAMES.index(groups[-1][0][-1]) == DAY_NAMES.index(day) - 1
        )
        if groups and follows and groups[-1][1] == hours:
            groups[-1][0].append(day)
        else:
            groups.append(([day], hours))
    return [(days[0] if len(days) == 1 else f"{days[0]}–{days[-1]}", hours) for days, hours in groups]


def _with_day_names(line: str) -> str:
    """`Mo-Fr 09:00-17:00` with the days' names written out."""
    return re.sub(r"\b(Mo|Tu|We|Th|Fr|Sa|Su)\b", lambda found: DAY_BY_TWO_LETTERS[found[1]], line).replace("-", "–")
