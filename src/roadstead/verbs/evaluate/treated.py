"""Measure how well a release preserves the mean and the variance of treated columns.

If group means replace values, the release contains only the variance between groups. Therefore, the
preserved share of the variance is the variance of the release divided by the variance of the
original.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np

from roadstead.hierarchies.number_text import parse_number
from roadstead.release.shown import ShownRelease
from roadstead.reports.evaluation.notes import NumbersOfColumn, on_treated
from roadstead.tables.frequency import summarize
from roadstead.tables.source import Source


def kept_of_treated(release: ShownRelease, original: Source) -> Iterator[str]:
    """Describe how well a release preserves the numbers in each treated column."""
    policy = release.policy
    if policy is None or not policy.treatments:
        return
    with release.read() as released:
        for column, one in policy.treated.items():
            if column not in original.columns:
                continue
            before = _numbers_of(original, column)
            after = _numbers_of(released, column)
            yield on_treated(f"{release.name}: {column} is {one.does}", before, after)


def _numbers_of(source: Source, column: str) -> NumbersOfColumn | None:
    """Summarize the numbers in a column.

    Return None if the column has no values, or if a value is not a number.
    """
    table = summarize(source, (column,))
    read = [parse_number(text) for text in table.domains[0]]
    missing = [not text for text in table.domains[0]]
    there = ~np.array(missing, dtype=np.bool_)[table.codes[0]]
    if not there.any() or any(
        one is None and not absent for one, absent in zip(read, missing, strict=True)
    ):
        return None
    values = np.array([float(one or 0) for one in read])[table.codes[0][there]]
    counts = table.counts[there]
    mean = float(np.average(values, weights=counts))
    spread = sqrt(float(np.average((values - mean) ** 2, weights=counts)))
    return NumbersOfColumn(int(counts.sum()), mean, spread)
