"""Numbers of a spreadsheet in their formats."""

from __future__ import annotations

import pytest

from retrieval.convert.office.figures import formatted


@pytest.mark.parametrize(
    ("number", "code", "text"),
    [
        (1234.5, "General", "1234.5"),
        (3.0, "", "3"),
        (0.1 + 0.2, "General", "0.3"),
        (1234.5, "#,##0.00", "1,234.50"),
        (-1234.5, "#,##0.00;(#,##0.00)", "(1,234.50)"),
        (0.125, "0.0%", "12.5%"),
        (19, '"£"#,##0.00', "£19.00"),
        (19.5, "[$€-407] #,##0.00;[Red]-#,##0.00", "€ 19.50"),
        (-3, "[$€-407] #,##0;[Red]-#,##0", "-3"),
        (12, '0 "people"', "12 people"),
        (7, "000", "007"),
        (2.5, "0.##", "2.5"),
        (2, "0.##", "2"),
        (1500000, '0.0,,"M"', "1.5M"),
        (12345, "0.00E+00", "1.23E+04"),
        (0, '0;-0;"none"', "none"),
        (46082, "d mmm yyyy", "1 Mar 2026"),
        (46082, "dddd, d mmmm yy", "Sunday, 1 March 26"),
        (46082.395833333, "dd/mm/yyyy hh:mm", "01/03/2026 09:30"),
        (0.75, "h:mm AM/PM", "6:00 PM"),
        (1.5, "[h]:mm", "36:00"),
        (0.0625, "mm:ss", "30:00"),
        (1e300, "d mmm yyyy", "1e+300"),
    ],
)
def test_numbers_are_shown_as_the_sheet_shows_them(number: float, code: str, text: str) -> None:
    assert formatted(number, code) == text
