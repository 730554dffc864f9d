"""Births that show an age over 89 next to a later date of the table: one band, as for ages.

Safe Harbor requires one category for all ages over 89, and for all dates that show such an age
(45 CFR 164.514(b)(2)(i)(C)). Whoever was born in 1928 or before is at least 89 years old at the end
of 2018. So if the latest date of a table is in 2018, all births before 1929 are one band. The
proposed hierarchy of a birth has this band at every level.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from roadstead.hierarchies.date_forms import fitting_forms
from roadstead.hierarchies.rules import MISSING
from roadstead.hierarchies.written_numbers import FIRST_OLD_AGE
from roadstead.release.persons.old_ages import is_called_a_birth, is_called_a_year

_YEAR = re.compile(r"(1[89]|20)\d\d", re.ASCII)


class Years(NamedTuple):
    """The first and the last year of a column of dates or years."""

    first: int
    last: int


def years_of(column: str, values: Sequence[str]) -> Years | None:
    """Return the years of a column; None if it does not have dates, nor a name of years."""
    texts = [value for value in values if value != MISSING]
    if not texts:
        return None
    if all(map(_YEAR.fullmatch, texts)):
        return Years(int(min(texts)), int(max(texts))) if is_called_a_year(column) else None
    forms = fitting_forms(texts)
    if not forms or any(form.has_two_digit_years for form in forms):
        return None
    read = [found for text in texts if (found := forms[0].read(text)) is not None]
    return Years(min(one.first for one in read).year, max(one.last for one in read).year)


def first_years(values: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return, for each column of births, the first year in which nobody is over 89.

    `values` has the distinct values of columns. A column without earlier births is left out. So are
    all columns if there is no other date.
    """
    if not any(map(is_called_a_birth, values)):
        return {}
    years = {name: years_of(name, texts) for name, texts in values.items()}
    births = {name: own for name, own in years.items() if own and is_called_a_birth(name)}
    seen = [own.last for name, own in years.items() if own and name not in births]
    if not seen:
        return {}
    bottom = max(seen) - FIRST_OLD_AGE + 1
    return {name: bottom for name, own in births.items() if own.first < bottom}


def with_band(declaration: Mapping[str, Any], bottom: int | None) -> dict[str, Any]:
    """Put all births before a year into one band at every level of a proposed hierarchy."""
    if bottom is None or declaration["kind"] not in ("dates", "intervals"):
        return dict(declaration)
    made = {**declaration, "bottom": bottom}
    if declaration["kind"] == "dates":
        return made
    widths = declaration["widths"]
    finest = [1] if all(width > 1 for width in widths) else []
    return {**made, "widths": [*finest, *widths], "bands_only": True}
