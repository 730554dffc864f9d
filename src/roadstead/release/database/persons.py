"""Determine the people in a release, with their classes, new keys, and date shifts.

The table `people` in the engine has one row for each released person.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.number_ranges import parse_range
from roadstead.tables.failures import engine_errors
from roadstead.tables.persons.usual_period import usual_period
from roadstead.tables.stores.names import quoted_name

if TYPE_CHECKING:
    from roadstead.release.database.settings import DatabaseSettings
    from roadstead.release.generalized import Generalized
    from roadstead.tables.database.opening import OpenedSet

OLDEST = 90
"""From this age on, a person's dates are not released."""


@dataclass(frozen=True)
class Window:
    """The first and the last day that a release covers for every person."""

    first: date
    last: date

    @property
    def earliest_birth(self) -> int:
        """Return the earliest released year of birth, which also replaces all earlier years."""
        return self.last.year - OLDEST + 1


def window_of(opened: OpenedSet, settings: DatabaseSettings) -> Window | None:
    """Find the days that are covered for every person, regardless of the shift of the dates.

    Suppose that dates are shifted by at most w days. Then an extract covers a day for every person
    only if the day is at least w days from both ends of the extract. Each end is a day that k
    people reach, so a mistyped year does not change the ends. The ends also lie within the
    observation periods of k people. Otherwise, one later appointment would extend the window. Then
    the shifted last day of everyone's period would be released. The function returns None if no
    table has a date.
    """
    dated = [one for one in opened.of_persons if one.rules.dates]
    if not dated:
        return None
    parts = " UNION ALL ".join(
        f"SELECT {quoted_name(str(one.rules.person))} AS person, "
        f"{quoted_name(one.rules.dates[0])} AS day FROM {one.view}"
        for one in dated
    )
    each_day = f"SELECT day, count(DISTINCT person) FROM ({parts}) WHERE day IS NOT NULL GROUP BY 1"
    usual = usual_period({day: int(people) for day, people in opened.rows(each_day)})
    within = "false" if usual is None else f"day BETWEEN DATE '{usual[0]}' AND DATE '{usual[1]}'"
    opened.run(
        "CREATE TEMP TABLE extents AS SELECT person, min(day) AS first, max(day) AS last "
        f"FROM ({parts}) WHERE {within} GROUP BY person"
    )
    found = [_reached(opened, "SELECT person, first, last FROM extents", settings.k)]
    for one in dated:
        if one.rules.periods:
            own = quoted_name(str(one.rules.person))
            ends = (quoted_name(column) for column in one.rules.dates)
            begin, end = next(ends), next(ends, "NULL::DATE")
            periods = f"SELECT {own}, min({begin}) AS first, max({end}) AS last"
            found.append(_reached(opened, f"{periods} FROM {one.view} GROUP BY 1", settings.k))
    first = max((begin for begin, _ in found if begin is not None), default=None)
    last = min((end for _, end in found if end is not None), default=None)
    if first is None or last is None or (last - first).days <= 2 * settings.days:
        what = (
            f"to shift dates by up to {settings.days:,} days, the tables must have more than "
            f"{2 * settings.days:,} days with data of at least {settings.k} people"
        )
        fix = f"shift dates by fewer days with {option('shift_days', 30)}"
        raise SettingError(what, where=opened.name, fix=fix)
    ((begins, ends),) = opened.rows(
        f"SELECT DATE '{first}' + {settings.days}, DATE '{last}' - {settings.days}"
    )
    return Window(begins, ends)


def _reached(opened: OpenedSet, extents: str, k: int) -> tuple[date | None, date | None]:
    """Return the first and the last day that k people reach, or None if there are fewer people."""
    ((first, last),) = opened.rows(
        f"WITH own AS ({extents}) SELECT "
        f"(SELECT first FROM own WHERE first IS NOT NULL ORDER BY first LIMIT 1 OFFSET {k - 1}), "
        f"(SELECT last FROM own WHERE last IS NOT NULL ORDER BY last DESC LIMIT 1 OFFSET {k - 1})"
    )
    return first, last


