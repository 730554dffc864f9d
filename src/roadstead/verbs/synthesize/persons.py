"""Check the settings for people with several rows in a request, before the table is examined.

There are two methods. With the first method, the rows of each person are combined into one record,
and a rule for each column chooses the value. With the second method, only a limited number of rows
per person is used. A column without a rule always stops the request. Suppose that a missing rule
were accepted if no person has two different values. Then the existence of a release would reveal
this fact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from roadstead.differential.persons.one_record import FIRST, LAST, MOST, SAME, OneValue
from roadstead.errors import RoleError, SettingError, quoted
from roadstead.front_end import named_with, option
from roadstead.requests.checks import wrong
from roadstead.tables.item_sets import ItemColumn, ItemSet, ItemTable

if TYPE_CHECKING:
    from roadstead.verbs.synthesize.request import PublicDomains

_MOST_ROWS = 10_000
"""The maximum number of rows per person."""
_WAYS = f"{SAME}, {MOST}, {FIRST}:ORDER or {LAST}:ORDER"


@dataclass(frozen=True)
class PersonRecords:
    """The settings for combining the rows of each person."""

    column: str
    rows: int | None = None  # largest number of rows per person; None: one combined record
    # The rule that chooses a value, by column. The empty name is the rule for all other columns.
    values: Mapping[str, OneValue] = field(default_factory=dict)

    def rules(self, columns: Sequence[str]) -> dict[str, OneValue]:
        """Return the rule that chooses a person's value, for each column of single values."""
        for name in self.values:
            if name and name not in columns:
                raise RoleError(
                    "a rule chooses one of a person's values, but the column is not released",
                    where=f"column {quoted(name)}",
                    fix=f"leave it out of {option('per_person')}",
                )
        found = {}
        for name in columns:
            rule = self.values.get(name, self.values.get(""))
            if rule is None:
                raise SettingError(
                    "a person can have several values in this column, but no rule chooses one of "
                    "these values",
                    where=f"column {quoted(name)}",
                    fix=f"choose one with {option('per_person', {name: f'{FIRST}:ORDER'})} (or "
                    f"{LAST}:ORDER, {MOST}, or {SAME} if all rows of a person have the same "
                    "value), or use at most C rows per person with "
                    f"{option('rows_per_person', 'C')}",
                )
            found[name] = rule
        return found


def persons_of(request: PublicDomains) -> PersonRecords | None:
    """Return the settings for combining the rows of people, or None if records are protected."""
    if request.person is None:
        for key in ("rows_per_person", "per_person"):
            if getattr(request, key) is not None:
                raise wrong(
                    key,
                    "this setting requires a person ID column",
                    named_with(option("person", "COLUMN")),
                )
        return None
    rows, values = request.rows_per_person, request.per_person
    if rows is None:
        return PersonRecords(request.person, None, _rules(values))
    if isinstance(rows, bool) or not 1 <= rows <= _MOST_ROWS:
        raise wrong(
            "rows_per_person",
            f"{rows} is not a valid number of rows per person",
            f"give a number from 1 to {_MOST_ROWS:,}, and do not derive it from this table; fewer "
            "rows mean less noise",
        )
    if values is not None:
        raise wrong(
            "per_person",
            "the rows of a person are used separately, so no single value represents the person",
            f"leave out {option('per_person')} or {option('rows_per_person')}",
        )
    return PersonRecords(request.person, rows, {})


def gathered_sets(sets: Sequence[ItemSet], persons: PersonRecords | None) -> tuple[ItemSet, ...]:
    """Turn a column with one code per row into a set if the rows of a person are combined.

    When rows are combined, the positions of items within a row are lost. In this case, items have
    positions only if a second table orders the rows of each person.
    """
    if persons is None or persons.rows is not None:
        return tuple(sets)
    for one in sets:
        by_person = isinstance(one, ItemTable) and one.own_key == persons.column
        if one.longest is not None and not by_person:
            raise SettingError(
                "the items of this set have an order within a row, but the rows of a person are "
                "combined",
                where=f"set {quoted(one.name)}",
                fix=f"use a second table with {quoted(persons.column)} as its key, or leave out "
                f"{option('sequences')}",
            )
    return tuple(
        replace(one, single=True) if isinstance(one, ItemColumn) and one.delimiter is None else one
        for one in sets
    )


def _rules(given: Mapping[str, str] | str | None) -> dict[str, OneValue]:
    """Parse rules such as ``first:ORDER``. The empty name is for all other columns."""
    written = {"": given} if isinstance(given, str) else dict(given or {})
    return {name: _rule(name, text) for name, text in written.items()}


def _rule(name: str, text: object) -> OneValue:
    rule, colon, order = str(text).partition(":")
    rule, order = rule.strip(), order.strip()
    if rule in (SAME, MOST) and not colon:
        return OneValue(rule)
    if rule in (FIRST, LAST) and order:
        return OneValue(rule, order)
    said = f"{quoted(name)}: {quoted(str(text))}" if name else quoted(str(text))
    what = f"{said} is not a rule for choosing one of a person's values"
    if rule in (FIRST, LAST):
        what = f"{said} does not name the column that orders the rows of a person"
    raise wrong("per_person", what, f"write {_WAYS}")
