"""Reject columns of a described set of tables that must not be released unchanged.

These are direct identifiers, and dates that are not shifted. The columns of a CDM need no check,
because its rules release only numbers, concepts, and dates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from roadstead.errors import RoleError, quoted
from roadstead.printable import named
from roadstead.release.persons.dates import weekday_warning
from roadstead.tables import engine
from roadstead.tables.dependencies.examined import with_dependencies
from roadstead.tables.identifiers.described import examine_described
from roadstead.tables.identifiers.findings import ONE_AGE
from roadstead.tables.identifiers.judgment import Examined
from roadstead.tables.persons.concentrated_columns import columns_that_narrow
from roadstead.tables.persons.counted_columns import columns_that_count
from roadstead.tables.persons.dated_columns import columns_that_follow
from roadstead.tables.persons.weekdays import weekdays_with_few_dates
from roadstead.tables.roles import Roles
from roadstead.tables.source import Engine, Source
from roadstead.verbs.columns import require_releasable
from roadstead.verbs.database.examined_people import source_of_table
from roadstead.verbs.persons.dates import NOT_SHIFTED, count_from, follow_from, narrow, shows_dates

if TYPE_CHECKING:
    from roadstead.tables.database.opening import OpenedSet, SetTable


def require_releasable_columns(opened: OpenedSet, most: int) -> None:
    """Raise an error for a column in `kept` or `details` that reveals an identifier or a date.

    Columns that reveal an attribute of the table of people, and ages over 89, are rejected as well.
    The error does not apply to columns that the table lists in `release_anyway`. `most` is the
    longest shift of dates in days.
    """
    for table in opened.tables.values():
        rules = table.rules
        columns = tuple(x for x in (*rules.details, *rules.kept) if x not in rules.release_anyway)
        if columns:
            _check_of(opened, table, columns, most)(columns)


def refused_if_kept(opened: OpenedSet, most: int) -> dict[str, list[str]]:
    """Return the columns that no rule of a described set names and that `kept` must not list."""
    refused = {}
    for name, table in opened.tables.items():
        columns = list(table.left_out)
        if not columns or opened.numbered:
            continue
        check = _check_of(opened, table.with_all_kept(), columns, most)
        while columns:
            try:
                check(columns)
            except RoleError as error:
                columns = [one for one in columns if one not in error.refused]
            else:
                break
        refused[name] = [one for one in table.left_out if one not in columns]
    return refused


@contextmanager
def refused_in(people: SetTable) -> Iterator[None]:
    """Raise an error about attributes of people as an error about their rules."""
    try:
        yield
    except RoleError as error:
        if not error.refused:
            raise
        _refuse(people, [*error.refused], error.what, "", "quasi")


def weekday_warnings(opened: OpenedSet) -> list[str]:
    """Warn of columns of dates with a weekly pattern, which reveals the shift of a person."""
    found = []
    for table in opened.of_persons:
        source = source_of_table(opened, table)
        for column in table.rules.dates:
            few = weekdays_with_few_dates(source, str(table.rules.person), column)
            if few:
                found.append(weekday_warning(f"{table.name}.{column}", few))
    return found


def _check_of(
    opened: OpenedSet, table: SetTable, columns: Sequence[str], most: int
) -> Callable[[Sequence[str]], None]:
    """Examine columns of a table, and return a function that refuses some of them."""
    shifted = any(one.rules.dates for one in opened.tables.values())
    rules = table.rules
    source, attributes = _with_attributes(opened, table)
    person = () if rules.person is None else (rules.person,)
    every = tuple(dict.fromkeys((*columns, *attributes, *person)))
    examined = examine_described(source, every).examined
    known = examined
    if rules.person is not None:
        known = with_dependencies(source, examined, attributes, (), rules.person)

    def check(some: Sequence[str]) -> None:
        if shifted:
            _require_shifted(source, table, some, examined, most)
        try:
            require_releasable(Roles((), unchanged=tuple(some)), known)
        except RoleError as error:
            _refuse(table, [*(error.refused or some)], error.what, "")
        _require_one_old_age(table, some, known)

    return check


def _with_attributes(opened: OpenedSet, table: SetTable) -> tuple[Source, tuple[str, ...]]:
    """Return a table and the attributes of its people, which the release generalizes."""
    backend, people = opened.engine.backend, opened.people
    view, rules = engine.table(backend, table.name_of_view), table.rules
    attributes = people.rules.attributes
    if rules.person is not None and table.name != people.name:
        known, own = engine.table(backend, people.name_of_view), str(people.rules.person)
        called = {f"{people.name}.{column}": column for column in attributes}
        whose = f"{people.name}.{own}"
        view = view.left_join(
            known.select(**{whose: own}, **called), [view[rules.person] == known[own]]
        ).drop(whose)
        attributes = tuple(called)
    elif rules.person is None:
        attributes = ()
    columns = (*table.columns, *(one for one in attributes if one not in table.columns))
    where = f"{opened.name}, {table.name}"
    return Source(view, columns, where, Engine(engine.BACKEND)), attributes


def _require_one_old_age(table: SetTable, columns: Sequence[str], examined: Examined) -> None:
    """Reject ages over 89, because Safe Harbor requires one category for them."""
    for column in columns:
        for found in examined.judgments[column].findings:
            if found.remedy == ONE_AGE:
                what = f"{quoted(column)}: {found.why}, but Safe Harbor requires {ONE_AGE}"
                _refuse(table, [column], what, "")


def _require_shifted(
    source: Source, table: SetTable, columns: Sequence[str], examined: Examined, most: int
) -> None:
    for column in columns:
        if shows_dates(column, examined):
            _refuse(table, [column], f"{quoted(column)}: {NOT_SHIFTED}", "add it to dates, ")
    person, dates = table.rules.person, table.rules.dates if table.rules.person else ()
    for column, date, unit in columns_that_follow(source, str(person), dates, columns):
        _refuse(table, [column], f"the values of {quoted(column)} {follow_from(date, unit)}", "")
    for column, date, unit, _ in columns_that_count(source, str(person), dates, columns, most):
        _refuse(table, [column], f"the values of {quoted(column)} {count_from(date, unit)}", "")
    for column, date, left in columns_that_narrow(source, str(person), dates, columns, most):
        _refuse(table, [column], f"the values of {quoted(column)} {narrow(date, left)}", "")


def _refuse(
    table: SetTable,
    columns: Sequence[str],
    what: str,
    instead: str,
    lists: str = "kept and details",
) -> NoReturn:
    listed = ", ".join(f'"{column}"' for column in columns)
    error = RoleError(
        what,
        where=f"tables.{named(table.name)}",
        fix=f"{instead}remove {'it' if len(columns) == 1 else 'them'} from {lists}, or "
        f"release {'it' if len(columns) == 1 else 'them'} anyway with release_anyway = [{listed}]",
    )
    error.refused = dict.fromkeys(columns, (what,))
    raise error
