"""Report ages over 89 that two released columns together reveal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from roadstead.front_end import Value, option, worded
from roadstead.hierarchies.written_numbers import FIRST_OLD_AGE
from roadstead.number_ranges import parse_range
from roadstead.printable import named
from roadstead.release.persons.early_births import this_year
from roadstead.release.persons.old_ages import (
    old_ages_shown,
    old_births_shown,
    old_years_shown,
)
from roadstead.reports.wording import counted, first_few
from roadstead.tables.identifiers.descriptions import described_ages

if TYPE_CHECKING:
    from roadstead.policies.document import Policy
    from roadstead.release.generalized import Generalized
    from roadstead.tables.source import Source


def old_ages(
    source: Source,
    policy: Policy,
    generalized: Generalized,
    *,
    applied: bool = False,
    advice: bool = True,
) -> Iterator[str]:
    """Yield sentences about births that reveal ages over 89, alone or with later dates.

    If `applied` is true, the policy already exists, and its hierarchies cannot be changed. `advice`
    states whether the sentences say what the custodian can do.
    """
    years = old_years_shown(policy, generalized, described_ages(source, policy.quasi))
    if years is not None:
        name, records = named(years.age), counted(years.records, "record")
        shown = f"{name} shows ages over 89 in {records}"
        if years.bands:
            bands = "band" if len(years.bands) == 1 else "bands"
            cover = "covers" if len(years.bands) == 1 else "cover"
            shown = (
                f"The {bands} {first_few(years.bands)} of {name} also {cover} ages over 89 "
                f"({records})"
            )
        do = f": {_one_band(years.age, generalized)}" if advice else ""
        yield f"{shown}. Safe Harbor requires one category for these ages{do}."
    found = old_ages_shown(policy, generalized)
    if found is not None:
        way = _way(found.born, found.latest - FIRST_OLD_AGE + 1, applied=applied)
        do = f" {way}" if advice else ""
        yield (
            f"Together, {named(found.born)} and {named(found.seen)} show an age over 89 in "
            f"{counted(found.records, 'record')}. Safe Harbor requires one category for "
            f"these ages.{do}"
        )
        return
    year = this_year()
    alone = old_births_shown(policy, generalized, year)
    if alone is not None:
        way = _way(alone.born, (year - FIRST_OLD_AGE) // 10 * 10 + 10, applied=applied)
        do = f" {way} If the data are older, an earlier year is enough." if advice else ""
        yield (
            f"In {counted(alone.records, 'record')}, {named(alone.born)} shows the birth "
            f"of a person who is over 89 at the end of {year}. Safe Harbor requires one "
            f"category for these births.{do}"
        )


def _one_band(name: str, generalized: Generalized) -> str:
    """Say how to put ages over 89 into one band at all levels."""
    table = generalized.table
    values = table.domains[table.attributes.index(name)]
    read = [one for value in values if (one := parse_range(value)) is not None]
    if not all(one.is_one or one.high is None for one in read):
        return "in the table, write all bands with such ages as one open band, such as 90+"
    usual: dict[str, Value] = {
        "kind": "intervals",
        "widths": [5, 10, 20],
        "top": 90,
        "bands_only": True,
    }
    return worded(
        command=f"use a hierarchy for {named(name)} with top = 90 and bands_only = true",
        python=f"use {option('hierarchies', {name: usual})}",
        page=f"use a hierarchy for {named(name)} with one band of 90 and above at all levels",
    )


def _way(born: str, bottom: int, *, applied: bool) -> str:
    """Say how to put births before a certain year into one band."""
    if applied:
        return (
            f"Anonymize the table again, with bottom = {bottom} in the hierarchy of {named(born)}."
        )
    return (
        f"Put births before {bottom} into one band with bottom = {bottom} in the hierarchy "
        f"of {named(born)}, or withhold the column with {option('identifiers', [born])}."
    )
