"""Compute the risk of people if records are counted but a column seems to be a person ID.

The risk of people is 1 divided by the number of people in the smallest group. If all records in a
group belong to one person, this risk is 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from roadstead.errors import RoleError, quoted
from roadstead.front_end import named_with, option
from roadstead.hierarchies.rules import MISSING
from roadstead.reports.wording import CountedUnit, RiskByPeople, counted
from roadstead.tables.dependencies.determining import joint_codes
from roadstead.tables.frequency import places, summarize_within
from roadstead.verbs.persons.settings import unit_seen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roadstead.release.generalized import Generalized
    from roadstead.reports.release.columns import ColumnDecisions
    from roadstead.tables.frequency import FrequencyTable
    from roadstead.tables.source import Source

MOST: Final = 5_000_000
"""The maximum number of combinations to keep in memory."""


def counted_with_risk(
    source: Source, quasi: Sequence[str], sizes: Sequence[tuple[int, int]]
) -> CountedUnit:
    """Return the unit that is counted, and add the risk of people if a column identifies people.

    For each group size in records, `sizes` gives the number of groups of this size.
    """
    unit = unit_seen(source, quasi)
    own = None
    if unit.suspects and sizes:
        own = summarize_within(source, (unit.suspects[0], *quasi), most=MOST)
    people = None if own is None else _highest(own, joint_codes(_wide(own.codes[1:])))
    if people is None:
        return unit
    records = 1.0 / min(size for size, _ in sizes)
    return replace(unit, by_people=RiskByPeople(unit.suspects[0], records, people))


def with_risk_by_people(
    source: Source, decided: ColumnDecisions, generalized: Generalized, *, least: int | None = None
) -> ColumnDecisions:
    """Add the risk of people if the release counts records but a column identifies people.

    The risk is measured with the first column that is likely to be a person ID. If this column is a
    direct identifier and a group has fewer than `least` people, the function raises a RoleError. If
    `least` is None, the user decided to count records.
    """
    unit = decided.counted
    suspects = unit.suspects
    by_others = unit.person is not None and not unit.alone
    if by_others or not suspects or not generalized.sizes.size:
        return decided
    people = released_risk_by_people(source, suspects[0], generalized)
    if people is None:
        return decided
    risks = RiskByPeople(suspects[0], 1.0 / float(generalized.sizes.min()), people)
    named = unit.person is None or any(
        one.clear and one.column == risks.column for one in decided.examined.persons
    )
    if least is not None and named and risks.column in decided.roles.identifiers:
        _require_people(risks, least, unit.person)
    return replace(decided, by_people=risks)


def _require_people(risks: RiskByPeople, least: int, person: str | None) -> None:
    """Raise an error if an identifier shows that a group of records belongs to too few people.

    `person` is the column that the user named as the person ID, if it differs in all records.
    """
    people, records = round(1.0 / risks.people), round(1.0 / risks.records)
    if people >= min(records, least):
        return
    raise RoleError(
        "this column is listed as a direct identifier, but it looks like a person ID: each group "
        f"has at least {counted(records, 'record')}, but one group has only "
        f"{counted(people, 'person', 'people')}",
        where=f"column {quoted(risks.column)}",
        fix=f"{named_with(option('person', risks.column))} instead, which also keeps it "
        "out of the release; or count records anyway with "
        f"{option('count_records', True)}"
        if person is None
        else f"use {option('person', risks.column)} instead of {person}; or, if each "
        f"{person} is a different person, accept this risk with {option('count_records', True)}",
    )


def released_risk_by_people(source: Source, column: str, generalized: Generalized) -> float | None:
    """Return the highest risk of the people that a column identifies in the released groups."""
    table = generalized.table
    own = summarize_within(source, (column, *table.attributes), most=MOST)
    domains = () if own is None else own.domains[1:]
    pairs = zip(domains, table.domains, strict=False)
    if own is None or not all(set(some) <= set(every) for some, every in pairs):
        return None
    return _highest(own, groups_of(generalized, domains, own.codes[1:]))


def groups_of(
    generalized: Generalized, domains: Sequence[Sequence[str]], codes: Sequence[NDArray[np.int32]]
) -> NDArray[np.int64]:
    """Return the released group of each row of original values, or -1 if it is not released.

    The rows have the attributes of the generalized table. The `codes` of a row are positions in
    `domains`, and each of its values is a value of the generalized table.
    """
    table, merged = generalized.table, generalized.merged
    values = [
        places(some, every)[own]
        for some, every, own in zip(domains, table.domains, codes, strict=True)
    ]
    if generalized.row_of is None:
        labels = zip(generalized.labels, merged.domains, values, strict=True)
        values = [places(names, domain)[own] for names, domain, own in labels]
    rows = merged if generalized.row_of is None else table
    both = zip(rows.codes, values, strict=True)
    joint = joint_codes(_wide([np.concatenate(pair) for pair in both]))
    groups = np.full(int(joint.max(initial=0)) + 1, -1, dtype=np.int64)
    size = len(rows.counts)
    groups[joint[:size]] = np.arange(size) if generalized.row_of is None else generalized.row_of
    found = groups[joint[size:]]
    return np.where((found >= 0) & generalized.kept[found], found, -1)


def _wide(codes: Sequence[NDArray[np.int32]]) -> list[NDArray[np.int64]]:
    return [own.astype(np.int64) for own in codes]


def _highest(own: FrequencyTable, groups: NDArray[np.int64]) -> float | None:
    """Return 1 divided by the smallest number of people in a group.

    A record without an ID is counted as one person.
    """
    whose, domain = own.codes[0].astype(np.int64), own.domains[0]
    blank = whose == (domain.index(MISSING) if MISSING in domain else -1)
    there = (groups >= 0) & ~blank
    wide = len(domain)
    named = np.unique(groups[there] * wide + whose[there]) // wide
    size = int(groups.max(initial=-1)) + 1
    people = np.bincount(named, minlength=size)
    alone = (groups >= 0) & blank
    people = people + np.bincount(groups[alone], weights=own.counts[alone], minlength=size)
    people = people[people > 0]
    return 1.0 / float(people.min()) if people.size else None
