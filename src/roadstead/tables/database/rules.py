"""Define rules for the columns of each table in a set of tables about the same people.

A column is released only if it is in a rule. The certificate of a release contains the rules, so a
recipient knows the intended content of each column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Annotated, TypeAlias

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.errors import SettingError, quoted
from roadstead.printable import named


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class TableRules:
    """The rules for the columns of a table. The columns are identified by name.

    Attributes
    ----------
    person
        The person ID column. None for a table without people; all rows of such a table are
        released.
    key
        The primary key.
    keys
        Foreign keys, each with the table to which the key refers. If the release omits a row, it
        also omits all rows whose key refers to this row.
    softly
        Foreign keys that become empty if the release omits the row to which they refer.
    dates
        Columns of dates. The first column is the date of the row. Each date is shifted by the
        person's number of days.
    code
        The column with the information about the row's person, such as a diagnosis.
    domain
        The kind of information in the code. A code has the same meaning in all tables of a domain.
    root
        The code that can replace any code of the domain. None if rows without a specific code are
        useless.
    details
        Columns that are released unchanged, but are empty in rows with a generalized code.
    kept
        Columns that are released unchanged.
    release_anyway
        Columns in `details`, `kept`, or `quasi` that are released although they look like
        identifiers or like dates.
    empty
        Columns that are released without values, because the data model requires them.
    left_empty
        Columns in `details`, each with a list of codes. In rows with these codes, the column is
        released empty.
    quasi
        Only for the table of people: the columns that an attacker may know.
    birth
        Only for the table of people: the column with the year of birth, or a date in that year.
    periods
        Whether a row is a period in which the person was observed. A period is shortened if it
        begins before the extract or ends after the extract. Other rows are omitted if they are
        outside the extract.
    """

    person: str | None = None
    key: str | None = None
    keys: dict[str, str] = field(default_factory=dict)
    softly: dict[str, str] = field(default_factory=dict)
    dates: tuple[str, ...] = ()
    code: str | None = None
    domain: str = ""
    root: str | None = None
    details: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    release_anyway: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    left_empty: Annotated[
        dict[str, tuple[str, ...]], Field(exclude_if=lambda columns: not columns)
    ] = field(default_factory=dict)
    quasi: tuple[str, ...] = ()
    birth: str | None = None
    periods: bool = False

    @property
    def is_of_persons(self) -> bool:
        """Return whether the table has one row for each person."""
        return bool(self.quasi or self.birth)

    @property
    def attributes(self) -> tuple[str, ...]:
        """Return the columns that an attacker may know about a person, beginning with birth."""
        return (*([self.birth] if self.birth else []), *self.quasi)

    @property
    def measured(self) -> tuple[str, ...]:
        """Return the columns of a table about people that are released unchanged."""
        return (*self.details, *self.kept) if self.person is not None else ()

    @property
    def refers_to(self) -> tuple[str, ...]:
        """The tables that the foreign keys refer to."""
        return (*self.links.values(),)

    @property
    def links(self) -> dict[str, str]:
        """The foreign keys, each with the table to which the key refers."""
        return {**self.keys, **self.softly}

    @property
    def named(self) -> tuple[str, ...]:
        """Return every column that a rule names."""
        single = (self.person, self.key, self.code)
        own = (*(one for one in single if one), *self.keys, *self.softly, *self.dates)
        return tuple(
            dict.fromkeys((*own, *self.details, *self.kept, *self.empty, *self.attributes))
        )


Rules: TypeAlias = Mapping[str, TableRules]
"""The rules of a set's tables, by table name."""


_OF_PEOPLE = ("dates", "code", "details", "root", "periods")
"""The settings that only a table with a person ID can have."""


def require_possible(rules: Rules) -> None:
    """Reject settings that a table cannot have, and keys that no release could replace.

    Raises SettingError, because such a table would be released with its true dates, codes, or keys.
    """
    people, *_ = in_order(rules)
    for name, one in rules.items():
        wrong = _of_people_only(one) if one.person is None else _of_events_only(one)
        wrong = wrong or next(_wrong_links(rules, people, name), None)
        if wrong:
            what, fix = wrong
            raise SettingError(what, where=f"tables.{named(name)}", fix=fix)


def _of_people_only(one: TableRules) -> tuple[str, str] | None:
    """Explain which settings a table without people cannot have, and how to correct them."""
    given = [setting for setting in _OF_PEOPLE if getattr(one, setting)]
    if not given:
        return None
    listed = ", ".join(given)
    what = (
        f"this table has {listed}, but no person ID, so Roadstead does not know which row "
        "belongs to which person"
    )
    return what, f'add person = "COLUMN", or, if its rows are not about people, remove {listed}'


def _of_events_only(one: TableRules) -> tuple[str, str] | None:
    """Explain which settings a table with a person ID cannot have."""
    if one.is_of_persons and one.code is not None:
        what = f"{quoted(one.code)} is a code, but this table has one row per person"
        return (
            what,
            "list the column in quasi, so that the column is generalized with the other "
            "columns of people",
        )
    if one.details and one.code is None and not one.is_of_persons:
        return (
            "this table has the setting details, but not the setting code",
            "list these columns in kept, or add code",
        )
    if {*one.left_empty} - {*one.details}:
        return "left_empty names a column that is not in details", "add the column to details"
    return None


def _wrong_links(rules: Rules, people: str, name: str) -> Iterator[tuple[str, str]]:
    """Explain which foreign keys of a table cannot be replaced, and how to correct them."""
    own = rules[name]
    roles = {own.person, own.key, own.code, *own.dates, *own.attributes}
    for column, to in own.links.items():
        called = f"the foreign key {quoted(column)}"
        if column in roles or (column in own.keys and column in own.softly):
            yield f"{called} also has another role", "give each column one role"
        elif to == people:
            yield (
                f"{called} refers to {quoted(people)}, which is the table of people",
                'replace the key with person = "COLUMN", which refers to people',
            )
        elif own.person is None and to in rules and rules[to].person is not None:
            yield (
                f"{called} refers to {quoted(to)}, whose rows belong to people, but this table has "
                "no person ID",
                'add person = "COLUMN"',
            )
        elif name == people and column in own.keys and to in rules and rules[to].person:
            yield (
                f"{called} refers to {quoted(to)}; rows of that table can be left out, but "
                "rows of people that refer to these rows cannot be left out",
                f'use softly = {{{named(column)} = "{named(to)}"}}, which empties the key',
            )


def in_order(rules: Rules) -> Iterator[str]:
    """Yield the tables about people. A table comes after the tables to which its keys refer.

    The table of people is first. Raises SettingError if there is not exactly one table of people,
    or if tables refer to each other in a circle.
    """
    people = [name for name, one in rules.items() if one.is_of_persons]
    if len(people) != 1:
        what = f"{len(people)} tables have quasi or birth, but exactly one table must have them"
        fix = "give quasi or birth only to the table that has one row per person"
        raise SettingError(what, where="tables", fix=fix)
    if rules[people[0]].person is None:
        raise SettingError(
            "no person ID column is named", where=f"tables.{people[0]}", fix='write person = "ID"'
        )
    done = [people[0]]
    yield people[0]
    waiting = [name for name, one in rules.items() if one.person and name not in done]
    while waiting:
        ready = [name for name in waiting if not {*rules[name].refers_to} & {*waiting} - {name}]
        if not ready:
            what = f"tables refer to each other in a circle: {', '.join(map(quoted, waiting))}"
            raise SettingError(what, where="tables", fix="remove one of their keys")
        yield ready[0]
        done.append(ready[0])
        waiting.remove(ready[0])
