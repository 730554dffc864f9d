"""Find the common forms of dates that fit all values in a column.

A form fits if the form can parse every value and some of the values are complete dates. The other
values can be years, months, or Excel's serial numbers of days. If several forms fit, the day is
ambiguous, as in 03/04/2020. Forms with two-digit years also fit, although they need a pivot before
they can be used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from roadstead.hierarchies.written_dates import WrittenForm, known_forms

_ANY_PIVOT = 1930
_DAYS_IN_USE = range(10_000, 73_051)
"""Excel's serial numbers of days from 1927 to 2099, all with five digits."""
_FEWEST_DATES = 0.1
"""Numbers are read as days only if at least this share of the values are dates."""
_YEAR_ALONE = re.compile(r"\d{4}", re.ASCII)
_NUMBER = re.compile(r"\d{5}(?:\.\d+)?", re.ASCII)
_DIGIT = re.compile(r"\d", re.ASCII)


def fitting_forms(texts: Sequence[str]) -> list[WrittenForm]:
    """Return all common date forms that can parse every string. Two-digit years have no pivot."""
    numbers = {text for text in texts if is_day_in_use(text)}
    others = [text for text in texts if not _YEAR_ALONE.fullmatch(text) and text not in numbers]
    if not others or len(others) < _FEWEST_DATES * len(texts) * bool(numbers):
        return []
    if not all(map(_DIGIT.search, others)):  # every form has digits, and most columns contain words
        return []
    serials = bool(numbers)
    return [replace(one, serials=serials) for one in _known() if _fits(one, others)]


def usual_form(texts: Sequence[str]) -> WrittenForm | None:
    """Return the common form that can parse the most strings, or None if no form can parse any."""
    fits = [(sum(_fits(one, [text]) for text in texts), one) for one in _known()]
    most, form = max(fits, key=lambda pair: pair[0])
    return form if most else None


def is_day_in_use(text: str) -> bool:
    """Return whether a string is Excel's serial number of a day from 1927 to 2099."""
    return bool(_NUMBER.fullmatch(text)) and int(text[:5]) in _DAYS_IN_USE


def _fits(one: WrittenForm, texts: Sequence[str]) -> bool:
    shape = None if one.form is None else _shapes()[one.form]
    reader = replace(one, pivot=_ANY_PIVOT)
    return all((shape is None or shape.fullmatch(t)) and reader.read(t) for t in texts)


def _known() -> Iterator[WrittenForm]:
    yield WrittenForm()
    for form in _shapes():
        yield WrittenForm(form)


@cache
def _shapes() -> Mapping[str, re.Pattern[str]]:
    """Return the regular expression of each form except ISO."""
    known = known_forms()
    with_time = {
        day + time: shape + clock
        for day, shape in known["days"].items()
        for time, clock in known["times"].items()
    }
    shapes = {**known["others"], **with_time}
    return {form: re.compile(shape, re.ASCII | re.IGNORECASE) for form, shape in shapes.items()}
