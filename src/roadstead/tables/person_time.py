"""Time within a person: a date becomes the days since the person's anchor.

A date tells where on the calendar somebody was ill; what research mostly needs is how long after
what. So a date may become the interval, in days, to an *anchor* of the same person: the first date
of its own column, or the earliest date of another, such as birth or an index event. The interval
is generalized and counted like any other quasi-identifier. Moving all dates of a person alike would
change no interval, so an attacker who knows intervals is not hindered by that: it is the interval
that has to be counted.

An interval to birth is an age, and ages over 89 are among the identifiers of Safe Harbor. Intervals
of more than 89 years, to whatever anchor, become one value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from roadstead.errors import SourceError, quoted
from roadstead.tables import names
from roadstead.tables.failures import engine_errors
from roadstead.tables.text import MISSING, as_text

if TYPE_CHECKING:
    import ibis
    from ibis.expr import types as ir

    from roadstead.tables.source import Source

FIRST = "first"
"""The anchor that is the first date of the column itself."""
LONGEST = 90 * 365 + 22
"""Days in 90 years, with the fewest leap days: so many, or more, are one value."""


def with_intervals(source: Source, person: str, anchors: Mapping[str, str]) -> Source:
    """Put days since the person's anchor in the place of dates.

    `anchors` has for each column of dates `FIRST`, or the column whose earliest date is the anchor.
    The result reads the same table; a missing date is a missing interval.

    Raises
    ------
    RoleError
        A column is not there.
    SourceError
        A value is no date of the form YYYY-MM-DD, with or without a time of day.
    """
    import ibis  # noqa: PLC0415 - heavy

    wanted = dict.fromkeys([*anchors, *(one for one in anchors.values() if one != FIRST)])
    names.require((person, *wanted), source.columns)
    table = source.table
    for column in wanted:
        _require_dates(source, column)
    own = ibis.window(group_by=as_text(table[person]))
    days = {}
    for column, anchor in anchors.items():
        first = _day(table, column if anchor == FIRST else anchor).min().over(own)
        since = _day(table, column).delta(first, unit="day").cast("int64")
        # Not `least`, which takes a missing date for the longest interval.
        days[column] = ibis.ifelse(since > LONGEST, LONGEST, since)
    return replace(source, held=table.mutate(**days))


def _day(table: ibis.Table, column: str) -> ir.DateColumn:
    return as_text(table[column]).substr(0, 10).nullif(MISSING).try_cast("date")


def _require_dates(source: Source, column: str) -> None:
    text = as_text(source.table[column])
    wrong = (
        source.table.filter((text != MISSING) & _day(source.table, column).isnull())
        .limit(1)
        .select(text=text)
    )
    with engine_errors(source.name):
        found = wrong.to_pyarrow().column("text").to_pylist()
    if found:
        raise SourceError(
            f"value {quoted(found[0])} is no date of the form YYYY-MM-DD",
            where=f"{source.name}, column {quoted(column)}",
            fix="write its dates in that form, or keep the column out of the intervals",
        )
