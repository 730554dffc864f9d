"""Replace dates with intervals or ages, or shift all dates of a person together.

An interval is a number of days that replaces a date. The days are counted from the *anchor*: the
person's first date in the same column, or the earliest date in another column, such as birth. An
interval between birth and an event is an age, so all intervals of 90 years or more become one
value.

Dates are *shifted and truncated* (Hripcsak et al., JAMIA 2016). All dates of a person move by the
same random number of days. Then a record is removed if its shifted date is within `most` days of
the first or the last date of the column. As a result, every shift is possible for each remaining
date. The first and the last date are dates that several people reach, within the usual period of
the column. So a single mistyped year cannot become the first or last date. A placeholder that many
people share, such as 2999-12-31, cannot become the first or last date either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

from roadstead.errors import SourceError, quoted
from roadstead.tables import names
from roadstead.tables.failures import engine_errors
from roadstead.tables.persons.usual_period import shared, usual_period
from roadstead.tables.stores.access import with_small
from roadstead.tables.text import MISSING, as_text

if TYPE_CHECKING:
    import ibis
    import numpy as np
    from ibis.expr import types as ir
    from numpy.typing import NDArray

    from roadstead.tables.source import Source

FIRST: Final = None
"""An anchor that is the first date in the same column."""
_REACHED, _OF_PERSONS = 5, 50
"""The number of people who must reach the first or last date.

The number is five. In a table of fewer than 200 people, the number is one, plus one for every fifty
people.
"""
LONGEST = 90 * 365 + 22
"""The number of days in 90 years with the fewest leap days. Longer intervals become one value."""
OLD_AGE: Final = 90
"""The age in years that also means every higher age."""
_PARTIAL = "^[12][0-9]{3}(-[0-9]{2})?$"
_DATE = "^[0-9]{4}-[0-9]{2}-[0-9]{2}($|[ T])"


@dataclass(frozen=True)
class Truncated:
    """A table with shifted dates, and the number of records that were removed.

    `spans` contains the number of days between the first and the last date of each column before
    the shift. `far` contains the dates of each column that several people share and that are far
    from all other dates.
    """

    source: Source
    records: int  # number of removed records
    persons: int  # number of people who lost all of their records
    spans: Mapping[str, int]
    far: Mapping[str, Sequence[date]]
    later: int = 0  # number of people who lost the record of an origin, but not all records


@dataclass(frozen=True)
class TimesOfDay:
    """The number of records with a time of day, and of records whose time only one person has."""

    records: int
    of_one_person: int


def with_intervals(
    source: Source,
    person: str,
    anchors: Mapping[str, str | None],
    within: Mapping[str, str] | None = None,
    ages: Mapping[str, str] | None = None,
) -> Source:
    """Replace dates with days since the person's anchor, or with ages.

    `anchors` maps each column of dates to `FIRST` or to the column whose earliest date is the
    anchor. `within` maps a column of dates to a second column of dates. Days are counted from the
    date in the second column of the same record. `ages` maps a column of births to a second column
    of dates. The age is computed for the date in the second column of the same record. A missing
    date becomes a missing interval or age. Raises RoleError if a column is missing. Raises
    SourceError if a value is not a date of the form YYYY-MM-DD, possibly with a time of day.
    """
    import ibis  # noqa: PLC0415 - heavy

    within, ages = within or {}, ages or {}
    others = [one for one in (*anchors.values(), *within.values(), *ages.values()) if one]
    require_dates(source, person, [*anchors, *within, *ages, *others])
    table = source.table
    own = ibis.window(group_by=as_text(table[person]))
    starts = {
        column: day_of(table[anchor or column]).min().over(own)
        for column, anchor in anchors.items()
    }
    starts |= {column: day_of(table[start]) for column, start in within.items()}
    made = {column: _age(day_of(table[column]), day_of(table[at])) for column, at in ages.items()}
    for column, start in starts.items():
        since = day_of(table[column]).delta(start, unit="day").cast("int64")
        # `least` is not used, because it treats a missing date as the longest interval.
        until = ibis.ifelse(since > LONGEST, LONGEST, since)
        made[column] = ibis.ifelse(until < -LONGEST, -LONGEST, until)
    return transformed(source, table.mutate(**made))


def _age(born: ir.DateColumn, day: ir.DateColumn) -> ir.IntegerValue:
    """Return the completed years, but at most `OLD_AGE`. This value represents all higher ages.

    In years without February 29, a person who was born on this day has the birthday on March 1. An
    event before the birth is an error in the data and gives a missing age.
    """
    import ibis  # noqa: PLC0415 - heavy

    before_birthday = day.month() * 100 + day.day() < born.month() * 100 + born.day()
    years = (day.year() - born.year() - before_birthday.ifelse(1, 0)).cast("int64")
    # `least` is not used, because it treats a missing date as the highest age.
    capped = ibis.ifelse(years > OLD_AGE, OLD_AGE, years)
    return ibis.ifelse(capped < 0, ibis.null("int64"), capped)


def with_shifts(
    source: Source,
    person: str,
    columns: Sequence[str],
    shifts: Callable[[Sequence[str]], NDArray[np.int64]],
    most: int,
    timed: Sequence[str] = (),
    origins: Sequence[str] = (),
) -> Truncated:
    """Shift all dates of each person together, and remove records near the first and last dates.

    `shifts` returns the number of days by which the dates of each person move, up to `most` days
    earlier or later. Records near the first and last dates of a column are removed even if the
    release contains only the numbers of days since these dates. Otherwise, in a birth cohort, such
    a number and a shifted date together would reveal the shift. Dates lose their times of day,
    except in the columns in `timed`. A missing date stays missing. `origins` lists the columns
    whose earliest date is the start of a count of days. This date may be removed for some people.
    Raises the same errors as `with_intervals`, and SourceError if no records remain.
    """
    import ibis  # noqa: PLC0415 - heavy
    import pyarrow as pa  # noqa: PLC0415 - heavy

    require_dates(source, person, columns)
    ends = {column: _ends(source, person, column) for column in columns}
    with engine_errors(source.name):
        found = source.table.select(who=as_text(source.table[person])).distinct().to_pyarrow()
    people = found.column("who").to_pylist()
    table, moved_by = with_small(
        source,
        pa.table({"roadstead_who": people, "roadstead_days": pa.array(shifts(people), pa.int64())}),
    )
    joined = table.left_join(moved_by, as_text(table[person]) == moved_by["roadstead_who"])
    moved, inside = {}, []
    by = joined["roadstead_days"].as_interval("D")
    for column in columns:
        moved[column] = (day_of(joined[column]).cast("timestamp") + by).date()
    kept_times = {name: _with_time(joined[name], moved[name], by) for name in timed}
    for column, (first, last, _) in ends.items():
        within = moved[column].between(first + timedelta(most), last - timedelta(most))
        inside.append(within.fill_null(True))
    wide = joined.mutate(**{**moved, **kept_times}, roadstead_inside=ibis.and_(*inside))
    kept = wide["roadstead_inside"]
    later = [_loses_first(wide, person, column) for column in origins]
    wide = wide.mutate(roadstead_later=ibis.or_(*later) if later else ibis.literal(False))
    counts = _counts(source, wide, as_text(wide[person]), kept)
    if not counts["stay"]:
        raise SourceError(
            f"every record would be left out, because it has a date within {most} days of the "
            "first or the last date; the dates must span more than twice the longest shift",
            where=source.name,
            fix="shift by fewer days, or use intervals",
        )
    records = wide.filter(kept).select(*source.columns)
    return Truncated(
        transformed(source, records),
        counts["records"] - counts["stay"],
        counts["people"] - counts["people_stay"],
        {column: (last - first).days for column, (first, last, _) in ends.items()},
        {column: far for column, (_, _, far) in ends.items() if far},
        counts["people_later"],
    )


def _loses_first(table: ir.Table, person: str, column: str) -> ir.BooleanValue:
    """Return whether a person's earliest date is removed, but a later date stays."""
    import ibis  # noqa: PLC0415 - heavy

    own, day = ibis.window(group_by=as_text(table[person])), day_of(table[column])
    kept = day.min(where=table["roadstead_inside"]).over(own)
    return (day.min().over(own) < kept).fill_null(False)


