"""Opening hours on one line."""

from __future__ import annotations

from typing import Any

import pytest

from retrieval.convert.html.opening_hours import opening_hours


@pytest.mark.parametrize(
    ("item", "line"),
    [
        ({}, ""),
        ({"openingHours": ["Mo 9:00-12:00", "Sa 10:00-14:00"]}, "Monday 9:00–12:00; Saturday 10:00–14:00"),
        (
            {"openingHoursSpecification": [
                {"dayOfWeek": "Monday", "opens": "08:00", "closes": "12:00"},
                {"dayOfWeek": "Monday", "opens": "14:00", "closes": "18:00"},
                {"dayOfWeek": "Wednesday", "opens": "08:00", "closes": "12:00", "validFrom": "2027-01-01"},
            ]},
            "Monday 08:00–12:00, 14:00–18:00; Wednesday 08:00–12:00 (2027-01-01 to )",
        ),
    ],
)  # fmt: skip
def test_opening_hours_are_one_line(item: dict[str, Any], line: str) -> None:
    assert opening_hours(item) == line
