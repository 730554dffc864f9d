"""Report ages over 89 that two released columns together reveal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from roadstead.front_end import option
from roadstead.hierarchies.written_numbers import FIRST_OLD_AGE
from roadstead.printable import named
from roadstead.release.persons.early_births import this_year
from roadstead.release.persons.old_ages import (
    old_ages_shown,
    old_births_shown,
    old_years_shown,
)
from roadstead.reports.wording import counted
from roadstead.tables.identifiers.descriptions import described_ages

if TYPE_CHECKING:
    from roadstead.policies.document import Policy
    from roadstead.release.generalized import Generalized
    from roadstead.tables.source import Source


def old_ages(
    source: Source, policy: Policy, generalized: Generalized, *, applied: bool = False
) -> Iterator[str]:
    """Yield sentences about births that reveal ages over 89, alone or with later dates.

    If `applied` is true, the policy exists already, and its hierarchies cannot be changed.
    """
    years = old_years_shown(policy, generalized, described_ages(source, policy.quasi))
    if years is not None:
        name = named(years.age)
        yield (
            f"{name} shows ages over 89 in {counted(years.records, 'record')}. Safe Harbor "
            f"requires one category for these ages: use a hierarchy of {name} with top = 90 and "
            "bands_only = true."
        )
    found = old_ages_shown(policy, generalized)
    if found is not None:
        way = _way(found.born, found.latest - FIRST_OLD_AGE + 1, applied=applied)
        yield (
            f"{named(found.born)} and {named(found.seen)} show an age over 89 in "
            f"{counted(found.records, 'record')}. Safe Harbor requires one category for these "
            f"ages. {way}"
        )
        return
    year = this_year()
    alone = old_births_shown(policy, generalized, year)
    if alone is not None:
        way = _way(alone.born, (year - FIRST_OLD_AGE) // 10 * 10 + 10, applied=applied)
        yield (
            f"{named(alone.born)} shows births of people who are over 89 at the end of {year}, in "
            f"{counted(alone.records, 'record')}. Safe Harbor requires one category for these "
            f"births. {way} If the data are older, an earlier year is enough."
        )


def _way(born: str, bottom: int, *, applied: bool) -> str:
    """Say how to put births before a year into one band."""
    if applied:
        return (
            f"Anonymize the table again, with bottom = {bottom} in the hierarchy of {named(born)}."
        )
    return (
        f"Put births before {bottom} into one band with bottom = {bottom} in the hierarchy of "
        f"{named(born)}, or withhold it with {option('identifiers', [born])}."
    )
