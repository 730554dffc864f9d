"""Collect sentences about unusual values in each column.

To add a new kind of finding, write a finder and list it in `FINDERS`. A finder takes the values of
one column and yields sentences. A finder may insert values into a sentence only with the method
`ColumnValues.shown`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from roadstead.errors import quoted
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.rules import MISSING
from roadstead.reports.noticed.births import births_by_the_calendar, births_in_one_band
from roadstead.reports.noticed.column_values import ColumnValues
from roadstead.reports.noticed.dates import dates
from roadstead.reports.noticed.dates import ranges_that_became_dates as in_any_column
from roadstead.reports.noticed.future_dates import after_today, far_dates
from roadstead.reports.noticed.missing_codes import (
    codes_in,
    codes_of_others,
    known_codes,
    missing_codes,
)
from roadstead.reports.noticed.numbers import ages_over_89, written_numbers
from roadstead.tables.codebooks.shown import Faces
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.persons.profiles import PersonTable
from roadstead.tables.profile import MARKERS

Finder: TypeAlias = Callable[[ColumnValues], Iterable[str]]


def values_apart(column: ColumnValues) -> Iterator[str]:
    """Report values that are not in the code system, and describe how a release displays them."""
    rule = column.code_rule
    if rule is None:
        return
    if odd := [text for text in column.records if rule.label(text) == rule.other]:
        yield (
            f"{column.counted(odd)} are not in the code book {quoted(rule.book)}: "
            f"{column.shown(odd)}. In the groups of the code book, they become "
            f"{quoted(rule.other)}."
        )


FINDERS: tuple[Finder, ...] = (
    written_numbers,
    ages_over_89,
    births_in_one_band,
    values_apart,
    missing_codes,
    after_today,
    far_dates,
    dates,
    lambda one: in_any_column(one.name, one.records),
)
"""All finders, in the order of the output."""


def noticed(
    table: FrequencyTable,
    hierarchies: Sequence[Hierarchy] = (),
    *,
    fewest: int,
    labels: Faces = MappingProxyType({}),
    declared: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> tuple[str, ...]:
    """Return sentences about the findings in each column of a table.

    `hierarchies` contains one hierarchy per column, or is empty. A value is displayed only if at
    least `fewest` records or people have it, or if it is a code or a word for missing values.
    `labels` contains the labels of codes. `declared` contains the values that the file declares as
    missing. The sentences are only for the custodian (see `roadstead.reports.noticed.for_sharing`).
    """
    said = tuple(births_by_the_calendar(hierarchies))
    if table.added_up is not None:  # the rows are classes, not values
        return said
    columns = [*columns_of(table, hierarchies, fewest, labels, declared)]
    codes = {column.name: codes_in(column) for column in columns}
    known = known_codes(codes)
    found: list[str] = []
    for column in columns:
        found += (line for finder in FINDERS for line in finder(column))
        found += codes_of_others(column, known, codes[column.name])
    return (*found, *said)


def noticed_elsewhere(
    samples: Mapping[str, Sequence[str]], without: Collection[str] = ()
) -> tuple[str, ...]:
    """Return sentences about findings that need only a sample of a column's values."""
    return tuple(
        line
        for name, values in samples.items()
        if name not in without
        for line in in_any_column(name, values)
    )


def columns_of(
    table: FrequencyTable,
    hierarchies: Sequence[Hierarchy],
    fewest: int,
    labels: Faces,
    missing: Mapping[str, Collection[str]],
) -> Iterator[ColumnValues]:
    """Count the values of each column. A sentence may show words such as NA, even if rare."""
    using = {hierarchy.attribute: hierarchy for hierarchy in hierarchies}
    unit = "people" if isinstance(table, PersonTable) else "records"
    for name, domain, codes in zip(table.attributes, table.domains, table.codes, strict=True):
        counts = np.bincount(codes, weights=table.counts, minlength=len(domain)).astype(np.int64)
        kept = using[name].missing_codes if name in using else ()
        declared = {*kept, *missing.get(name, ())}
        enough = table.units_in(codes, len(domain)) >= fewest
        records = {
            value: many
            for value, many in zip(domain, counts.tolist(), strict=True)
            if value != MISSING and many and value not in declared
        }
        frequent = {domain[at] for at in np.flatnonzero(enough).tolist()} & records.keys()
        frequent |= {value for value in records if value.strip().lower() in MARKERS}
        if records:
            rarity = f"fewer than {fewest} {unit}"
            own = labels.get(name, {})
            yield ColumnValues(name, records, frequent, rarity, using.get(name), own)
