"""What the columns of a table are, in a set of tables about the same persons.

What is not named is not released: a column has a use here, or it is left out. The rules of a set
stand in its certificate, so whoever verifies a release knows what each column is to hold.
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
    """What the columns of a table are, by name.

    Attributes
    ----------
    person
        Whose each row is; None of a table of no persons, which is released as it is.
    key
        The primary key.
    keys
        Foreign keys: the table that each refers to. Where the row referred to is left out, so is
        this one.
    softly
        Foreign keys that become empty instead.
    dates
        Columns of dates, the row's own first; each is moved by its person's days.
    code
        What the row says of its person, such as a diagnosis.
    domain
        Tables of one domain say the same kind of thing, so a code means the same in all of them.
    root
        The code that stands for any of the domain; None where rows without a code are of no use.
    details
        Released as they are, but for rows whose code is generalized: there they are emptied.
    kept
        Released as they are.
    empty
        Released without values, because the model of the tables has such a column.
    quasi
        Of the table of persons alone: what others may know of them.
    birth
        Of the table of persons alone: the year of birth, or a date of which the year is taken.
    periods
        Whether a row says for how long its person was observed. It is cut at both ends of the
        extract, where others would be left out.
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
        """What others may know of a person, the year of birth first."""
        return (*([self.birth] if self.birth else []), *self.quasi)

    @property
    def measured(self) -> tuple[str, ...]:
        """Columns released as they are of a table that has persons."""
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
    """Give the tables that have persons so that each comes after those it refers to.

    The table of persons comes first. Raises SettingError where there is none, or several, or where
    tables refer to each other in a circle, or to none of the set.
    """
    people = [name for name, one in rules.items() if one.is_of_persons]
    if len(people) != 1:
        what = f"{len(people)} tables have quasi or birth, but exactly one table must"
        fix = "give quasi or birth to the one table that has one row per person"
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
