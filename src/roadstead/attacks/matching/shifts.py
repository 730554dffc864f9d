"""The shifts of a person's dates that the first and the last day of an extract leave possible."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.target import Target
from roadstead.hierarchies.rules import MISSING, parse_date
from roadstead.policies.document import PersonRules
from roadstead.release.persons.dates import ANCHOR
from roadstead.tables.frequency import summarize

_WEEK = 7


def shifts_left(target: Target, rules: PersonRules) -> tuple[NDArray[np.float64], int]:
    """Count the shifts that are left for each person, and those that can happen.

    A date d that was shifted by s stood at d - s, which is no earlier than the first day of its
    column and no later than the last. Where rows are not linked, each row is judged by itself.
    """
    assert rules.shift is not None  # noqa: S101 - the attack has seen it
    rows = target.release.rows
    most, step = rules.shift.most, _WEEK if rules.shift.weeks else 1
    owner = np.arange(rows.distinct)
    if rules.column in rows.attributes:
        owner = rows.codes[rows.attributes.index(rules.column)].astype(np.int64)
    number = int(owner.max(initial=-1)) + 1
    low = np.full(number, -float(most))
    high = np.full(number, float(most))
    seen = np.zeros(number, dtype=np.bool_)
    for released, column in _shifted(rules):
        if released not in rows.attributes:
            continue
        at = rows.attributes.index(released)
        days = _days(rows.domains[at])[rows.codes[at]]
        there = ~np.isnan(days)
        ends = _ends(target, column)
        if ends is None or not there.any():
            continue
        first, last = ends
        np.maximum.at(low, owner[there], days[there] - last)
        np.minimum.at(high, owner[there], days[there] - first)
        seen[owner[there]] = True
    left = np.floor(high[seen] / step) - np.ceil(low[seen] / step) + 1.0
    return np.maximum(left, 1.0), 2 * (most // step) + 1


def _shifted(rules: PersonRules) -> list[tuple[str, str]]:
    """Pair released columns of shifted dates with the columns of the original they were."""
    found = [(rule.column, rule.column) for rule in rules.dates if rule.form == "shift"]
    if rules.shifted_anchor is not None:
        found.append((ANCHOR, rules.shifted_anchor))
    return found


def _days(texts: tuple[str, ...]) -> NDArray[np.float64]:
    found = (None if text == MISSING else parse_date(text) for text in texts)
    return np.array([np.nan if one is None else float(one.toordinal()) for one in found])


def _ends(target: Target, column: str) -> tuple[float, float] | None:
    """Give the first and the last day of a column of the original; None where it has none."""
    original = target.original
    if original is None or column not in original.columns:
        return None
    days = _days(summarize(original, [column]).domains[0])
    if np.isnan(days).all():
        return None
    return float(np.nanmin(days)), float(np.nanmax(days))
