"""Reject columns of a described set of tables that must not be released unchanged.

These are direct identifiers, and dates that are not shifted. The columns of a CDM need no check,
because its rules release only numbers, concepts, and dates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from roadstead.errors import RoleError, quoted
from roadstead.printable import named
from roadstead.tables import engine
from roadstead.tables.identifiers.described import examine_described
from roadstead.tables.identifiers.judgment import Examined
from roadstead.tables.persons.dated_columns import columns_that_follow
from roadstead.tables.roles import Roles
from roadstead.tables.source import Engine, Source
from roadstead.verbs.columns import require_releasable
from roadstead.verbs.persons.dates import NOT_SHIFTED, follow_from, shows_dates

if TYPE_CHECKING:
    from roadstead.tables.database.opening import OpenedSet, SetTable


def require_releasable_columns(opened: OpenedSet) -> None:
    """Raise an error for a column in `kept` or `details` that reveals an identifier or a date.

    The error does not apply to columns that the table lists in `release_anyway`.
    """
    shifted = any(one.rules.dates for one in opened.tables.values())
    for table in opened.tables.values():
        rules = table.rules
        columns = tuple(x for x in (*rules.details, *rules.kept) if x not in rules.release_anyway)
        if not columns:
            continue
        view = engine.table(opened.engine.backend, table.name_of_view)
        source = Source(view, table.columns, f"{opened.name}, {table.name}", Engine(engine.BACKEND))
        examined = examine_described(source, columns).examined
        if shifted:
            _require_shifted(source, table, columns, examined)
        try:
            require_releasable(Roles((), unchanged=columns), examined)
        except RoleError as error:
            _refuse(table, [*(error.refused or columns)], error.what, "")


def _require_shifted(
    source: Source, table: SetTable, columns: Sequence[str], examined: Examined
) -> None:
    for column in columns:
        if shows_dates(column, examined):
            _refuse(table, [column], f"{quoted(column)}: {NOT_SHIFTED}", "add it to dates, ")
    person, dates = table.rules.person, table.rules.dates if table.rules.person else ()
    for column, date, unit in columns_that_follow(source, str(person), dates, columns):
        _refuse(table, [column], f"the values of {quoted(column)} {follow_from(date, unit)}", "")


def _refuse(table: SetTable, columns: Sequence[str], what: str, instead: str) -> NoReturn:
    listed = ", ".join(f'"{column}"' for column in columns)
    raise RoleError(
        what,
        where=f"tables.{named(table.name)}",
        fix=f"{instead}remove {'it' if len(columns) == 1 else 'them'} from kept and details, or "
        f"release {'it' if len(columns) == 1 else 'them'} anyway with release_anyway = [{listed}]",
    )
