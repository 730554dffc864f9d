"""Define the target of attacks, which is a release together with the judge's tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.attacked_release import AttackedRelease
from roadstead.attacks.matching.truth import released_rows
from roadstead.errors import SettingError, quoted
from roadstead.release.evidence import Need
from roadstead.release.persons.dates import make_dates
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.tables.source import Source


@dataclass(frozen=True, eq=False)
class Target:
    """A release as an attacker sees it, and the tables of the judge.

    `original` is the table from which the release was created. `register` contains people about
    whom an attacker knows something. `held_out` contains people of the same kind who are not in the
    release. `second` is another release about the same people.
    """

    release: AttackedRelease
    original: Source | None = None
    register: Source | None = None
    held_out: Source | None = None
    second: AttackedRelease | None = None

    @property
    def has(self) -> frozenset[Need]:
        """Return the inputs that the judge has."""
        there: dict[Need, object] = {
            "original": self.original,
            "register": self.register,
            "held-out": self.held_out,
            "second-release": self.second,
        }
        return frozenset(name for name, one in there.items() if one is not None)

    @cached_property
    def people(self) -> FrequencyTable:
        """Return the distinct rows of the original, with the released columns and the person ID.

        If the release shows the days between a person's dates, the table contains these days,
        without shifts. An attacker who knows the dates would compute the same days.
        """
        assert self.original is not None  # noqa: S101 - attacks that use it require it
        return self.rows_of(self.original)

    @cached_property
    def truth(self) -> NDArray[np.int64]:
        """Return the released row for each original row, or -1 if the row was not released."""
        return released_rows(self.release, self.people)

    def rows_of(self, source: Source) -> FrequencyTable:
        """Count the distinct rows of a table of people, with the released columns only."""
        policy = self.release.policy
        rules = None if policy is None else policy.persons
        person = None if rules is None else rules.column
        if rules is not None and person in source.columns and rules.dates:
            unshifted = tuple(
                replace(rule, form="interval") if rule.form == "shifted-anchor" else rule
                for rule in rules.dates
                if not rule.is_date and rule.column in source.columns
            )
            source = make_dates(source, replace(rules, dates=unshifted, shift=None), None).source
        columns = [n for n in self.release.rows.attributes if n in source.columns]
        if person is not None and person in source.columns and person not in columns:
            columns.append(person)
        if not columns:
            raise SettingError(
                (
                    "the table does not have the columns of the release, for example, "
                    f"{quoted(self.release.rows.attributes[0])}"
                ),
                where=source.name,
                fix="use a table with the same columns",
            )
        return summarize(source, columns)
