"""Find ages over 89 that two released columns reveal, such as a birth and an admission.

For example, the years 1921 and 2014 together reveal an age of at least 92, but Safe Harbor requires
a single category for all ages of 90 and over. Two cells reveal an old age if there are at least 90
years from the latest day that one cell allows to the earliest day that the other cell allows. If
the release links rows, the module also compares the rows of a person. Columns of days since the
same anchor are compared in the same way. An age and the date at which the age was computed reveal a
date of birth, which is compared with the other dates.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from itertools import permutations, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from roadstead.errors import Refusal, quoted
from roadstead.front_end import option
from roadstead.hierarchies.rules import Everything
from roadstead.hierarchies.written_dates import WrittenForm
from roadstead.hierarchies.written_numbers import FIRST_OLD_AGE
from roadstead.number_ranges import parse_range
from roadstead.release.generalized import GeneralizedPersons
from roadstead.release.persons.days_shown import (
    ALWAYS,
    NEVER,
    YEAR,
    ages_of,
    anchors_of,
    days_shown,
    is_called_a_year,
    open_days,
)
from roadstead.release.persons.old_ages_of_values import old_pair
from roadstead.tables.identifiers.vocabulary import is_called, meaning
from roadstead.tables.persons.dates import LONGEST, OLD_AGE
from roadstead.tables.text import MISSING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roadstead.policies.document import Policy
    from roadstead.release.generalized import Generalized
    from roadstead.tables.source import Source

_SAMPLED = 1_000
"""The largest number of values that are examined to recognize a column of dates."""


def require_no_old_age(
    source: Source,
    policy: Policy,
    generalized: Generalized,
    samples: Mapping[str, Sequence[str]],
) -> None:
    """Refuse a release in which two columns reveal an age over 89.

    `samples` contains some values of each column. A pair of columns is accepted if a person
    deliberately released both columns. If the policy does not have rules for people, the function
    does not check anything.
    """
    if policy.persons is None:
        return
    forced = set(policy.columns.forced)
    released = [name for name in policy.columns.released if name in source.columns]
    raw = [name for name in released if has_days(name, samples.get(name, ()))]
    found = _by_cells(policy, generalized)
    if found is None and raw:
        quasi = [
            one.name
            for one in policy.attributes
            if not isinstance(one.rule, Everything)
            and has_days(one.name, samples.get(one.name, ()))
        ]
        pairs = [
            (born, seen)
            for born, seen in permutations((*quasi, *raw), 2)
            if {born, seen} & set(raw) and not {born, seen} <= forced
        ]
        found = old_pair(source, policy, pairs)
    if found is not None:
        born, seen = found
        raise Refusal(
            f"ages over 89 can be computed from {quoted(born)} and {quoted(seen)}, but Safe "
            "Harbor requires one category for these ages",
            where=source.name,
            fix=_instead(policy, born, seen),
        )


def _instead(policy: Policy, born: str, seen: str) -> str:
    """Advise how to release a birth and a later date without ages over 89."""
    if born in ages_of(policy):
        return (
            "begin the band of old ages earlier: with top = 80 in the hierarchy of "
            f"{quoted(born)}, there may be up to ten years between the dates of a person"
        )
    if policy.linked_by is None and is_called_a_birth(born):
        return (
            f"release only the age, with one category for 90 years or more: {option('dates')} "
            f"with {born}=age:{seen}"
        )
    return (
        "release only the days between the two dates, with one category for 90 years or more: "
        f"{option('dates')} with {seen}=interval:{born}, and {option('identifiers', [born])}"
    )


class OldAges(NamedTuple):
    """Two columns that reveal ages over 89, with the number of records and the latest year."""

    born: str
    seen: str
    records: int
    latest: int


class OldYears(NamedTuple):
    """A column that shows ages or bands over 89, and the number of records."""

    age: str
    records: int
    bands: tuple[str, ...]  # bands that also have lower ages; empty if older ages are shown


class OldBirths(NamedTuple):
    """A column of births that reveals ages over 89, and the number of records."""

    born: str
    records: int


def old_ages_shown(policy: Policy, generalized: Generalized) -> OldAges | None:
    """Return the first pair of columns that reveals ages over 89, or None.

    The function examines only the released cells of quasi-identifiers in a table of records.
    """
    if policy.persons is not None:
        return None
    days, kept, counts = days_shown(policy, generalized)
    for born, seen in permutations(days, 2):
        old = kept & (days[seen][0] - days[born][1] >= LONGEST)
        if is_called_a_birth(born) and old.any():
            latest = date.fromordinal(int(days[seen][0][old].max())).year
            return OldAges(born, seen, int(counts[old].sum()), latest)
    return None


def old_years_shown(
    policy: Policy, generalized: Generalized, described: Collection[str] = ()
) -> OldYears | None:
    """Return the first column of ages with a released label above 90, or None.

    A label of 90 alone can be the category of all ages over 89. A band that begins at 89 or 90 can
    also be this category, if no other released label has such ages. `described` lists columns with
    ages according to their descriptions.
    """
    merged, computed = generalized.merged, ages_of(policy)
    for name, domain, codes in zip(merged.attributes, merged.domains, merged.codes, strict=True):
        if name not in computed and (meaning(name) == "age" or name in described):
            used = np.unique(codes[generalized.kept])
            if _are_one_category([domain[code] for code in used]):
                continue
            for also_lower in (False, True):
                old = np.array([_is_above_90(one, also_lower) for one in domain], dtype=np.bool_)
                shown = generalized.kept & old[codes]
                if shown.any():
                    bands = np.unique(codes[shown]) if also_lower else ()
                    records = int(merged.counts[shown].sum())
                    return OldYears(name, records, tuple(domain[code] for code in bands))
    return None


_LAST_OLD_AGE = 99
"""A band with an upper end is one category for ages over 89 if it has at least these ages."""


def _are_one_category(labels: Sequence[str]) -> bool:
    """Return whether one band has all ages over 89 and begins with these ages."""
    years = [one for label in labels if (one := parse_range(label)) is not None]
    old = [one for one in years if one.high is None or one.last >= FIRST_OLD_AGE]
    if len(old) != 1 or old[0].low not in (FIRST_OLD_AGE - 1, FIRST_OLD_AGE):
        return False
    return old[0].high is None or old[0].last >= _LAST_OLD_AGE


def _is_above_90(label: str, also_lower: bool) -> bool:  # noqa: FBT001 - of one caller
    """Return whether a label has ages above 90, and whether it begins below 90."""
    years = parse_range(label)
    if years is None or (years.low < FIRST_OLD_AGE) is not also_lower:
        return False
    return years.low > FIRST_OLD_AGE if years.high is None else years.last > FIRST_OLD_AGE


def old_births_shown(policy: Policy, generalized: Generalized, now: int) -> OldBirths | None:
    """Return the first column of births that reveals ages over 89 in the year `now`, or None.

    The function returns None if another quasi-identifier contains dates, because these dates show
    when the people were observed. A column is accepted if its early births are one category. This
    category may end before the births of some people who are over 89 in the year `now`.
    """
    domains = dict(zip(generalized.table.attributes, generalized.table.domains, strict=True))
    sampled = {name: domain[:_SAMPLED] for name, domain in domains.items()}
    if any(has_days(name, some) and not is_called_a_birth(name) for name, some in sampled.items()):
        return None
    youngest = date(now - FIRST_OLD_AGE, 12, 31).toordinal()
    days, kept, counts = days_shown(policy, generalized)
    for attribute in policy.attributes:
        if attribute.name not in days or not is_called_a_birth(attribute.name):
            continue
        first, last = days[attribute.name]
        band = kept & (first <= 1) & (last < ALWAYS)
        old = kept & (first > 1) & (last <= youngest)
        if getattr(attribute.rule, "bottom", None) is None and old.any() and not band.any():
            return OldBirths(attribute.name, int(counts[old].sum()))
    return None


def has_days(name: str, values: Sequence[str]) -> bool:
    """Return whether a column contains dates, or contains years and is named like years."""
    told = [value for value in values if value != MISSING]
    if not told:
        return False
    read = [WrittenForm().read(value) for value in told]
    if None not in read and any(one is not None and one.finest != "year" for one in read):
        return True
    return is_called_a_year(name) and all(YEAR.fullmatch(value) for value in told)


def is_year_of_birth(name: str, values: Sequence[str]) -> bool:
    """Return whether a column contains years and has a name that suggests births."""
    years = any(YEAR.fullmatch(value) for value in values)
    return years and is_called_a_birth(name) and has_days(name, values)


def is_called_a_birth(name: str) -> bool:
    """Return whether the name of a column suggests births."""
    return is_called(name, "birth")


def _by_cells(policy: Policy, generalized: Generalized) -> tuple[str, str] | None:
    """Find two quasi-identifiers whose released cells reveal an age over 89."""
    if not isinstance(generalized, GeneralizedPersons):
        return None
    anchors, ages = anchors_of(policy), ages_of(policy)
    days: dict[str | None, dict[str, NDArray[np.int64]]] = {}
    years: dict[str, NDArray[np.int64]] = {}
    for attribute, spans in zip(policy.attributes, open_days(policy, generalized), strict=True):
        if spans is not None and attribute.name in ages:
            years[attribute.name] = spans[0]
        elif spans is not None:
            days.setdefault(anchors.get(attribute.name), {})[attribute.name] = spans
    kept = generalized.rows[1]
    persons = generalized.table.persons
    owners = persons.owners if policy.linked_by is not None else np.arange(kept.size)
    for anchor, told in days.items():
        # Days since an anchor end at 90 years, which is the single category for old ages.
        most = LONGEST if anchor is None else LONGEST + 1
        births = {name: spans[1] for name, spans in told.items()} | {
            name: _latest_birth(years[name], told[at][1])
            for name, at in ages.items()
            if name in years and at in told
        }
        for born, seen in product(births, told):
            if born == seen:
                continue
            latest = np.full(int(owners.max()) + 1, ALWAYS)
            earliest = np.full_like(latest, NEVER)
            np.minimum.at(latest, owners[kept], births[born][kept])
            np.maximum.at(earliest, owners[kept], told[seen][0][kept])
            if ((earliest - latest) >= most).any():
                return born, seen
    return None


def _latest_birth(years: NDArray[np.int64], day: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the latest day of birth that an age and the last day of its event allow.

    The category of 90 and over counts as an age of 89. Otherwise, the event itself would reveal an
    age over 89.
    """
    low = np.minimum(years, OLD_AGE - 1)
    return np.where(low < 0, day, day - (365 * low + low // 4))
