"""The use of each column of a table, in a set of tables about the same people.

A column is released only if it is named: it has a use here, or it is left out. The rules of a set
are part of its certificate, so the person who verifies a release knows the intended content of each
column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import TypeAlias

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.errors import SettingError, quoted


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class TableRules:
    """The use of each column of a table, by name.

    Attributes
    ----------
    person
        The person ID of each row; None for a table without people, which is released unchanged.
    key
        The primary key.
    keys
        Foreign keys: the table that each refers to. If the row referred to is left out, this row is
        left out too.
    softly
        Foreign keys that become empty instead.
    dates
        Columns of dates, the row's own first; each is moved by its person's days.
    code
        The information about the row's person, such as a diagnosis.
    domain
        Tables of one domain hold the same kind of information, so a code has the same meaning in
        all of them.
    root
        The code that represents any code of the domain; None if rows without a code are useless.
    details
        Released unchanged, except in rows whose code is generalized: there they are emptied.
    kept
        Released unchanged.
    empty
        Released without values, because the model of the tables includes this column.
    quasi
        Only for the table of people: what others may know about them.
    birth
        Only for the table of people: the year of birth, or a date that gives the year.
    periods
        Whether a row states for how long its person was observed. Such a row is cut at both ends of
        the extract, where other rows would be left out.
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
    empty: tuple[str, ...] = ()
    quasi: tuple[str, ...] = ()
    birth: str | None = None
    periods: bool = False

    @property
    def is_of_persons(self) -> bool:
        """Whether it has a row for each person."""
        return bool(self.quasi or self.birth)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The columns that others may know about a person, the year of birth first."""
        return (*([self.birth] if self.birth else []), *self.quasi)

    @property
    def measured(self) -> tuple[str, ...]:
        """The columns of a table with people that are released unchanged."""
        return (*self.details, *self.kept) if self.person is not None else ()

    @property
    def refers_to(self) -> tuple[str, ...]:
        """The tables that its foreign keys refer to."""
        return (*self.keys.values(), *self.softly.values())

    @property
    def named(self) -> tuple[str, ...]:
        """Every column that has a use."""
        single = (self.person, self.key, self.code)
        own = (*(one for one in single if one), *self.keys, *self.softly, *self.dates)
        return tuple(
            dict.fromkeys((*own, *self.details, *self.kept, *self.empty, *self.attributes))
        )


Rules: TypeAlias = Mapping[str, TableRules]
"""The rules of each table of a set, by its name."""


def in_order(rules: Rules) -> Iterator[str]:
    """Return the tables that have people, so that each comes after the tables it refers to.

    The table of people comes first. Raises SettingError: no table or several are the table of
    people, or tables refer to each other in a circle, or to no table of the set.
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
        ready = [
            name
            for name in waiting
            if all(to in done or to == name or to not in rules for to in rules[name].refers_to)
        ]
        if not ready:
            what = f"tables refer to each other in a circle: {', '.join(map(quoted, waiting))}"
            raise SettingError(what, where="tables", fix="remove one of their keys")
        yield ready[0]
        done.append(ready[0])
        waiting.remove(ready[0])