def earliest_birth_of(opened: OpenedSet, window: Window | None, now: int) -> int | None:
    """Return the year that replaces all earlier years of birth, or None without years of birth.

    If there are no dates, people who may be 90 or older in the year `now` get this year of birth.
    """
    if opened.people.rules.birth is None:
        return None
    return now - OLDEST + 1 if window is None else window.earliest_birth


def gather_people(opened: OpenedSet, earliest: int | None) -> tuple[str, ...]:
    """Write the facts that an attacker may know about each person into the table `known`.

    The function returns the columns of the table. All cells are text. The year `earliest`
    replaces all earlier years of birth.
    """
    own = opened.people
    rules = own.rules
    cells = [f"{quoted_name(str(rules.person))} AS {quoted_name('person key')}"]
    for column in rules.attributes:
        cell = quoted_name(column)
        if column == rules.birth:
            year = f"greatest({cell}, {earliest})"
            # `greatest` would treat a missing year as the earliest year.
            cell = f"CASE WHEN {cell} IS NULL THEN '' ELSE {year}::VARCHAR END"
        cells.append(f"{cell} AS {quoted_name(column)}")
    opened.run(f"CREATE TEMP TABLE known AS SELECT {', '.join(cells)} FROM {own.view}")
    return rules.attributes


def first_year(label: str, window: Window | None) -> int | None:
    """Return the first year in an interval of years of birth, or None for an open interval."""
    found = parse_range(label)
    low = None if found is None else found.low
    if low is None or (window is not None and low <= window.earliest_birth):
        return None
    return int(low)


def make_people(
    opened: OpenedSet,
    settings: DatabaseSettings,
    decided: Generalized,
    window: Window | None,
) -> None:
    """Create the table `people`, which lists the people in released classes.

    The columns are `person` (the key in the source), `number` (a consecutive number), `class`, a
    label for each attribute (`a0`, `a1`, and so on), `key` (the new key), `days` (the shift of
    dates), and `since` and `until` (the first and the last day for the person's rows). Both days
    are within the window. They are not before the released year of birth, and they are before the
    person turns 90.
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy

    merged, con = decided.merged, opened.engine.con
    joins, labels, begins = _labels(opened, decided, window)
    kept = decided.kept
    columns = {f"c{at}": codes[kept] for at, codes in enumerate(merged.codes)}
    con.register("arriving", pa.table({**columns, "class": range(int(kept.sum()))}))
    opened.run("CREATE TEMP TABLE classes AS FROM arriving")
    con.unregister("arriving")
    same = " AND ".join(f"c{at} = label{at}.place" for at in range(len(labels)))
    key = quoted_name("person key")
    drawn = settings.number(opened.people.name, f"k.{key}")
    opened.run(
        f"CREATE TEMP TABLE drawn AS SELECT k.{key} AS person, class::INTEGER AS class, "
        f"{', '.join(labels)}, {begins} AS begins, {drawn} AS drawn FROM known k {' '.join(joins)} "
        f"JOIN classes ON {same}"
    )
    _draw_days(opened, settings)
    bounds, joined = _bounds(window)
    name_keys(opened, settings, "drawn", "person", opened.people.name)
    order = "row_number() OVER (ORDER BY drawn, person)"
    named = "named AS key" if not opened.numbered else "drawn AS key"
    if opened.numbered and not settings.pseudonyms.keyed:
        named = f"{order} AS key"
    shown = ", ".join(f"a{at}" for at in range(len(labels)))
    opened.run(
        f"CREATE TEMP TABLE people AS SELECT person, ({order})::INTEGER AS number, class, {shown}, "
        f"{named}, days, {bounds} FROM drawn JOIN moved USING (person){joined}{_names(opened)}"
    )
    require_once(opened, "people")


def _labels(
    opened: OpenedSet, decided: Generalized, window: Window | None
) -> tuple[list[str], list[str], str]:
    """Send the labels of each attribute to the engine.

    The function returns the joins, the label columns, and the SQL for the first year of birth.
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy

    merged, con = decided.merged, opened.engine.con
    birth, begins = opened.people.rules.birth, "NULL::INTEGER"
    joins, labels = [], []
    for at, name in enumerate(merged.attributes):
        places = {label: place for place, label in enumerate(merged.domains[at])}
        years = [first_year(one, window) if name == birth else None for one in decided.labels[at]]
        small = pa.table(
            {
                "value": pa.array(decided.table.domains[at], pa.string()),
                "label": pa.array(decided.labels[at], pa.string()),
                "place": pa.array([places[one] for one in decided.labels[at]], pa.int32()),
                "year": pa.array(years, pa.int32()),
            }
        )
        con.register(f"arriving_{at}", small)
        opened.run(f"CREATE TEMP TABLE label{at} AS FROM arriving_{at}")
        con.unregister(f"arriving_{at}")
        joins.append(f"JOIN label{at} ON label{at}.value = k.{quoted_name(name)}")
        labels.append(f"label{at}.label AS a{at}")
        begins = f"label{at}.year" if name == birth else begins
    return joins, labels, begins