def times_of_day(source: Source, person: str, column: str) -> TimesOfDay:
    """Count the records with a time of day, and the records whose time no other person has."""
    table = source.table
    cells = table.select(who=as_text(table[person]), time=as_text(table[column]).substr(10))
    timed = cells.filter(cells["time"] != MISSING)
    each = timed.group_by("time").aggregate(records=timed.count(), people=timed["who"].nunique())
    single = (each["people"] == 1).ifelse(each["records"], 0)
    with engine_errors(source.name):
        (found,) = (
            each.aggregate(records=each["records"].sum(), single=single.sum())
            .to_pyarrow()
            .to_pylist()
        )
    return TimesOfDay(int(found["records"] or 0), int(found["single"] or 0))


def _with_time(column: ir.Column, moved: ir.DateColumn, by: ir.IntervalValue) -> ir.Column:
    """Append the times of day to shifted dates. The form of the times does not change."""
    if column.type().is_date():
        return moved
    if column.type().is_timestamp():
        return column + by
    return moved.cast("string").concat(as_text(column).substr(10))


def _counts(
    source: Source, table: ir.Table, who: ir.StringValue, kept: ir.BooleanValue
) -> Mapping[str, int]:
    with engine_errors(source.name):
        (counts,) = (
            table.aggregate(
                records=table.count(),
                stay=kept.ifelse(1, 0).sum(),
                people=who.nunique(),
                people_stay=who.nunique(where=kept),
                people_later=who.nunique(where=kept & table["roadstead_later"]),
            )
            .to_pyarrow()
            .to_pylist()
        )
    return dict(counts)


