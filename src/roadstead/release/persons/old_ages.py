"""Find ages over 89 that two released columns reveal, such as a birth and an admission.

For example, the years 1921 and 2014 together reveal an age of at least 92, but Safe Harbor requires
a single category for all ages of 90 and over. Two cells reveal an old age if the latest day that
one cell allows is at least 90 years before the earliest day that the other cell allows. If the
release links rows, the module also compares the rows of a person. Columns of days since the same
anchor are compared in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from roadstead.errors import Refusal, quoted
from roadstead.front_end import option
from roadstead.hierarchies.rules import Everything
from roadstead.hierarchies.written_dates import WrittenForm
from roadstead.hierarchies.written_numbers import FIRST_OLD_AGE
from roadstead.release.generalized import GeneralizedPersons
from roadstead.release.persons.days_shown import (
    ALWAYS,
    NEVER,
    YEAR,
    anchors_of,
    days_shown,
    is_called_a_year,
    open_days,
)
from roadstead.tables.failures import engine_errors
from roadstead.tables.identifiers.vocabulary import is_called
from roadstead.tables.persons.dates import LONGEST
from roadstead.tables.text import MISSING, as_text

if TYPE_CHECKING:
    import ibis
    from ibis.expr import types as ir
    from numpy.typing import NDArray

    from roadstead.policies.document import Policy
    from roadstead.release.generalized import Generalized
    from roadstead.tables.source import Source

_ISO = "^[0-9]{4}-[0-9]{2}-[0-9]{2}"
_SAMPLED = 1_000
"""The number of values from which a column of dates is recognized."""


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
        found = _by_values(source, policy, pairs)
    if found is not None:
        born, seen = found
        raise Refusal(
            f"ages over 89 can be computed from {quoted(born)} and {quoted(seen)}, but Safe Harbor "
            "requires one category for them",
            where=source.name,
            fix="release only the days between them, where 90 years or more are one category: "
            f"{option('dates')} with "
            f"{seen}=interval:{born}, and {option('identifiers', [born])}",
        )


class OldAges(NamedTuple):
    """Two columns that reveal ages over 89, with the number of records and the latest year."""

    born: str
    seen: str
    records: int
    latest: int


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


def old_births_shown(policy: Policy, generalized: Generalized, now: int) -> OldBirths | None:
    """Return the first column of births that reveals ages over 89 in the year `now`, or None.

    The function returns None if another quasi-identifier contains dates, because these dates say
    when the people were observed. A column is accepted if its early births are one category, even
    if this category ends before the births of people who are over 89 in the year `now`.
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
    """Return whether a column contains dates, or years and a name that suggests years."""
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
    anchors = anchors_of(policy)
    days: dict[str | None, dict[str, NDArray[np.int64]]] = {}
    for attribute, spans in zip(policy.attributes, open_days(policy, generalized), strict=True):
        if spans is not None:
            days.setdefault(anchors.get(attribute.name), {})[attribute.name] = spans
    kept = generalized.rows[1]
    persons = generalized.table.persons
    owners = persons.owners if policy.linked_by is not None else np.arange(kept.size)
    for anchor, told in days.items():
        # Days since an anchor end at 90 years, which is the single category for old ages.
        most = LONGEST if anchor is None else LONGEST + 1
        for born, seen in permutations(told, 2):
            latest = np.full(int(owners.max()) + 1, ALWAYS)
            earliest = np.full_like(latest, NEVER)
            np.minimum.at(latest, owners[kept], told[born][1][kept])
            np.maximum.at(earliest, owners[kept], told[seen][0][kept])
            if ((earliest - latest) >= most).any():
                return born, seen
    return None


def _by_values(
    source: Source, policy: Policy, pairs: Sequence[tuple[str, str]]
) -> tuple[str, str] | None:
    """Find a pair of columns whose values in the source reveal an old age."""
    import ibis  # noqa: PLC0415 - heavy

    if not pairs:
        return None
    table = source.table
    longest = {}
    for at, (born, seen) in enumerate(pairs):
        latest, earliest = _day(table, born, last=True), _day(table, seen, last=False)
        if policy.linked_by is not None:
            own = ibis.window(group_by=as_text(table[policy.linked_by]))
            latest, earliest = latest.min().over(own), earliest.max().over(own)
        longest[f"pair_{at}"] = earliest.delta(latest, unit="day")
    with engine_errors(source.name):
        spans = table.select(**longest)
        (row,) = (
            spans.aggregate(**{name: spans[name].max() for name in longest})
            .to_pyarrow()
            .to_pylist()
        )
    old = [pair for at, pair in enumerate(pairs) if (row[f"pair_{at}"] or 0) >= LONGEST]
    return old[0] if old else None


def _day(table: ibis.Table, column: str, *, last: bool) -> ir.DateColumn:
    """Return the first or the last day that a date or a year can mean."""
    import ibis  # noqa: PLC0415 - heavy

    text = as_text(table[column])
    year = text.substr(0, 4) + ("-12-31" if last else "-01-01")
    return ibis.cases(
        (text.re_search(_ISO), text.substr(0, 10)),
        (text.re_search("^[0-9]{4}$"), year),
        (text.re_search("^[0-9]{4}-[0-9]{2}$"), text + ("-28" if last else "-01")),
        else_=ibis.null("string"),
    ).try_cast("date")
