"""Reject columns of a set of tables that must not be released unchanged.

These are direct identifiers, dates that are not shifted, and columns that reveal what the release
generalizes. If the user named a column, the release is refused. In a CDM, the rules of the model
name the columns, so the release leaves such a column empty, and the output says why.

The results of a code, such as a laboratory test, are examined like a separate column.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, NoReturn

from roadstead.errors import RoleError, quoted
from roadstead.printable import named
from roadstead.release.database.referred_rows import seen_by_people
from roadstead.release.database.results_of_codes import suspicious_results
from roadstead.release.persons.dates import weekday_warning
from roadstead.tables import engine
from roadstead.tables.database.omop import CONCEPTS
from roadstead.tables.dependencies.examined import with_dependencies
from roadstead.tables.identifiers.described import examine_described
from roadstead.tables.identifiers.findings import ONE_AGE
from roadstead.tables.identifiers.judgment import NEUTRAL, Examined
from roadstead.tables.identifiers.vocabulary import words
from roadstead.tables.persons.concentrated_columns import columns_that_narrow
from roadstead.tables.persons.counted_columns import columns_that_count
from roadstead.tables.persons.dated_columns import columns_that_follow
from roadstead.tables.persons.dates import transformed
from roadstead.tables.persons.weekdays import weekdays_with_few_dates
from roadstead.tables.roles import Roles
from roadstead.tables.source import Engine, Source
from roadstead.verbs.columns import require_releasable
from roadstead.verbs.database.examined_people import source_of_table
from roadstead.verbs.persons.dates import NOT_SHIFTED, count_from, follow_from, narrow, shows_dates

if TYPE_CHECKING:
    from roadstead.release.database.persons import Window
    from roadstead.tables.database.opening import OpenedSet, SetTable


_KEY = re.compile(r"(^|_)(id|key|uuid|guid)(_|$)")
_NAME = re.compile(r"\b[^\W\d_a-z]\w+,? [^\W\d_a-z]\w+")
"""Two words in a row with a capital letter, or in a script without capital letters."""

_BARE = re.compile("[A-Za-z0-9_-]+")
"""A key of a project file that does not need quotes."""


def require_releasable_columns(opened: OpenedSet, most: int) -> None:
    """Raise an error for a column in `kept` or `details` that reveals an identifier or a date.

    Columns that reveal an attribute of the table of people, and ages over 89, are rejected as well.
    The error does not apply to columns that the table lists in `release_anyway`. `most` is the
    longest shift of dates in days.
    """
    for table in opened.tables.values():
        columns = _examined(table)
        if columns:
            check_of(opened, table, columns, most)(columns)
        for own in seen_by_people(opened, table) if columns else ():
            check_of(opened, own, columns, most)(columns)
        for column, codes in revealing_results(opened, table, columns, most).items():
            code, why = next(iter(codes.items()))
            listed = ", ".join(json.dumps(one, ensure_ascii=False) for one in codes)
            what = f"{quoted(column)}, in rows with the code {quoted(code)}: {why}"
            key = column if _BARE.fullmatch(column) else json.dumps(column, ensure_ascii=False)
            empty = f"leave these cells empty with left_empty = {{{key} = [{listed}]}}, "
            _refuse(table, [column], what, empty)


def _examined(table: SetTable) -> tuple[str, ...]:
    """Return the columns that are released unchanged, without columns that are released anyway."""
    rules = table.rules
    return tuple(x for x in (*rules.details, *rules.kept) if x not in rules.release_anyway)


def revealing_results(
    opened: OpenedSet, table: SetTable, columns: Sequence[str], most: int
) -> dict[str, dict[str, str]]:
    """For each column, return the codes whose results must not be released, and the reasons."""
    found: dict[str, dict[str, str]] = {}
    for one in suspicious_results(opened, table, columns):
        check = check_of(opened, one.table, (one.called,), most)
        for why in refused_by(check, [one.called]).values():
            found.setdefault(one.column, {})[one.code] = why
    return found


def refused_by(check: Callable[[Sequence[str]], None], columns: Sequence[str]) -> dict[str, str]:
    """Return the columns that a check refuses, each with the first reason."""
    found: dict[str, str] = {}
    while left := [one for one in columns if one not in found]:
        try:
            check(left)
        except RoleError as error:
            found |= {name: reasons[0] for name, reasons in error.refused.items()}
        else:
            break
    return found


def without_revealing_cells(opened: OpenedSet, most: int) -> tuple[OpenedSet, dict[str, str]]:
    """Empty the cells of a CDM that must not be released, and give a reason for each column."""
    tables = dict(opened.tables)
    why: dict[str, str] = {}
    for name, table in opened.tables.items() if opened.numbered else ():
        if table.rules.person is None or not (columns := _examined(table)):
            continue
        rules = table.rules
        refused = refused_by(check_of(opened, table, columns, most), columns)
        why |= {f"{name}.{column}": reason for column, reason in refused.items()}
        others = [one for one in columns if one not in refused]
        results = revealing_results(opened, table, others, most)
        for column, codes in results.items():
            why |= {f"{name}.{column} of code {code}": reason for code, reason in codes.items()}
        rules = replace(
            rules,
            details=tuple(one for one in rules.details if one not in refused),
            kept=tuple(one for one in rules.kept if one not in refused),
            empty=(*rules.empty, *(one for one in rules.measured if one in refused)),
            left_empty={column: tuple(codes) for column, codes in results.items()},
        )
        tables[name] = replace(table, rules=rules)
    return replace(opened, tables=tables), why


def refused_if_kept(opened: OpenedSet, most: int) -> dict[str, dict[str, bool]]:
    """Return the columns that no rule of a described set names and that `kept` should not list.

    The value of a column is true if Roadstead would refuse to release the column. Roadstead would
    release the other columns, but they may be keys, may contain names of people, or may be known to
    an attacker.
    """
    refused = {}
    for name, table in opened.tables.items():
        columns = list(table.left_out)
        if not columns or opened.numbered:
            continue
        check, examined = _examination(opened, table.with_all_kept(), columns, most)
        unsafe = refused_by(check, columns)
        unclear = (one for one in columns if one in unsafe or not _is_harmless(one, examined))
        refused[name] = {column: column in unsafe for column in unclear}
    return refused


@contextmanager
def refused_in(people: SetTable) -> Iterator[None]:
    """Convert an error about attributes of people to an error about the rules of their table."""
    try:
        yield
    except RoleError as error:
        if not error.refused:
            raise
        _refuse(people, [*error.refused], error.what, "", "quasi")


def weekday_warnings(opened: OpenedSet, window: Window | None, most: int) -> list[str]:
    """Warn about columns of dates with a weekly pattern, which reveals the shift of a person.

    Some dates are so far outside the window that no shift of up to `most` days moves them into the
    window. These dates are ignored. An example is the first day of the extract, on which
    observation periods begin.
    """
    found: list[str] = []
    if window is None:
        return found
    first, last = window.first - timedelta(most), window.last + timedelta(most)
    for table in opened.of_persons:
        source = source_of_table(opened, table)
        for column in table.rules.dates:
            day = source.table[column]
            within = transformed(source, source.table.filter((day > first) & (day < last)))
            few = weekdays_with_few_dates(within, str(table.rules.person), column)
            if few:
                found.append(weekday_warning(f"{table.name}.{column}", few))
    return found


def _is_harmless(column: str, examined: Examined) -> bool:
    """Return False if something suggests that a column is a key, names a person, or is known."""
    judgment = examined.judgments[column]
    if judgment.role != "sensitive" and judgment.reason != NEUTRAL:
        return False
    a_key = _KEY.search(words(column)) and not column.endswith(CONCEPTS)
    return not a_key and not any(map(_NAME.search, examined.samples[column]))


def check_of(
    opened: OpenedSet, table: SetTable, columns: Sequence[str], most: int
) -> Callable[[Sequence[str]], None]:
    """Examine columns of a table, and return a function that refuses some of them."""
    return _examination(opened, table, columns, most)[0]


def _examination(
    opened: OpenedSet, table: SetTable, columns: Sequence[str], most: int
) -> tuple[Callable[[Sequence[str]], None], Examined]:
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
            _refuse(table, [*(error.refused or some)], error.what, "", reasons=error.refused)
        _require_one_old_age(table, some, known)

    return check, examined


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
        if column in examined.free_texts and shows_dates(column, examined):
            what = f"{quoted(column)}: it has long texts with dates that are not shifted"
            _refuse(table, [column], what, "")
        if shows_dates(column, examined):
            _refuse(table, [column], f"{quoted(column)}: {NOT_SHIFTED}", "add it to dates, ")
    person, dates = table.rules.person, table.rules.dates if table.rules.person else ()
    for column, date, unit in columns_that_follow(source, str(person), dates, columns):
        _refuse(table, [column], follow_from(_values(column), date, unit), "")
    for column, date, unit, _ in columns_that_count(source, str(person), dates, columns, most):
        _refuse(table, [column], count_from(_values(column), date, unit), "")
    for column, date, left in columns_that_narrow(source, str(person), dates, columns, most):
        _refuse(table, [column], narrow(_values(column), date, left), "")


def _values(column: str) -> str:
    return f"the values of {quoted(column)}"


def _refuse(
    table: SetTable,
    columns: Sequence[str],
    what: str,
    instead: str,
    lists: str = "kept and details",
    reasons: Mapping[str, Sequence[str]] | None = None,
) -> NoReturn:
    listed = ", ".join(f'"{column}"' for column in columns)
    error = RoleError(
        what,
        where=f"tables.{named(table.name)}",
        fix=f"{instead}remove {'it' if len(columns) == 1 else 'them'} from {lists}, or "
        f"release {'it' if len(columns) == 1 else 'them'} anyway with release_anyway = [{listed}]",
    )
    error.refused = {column: tuple((reasons or {}).get(column, (what,))) for column in columns}
    raise error