def with_anchor(
    source: Source, person: str, anchor: str, called: str, before: Sequence[str]
) -> Source:
    """Add a column that contains each person's earliest date in another column.

    A release must not show ages of 90 years or more. So the new date is missing if a date in one of
    the columns in `before` is 90 or more years later.
    """
    import ibis  # noqa: PLC0415 - heavy

    names.require((person, anchor, *before), source.columns)
    table = source.table
    own = ibis.window(group_by=as_text(table[person]))
    first = day_of(table[anchor]).min().over(own)
    told = first
    for column in before:
        last = day_of(table[column]).max().over(own)
        too_long = last.delta(first, unit="day") >= LONGEST
        told = ibis.ifelse(too_long.fill_null(False), ibis.null("date"), told)
    return replace(
        transformed(source, table.mutate(**{called: told})), columns=(*source.columns, called)
    )


def day_of(column: ir.Column) -> ir.DateColumn:
    """Return the day of a date, of a date with a time, or of a string that begins with a date."""
    kind = column.type()
    if kind.is_date():
        return column
    if kind.is_timestamp() and kind.timezone is None:
        return column.date()
    import ibis  # noqa: PLC0415 - heavy

    text = as_text(column)
    # The form is tested first, because not every engine supports a cast that may fail.
    return ibis.ifelse(text.re_search(_DATE), text.substr(0, 10), ibis.null("string")).try_cast(
        "date"
    )


def require_dates(source: Source, person: str, columns: Sequence[str]) -> None:
    """Raise an error for missing columns and for values that are not dates."""
    names.require(tuple(dict.fromkeys((person, *columns))), source.columns)
    for column in dict.fromkeys(columns):
        if column in source.instants:
            raise SourceError(
                "the column contains points in time, but their day is unknown because the "
                "time zone is unknown",
                where=f"{source.name}, column {quoted(column)}",
                fix="convert the values to dates in the database",
            )
        _require_dates(source, column)


def _require_dates(source: Source, column: str) -> None:
    text, day = as_text(source.table[column]), day_of(source.table[column])
    # An engine may have years that Python does not have, such as 0 or 10000.
    strange = day.isnull() | ~day.year().between(1, date.max.year)
    wrong = source.table.filter((text != MISSING) & strange).limit(1).select(text=text)
    with engine_errors(source.name):
        found = wrong.to_pyarrow().column("text").to_pylist()
    if found and re.fullmatch(_PARTIAL, found[0]):
        with engine_errors(source.name):
            many = int(source.table.filter(text.re_search(_PARTIAL)).count().to_pyarrow().as_py())
        raise SourceError(
            f"{many:,} of its values have only a year or a month, so they have no days to count or "
            "to shift",
            where=f"{source.name}, column {quoted(column)}",
            fix="do not treat the column as dates, or leave these values empty",
        )
    if found:
        raise SourceError(
            f"value {quoted(found[0])} is not a date of the form YYYY-MM-DD",
            where=f"{source.name}, column {quoted(column)}",
            fix="write its dates in that form, or do not treat the column as dates",
        )


def _ends(source: Source, person: str, column: str) -> tuple[date, date, Sequence[date]]:
    """Return the first and the last usual day that several people reach, and the outlying dates."""
    table = source.table
    own = table.select(who=as_text(table[person]), day=day_of(table[column]))
    own = own.filter(own.day.notnull())
    each_day = own.group_by("day").aggregate(people=own.who.nunique())
    with engine_errors(source.name):
        rows = each_day.to_pyarrow().to_pylist()
    people = {row["day"]: int(row["people"]) for row in rows}
    period = usual_period(people)
    if period is None:
        raise SourceError(
            "it contains no date" if not people else "all of its dates are placeholders",
            where=f"{source.name}, column {quoted(column)}",
            fix="leave the column out of the shifted dates",
        )
    own = own.filter(own.day.between(*period))
    each = own.group_by("who").aggregate(first=own.day.min(), last=own.day.max())
    with engine_errors(source.name):
        persons = int(each.count().to_pyarrow().as_py())
    reach = min(_REACHED, 1 + persons // _OF_PERSONS)
    begins = each.order_by("first").limit(reach).select("first")
    ends = each.order_by(each["last"].desc()).limit(reach).select("last")
    with engine_errors(source.name):
        first = max(begins.to_pyarrow().column("first").to_pylist())
        last = min(ends.to_pyarrow().column("last").to_pylist())
    return first, last, shared(people, period, _REACHED)


def transformed(source: Source, table: ibis.Table) -> Source:
    """Return the source with other rows. The result cannot be opened again."""
    return replace(source, held=table, _again=None)
