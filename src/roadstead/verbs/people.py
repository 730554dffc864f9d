"""Join a table with its population, which comes from a file or from margins.

Everyone in the table must belong to the population. If a record matches no one in the population,
the user decides whether to stop, or to count such records as additional people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from roadstead.errors import SettingError, SourceError, quoted
from roadstead.front_end import option
from roadstead.hierarchies.number_text import parse_number
from roadstead.reports.frontier.facts import Basis
from roadstead.reports.wording import counted
from roadstead.requests.checks import wrong
from roadstead.tables.frequency import FrequencyTable, canonical, summarize
from roadstead.tables.identifiers.descriptions import called_or_described
from roadstead.tables.missing_codes import OptionalCode
from roadstead.tables.populations import estimate_population, read_population, with_population
from roadstead.tables.reading import read
from roadstead.tables.source import Source

Absent: TypeAlias = Literal["stop", "count"]
"""The ways to handle records that match no one in the population."""


@dataclass(frozen=True, eq=False)
class TableWithPopulation:
    """A table and its population. `basis` and `label` describe the source of the population.

    `counted` is the number of records that matched no one and were counted as people. `notes`
    contains warnings about the population.
    """

    table: FrequencyTable
    basis: Basis
    label: str
    counted: int = 0
    notes: tuple[str, ...] = ()


def people_of(
    table: FrequencyTable,
    population: Any,  # noqa: ANN401 - a path, or a table of any library
    counts: str | None,
    margins: Sequence[Any],
    *,
    absent: Absent | None,
    seed: int,
    codes: Sequence[str] = (),
) -> TableWithPopulation:
    """Add a population to a table if a population or margins are given.

    The column `counts` in the population contains the number of people that each row represents.
    Without this column, each row is one person. If a record matches no one in the population, the
    function raises an error unless `absent` is ``count``. Margins must include the people in the
    table. The seed is used to estimate the population. `codes` contains the missing codes of the
    table. These codes are also missing values in the population.
    """
    if population is not None and margins:
        raise SettingError(
            "both a population and margins of a population are given",
            where=f"{option('population')}, {option('margins')}",
            fix="leave one of them out",
        )
    if population is None and not margins:
        label = (
            "only the records of the table, each counted as a person, which is the cautious choice"
        )
        return TableWithPopulation(table, "sample", label)
    if margins:
        return _estimated(table, [_read(margin, codes) for margin in margins], counts, seed)
    source = _read(population, codes)
    people = _written_alike(read_population(source, table.attributes, counts), table)
    found = with_population(table, people)
    label = f"the people in {source.name}"
    notes = () if counts is None else _weights(source, table, counts)
    if not found.missing:
        return TableWithPopulation(found.table, "file", label, notes=notes)
    if absent != "count":
        raise SourceError(
            f"{_nobody(table, people)}; for {found.missing:,} of the {table.records:,} records, no "
            "matching person is left in the population",
            where=source.name,
            fix="write values the same way in both files, or count such records as people "
            f"with {option('absent', 'count')}",
        )
    _check_written_once(table, source.name)
    missing = counted(found.missing, "person", "people")
    lacked = f"{label}, and {missing} who are only in the table"
    return TableWithPopulation(found.table, "file", lacked, found.missing, notes)


def _weights(population: Source, table: FrequencyTable, counts: str) -> tuple[str, ...]:
    """Warn if the counts of a population seem to be the sampling weights of a survey."""
    rows, name = summarize(population, table.attributes), quoted(counts)
    if _same_rows(rows, table):
        what = f"{population.name} has the same rows as the table, so {name} seems to contain"
    elif called_or_described(population, counts, "some_weight"):
        what = f"{name} of {population.name} seems to contain"
    else:
        return ()
    return (
        f"Warning: {what} sampling weights. Sampling weights do not count the people who match a "
        f"record, so these risks may be far too low. Leave out {option('population')}; to "
        f"estimate the risk from a sample, run risk with {option('sampling_fraction')}.",
    )


def _same_rows(one: FrequencyTable, other: FrequencyTable) -> bool:
    known = other.counts > 0  # in a table with a population, other rows occur only there
    return one.distinct == int(known.sum()) and Counter(_rows(one)) == Counter(_rows(other))


def _rows(table: FrequencyTable) -> Iterator[tuple[object, ...]]:
    columns = [
        np.array(domain, dtype=object)[codes]
        for domain, codes in zip(table.domains, table.codes, strict=True)
    ]
    yield from (row for row in zip(*columns, table.counts.tolist(), strict=True) if row[-1])


def missing_codes_used(source: Source) -> tuple[OptionalCode, ...]:
    """Return the codes that became missing values in a table, for use with another table."""
    made = source.made_missing.items()
    return tuple(OptionalCode(f"{name}={code}") for name, codes in made for code in codes)


def _read(
    population: Any,  # noqa: ANN401 - a path, or a table of any library
    codes: Sequence[str],
) -> Source:
    return population if isinstance(population, Source) else read(population, missing=codes)


def populated(
    table: FrequencyTable,
    population: Any,  # noqa: ANN401 - a path, or a table of any library
    counts: str | None,
    codes: Sequence[str] = (),
) -> FrequencyTable:
    """If a population is given, add it to a table for the privacy models that need it.

    A guarantee requires that the population includes the table, so any other population is
    rejected.
    """
    if population is None:
        return table
    people = _read(population, codes)
    found = with_population(table, read_population(people, table.attributes, counts))
    if found.missing:
        raise SettingError(
            f"for {found.missing:,} of the {table.records:,} records in the table, no matching "
            "person is left in the population",
            where=people.name,
            fix="give a population that includes everyone in the table, and write values in the "
            "same way as in the table",
        )
    return found.table


def _estimated(
    table: FrequencyTable, sources: Sequence[Source], counts: str | None, seed: int
) -> TableWithPopulation:
    """Estimate the people outside the table from the margins, and add them to the table.

    First, the people in the table are subtracted from the margins. Therefore, the estimated people
    and the people in the table together match the margins.
    """
    if counts is None:
        what = "margins are given, but the column with the counts of people is not given"
        raise wrong("margins", what, f"name it with {option('population_counts')}")
    _check_covered(sources, table.attributes)
    names = [source.name for source in sources]
    left = []
    for source in sources:
        people = _written_alike(_margin(source, table.attributes, counts), table)
        own = with_population(table.project(people.attributes), people)
        if own.missing:
            nobody = _nobody(table.project(people.attributes), people)
            raise SourceError(
                f"{nobody}; for {own.missing:,} of the {table.records:,} records, no matching "
                "person is left in the margin",
                where=source.name,
                fix="give margins that count everyone, and write values in the same way as in the "
                "table",
            )
        left.append(_others(own.table))
    label = f"an estimate that fits the margins in {', '.join(names)}"
    if not left[0].counts.any():
        return TableWithPopulation(replace(table, population=table.counts), "estimate", label)
    others = estimate_population(left, seed, names).table.project(table.attributes)
    found = with_population(table, _added(table, others)).table
    return TableWithPopulation(found, "estimate", label)


def _others(table: FrequencyTable) -> FrequencyTable:
    """Return the people in the population who are not in the table."""
    others = (table.counts if table.population is None else table.population) - table.counts
    codes = tuple(own[others > 0] for own in table.codes)
    return replace(table, codes=codes, counts=others[others > 0], population=None, alongside=())


def _added(table: FrequencyTable, others: FrequencyTable) -> FrequencyTable:
    found = with_population(table, others).table
    known = dict(zip(others.texts(), others.counts.tolist(), strict=True))
    outside = np.array([known.get(values, 0) for values in found.texts()], dtype=np.int64)
    return replace(found, counts=found.counts + outside, population=None, alongside=())


def _written_alike(people: FrequencyTable, table: FrequencyTable) -> FrequencyTable:
    """Write numbers in the population the same way as in the table: 7 instead of 7.0."""
    domains, codes = [], []
    for name, theirs, own_codes in zip(
        people.attributes, people.domains, people.codes, strict=True
    ):
        texts = written_as(theirs, table.domains[table.attributes.index(name)])
        domain = tuple(sorted(set(texts)))
        place = {value: i for i, value in enumerate(domain)}
        lookup = np.array([place[text] for text in texts], dtype=np.int32)
        domains.append(domain)
        codes.append(lookup[own_codes])
    return canonical(people.attributes, tuple(domains), codes, people.counts)[0]


def written_as(theirs: Sequence[str], ours: Sequence[str]) -> list[str]:
    """Rewrite the numbers of one column in the format of another column."""
    known = {parse_number(v): v for v in reversed(ours) if parse_number(v) is not None}
    same = set(ours)
    return [v if v in same else known.get(parse_number(v), v) for v in theirs]


def _check_written_once(table: FrequencyTable, population: str) -> None:
    """Raise an error if the table and the population write the same number in different ways."""
    for name, domain in zip(table.attributes, table.domains, strict=True):
        numbers = [parse_number(value) for value in domain]
        seen = [number for number in numbers if number is not None]
        if len(set(seen)) < len(seen):
            raise SourceError(
                f"the same number is written in two ways in column {name!r}, so people would be "
                "counted twice",
                where=population,
                fix="write each number in the same way in the table and in the population",
            )


def _check_covered(sources: Sequence[Source], attributes: Sequence[str]) -> None:
    known = {column for source in sources for column in source.columns}
    left_out = [name for name in attributes if name not in known]
    if left_out and len(left_out) < len(attributes):
        raise SourceError(
            f"no margin has {', '.join(left_out)}",
            where=", ".join(source.name for source in sources),
            fix=f"add {option('margins')} with counts for each column that no margin has",
        )


def _margin(source: Source, attributes: Sequence[str], counts: str) -> FrequencyTable:
    own = [name for name in attributes if name in source.columns]
    if not own:
        raise SourceError(
            "this margin has none of the quasi-identifiers",
            where=source.name,
            fix=f"give a margin with {counts} and at least one of {', '.join(attributes)}",
        )
    return read_population(source, own, counts)


def _nobody(table: FrequencyTable, people: FrequencyTable) -> str:
    for name, own, codes in zip(table.attributes, table.domains, table.codes, strict=True):
        theirs = set(people.domains[people.attributes.index(name)])
        strange = [i for i, value in enumerate(own) if value not in theirs]
        if strange:
            first = int(codes[np.isin(codes, strange)][0])
            return f"no one in the population has {name} {quoted(own[first])}"
    whole = people.project(table.attributes)
    living = dict(zip(whole.texts(), whole.counts.tolist(), strict=True))
    values, fewer = next(
        (values, living.get(values, 0))
        for values, records in zip(table.texts(), table.counts.tolist(), strict=True)
        if living.get(values, 0) < records
    )
    name, value = max(
        zip(table.attributes, values, strict=True),
        key=lambda pair: len(table.domains[table.attributes.index(pair[0])]),
    )
    combination = f"the combination of values of a record with {name} {quoted(value)}"
    if fewer:
        return f"{combination} is less frequent in the population than in the table"
    return f"no one in the population has {combination}"