def _bounds(window: Window | None) -> tuple[str, str]:
    """Return the SQL for the first and last day of a person's rows, and for the join."""
    if window is None:
        return "NULL::DATE AS since, NULL::DATE AS until", ""
    year = "make_date(begins, 1, 1)"
    bounds = (
        f"greatest(DATE '{window.first}', {year}) AS since, least(DATE '{window.last}', "
        f"({year} + INTERVAL {OLDEST} YEAR)::DATE - 1, "
        f"(first + days + INTERVAL {OLDEST} YEAR)::DATE - 1) AS until"
    )
    return bounds, " LEFT JOIN extents USING (person)"


def _draw_days(opened: OpenedSet, settings: DatabaseSettings) -> None:
    """Write the shift of each person's dates, in days, into the table `moved`."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    con = opened.engine.con
    with engine_errors(opened.name):
        who = con.sql("SELECT person, person::VARCHAR AS name FROM drawn").to_arrow_table()
    days = settings.shifts.of(who.column("name").to_pylist())
    con.register(
        "arriving", who.select(["person"]).append_column("days", pa.array(days, pa.int32()))
    )
    opened.run("CREATE TEMP TABLE moved AS FROM arriving")
    con.unregister("arriving")


def _names(opened: OpenedSet) -> str:
    return "" if opened.numbered else " JOIN names ON names.old = person"


def name_keys(
    opened: OpenedSet, settings: DatabaseSettings, table: str, column: str, kind: str
) -> None:
    """Write pseudonyms for a column of text keys into the table `names`.

    A release of a single table has the same pseudonyms if its pseudonyms are of this kind.
    """
    if opened.numbered:
        return
    import pyarrow as pa  # noqa: PLC0415 - heavy

    own = replace(settings.pseudonyms, kind=kind)
    old = [key for (key,) in opened.rows(f"SELECT {column} FROM {table}")]
    con = opened.engine.con
    con.register("arriving", pa.table({"old": old, "named": own.of(old)}))
    opened.run("CREATE OR REPLACE TEMP TABLE names AS FROM arriving")
    con.unregister("arriving")


def require_once(opened: OpenedSet, table: str) -> None:
    """Reject the new keys if two of them are equal. This almost never happens."""
    ((repeated,),) = opened.rows(f"SELECT count(key) - count(DISTINCT key) FROM {table}")
    if repeated:
        what = f"two new keys of {table} are identical"
        raise SettingError(
            what, where=opened.name, fix="run the command again, or make another key"
        )
