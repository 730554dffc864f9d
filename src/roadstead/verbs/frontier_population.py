"""Put the population beside a table, for a frontier: from a file, from margins, or none.

Everybody in the table is somebody of the population. Where a record's combination has nobody in it,
either the population is another one, or values are written otherwise, or the population is only an
estimate. The user says what to do: stop, or count the sample's own records as its people.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from roadstead.errors import SettingError, SourceError, quoted
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.margins import estimate_population
from roadstead.tables.populations import read_population, with_population
from roadstead.tables.sources import Source, read

Basis: TypeAlias = Literal["file", "estimate", "sample"]
"""Where the numbers of people come from."""
Absent: TypeAlias = Literal["stop", "count"]
"""What to do with records that nobody of the population is like."""

ABSENT: tuple[Absent, ...] = ("stop", "count")


@dataclass(frozen=True, eq=False)
class People:
    """A table with its population.

    Attributes
    ----------
    table
        The table, with the population if there is one.
    basis, label
        Where the numbers of people come from, and that in words.
    counted
        Records that the population lacked, counted as people.
    """

    table: FrequencyTable
    basis: Basis
    label: str
    counted: int = 0


def people_of(
    table: FrequencyTable,
    population: Any,  # noqa: ANN401 - a path, or a table of any library
    counts: str | None,
    margins: Sequence[Any],
    *,
    absent: Absent | None,
    seed: int,
) -> People:
    """Give a table its population.

    Parameters
    ----------
    table
        The frequency table of the quasi-identifiers.
    population, counts
        A table of people with the same columns, and its column of how many people a row stands
        for; None if each stands for one.
    margins
        Tables of people by some of the columns each, of which a population is estimated; each has
        the column `counts`.
    absent
        What to do with records that the population lacks; by default to stop, and to count them
        where the population is an estimate.
    seed
        Seed of the estimate.

    Raises
    ------
    SettingError
        When both a population and margins are given, or a column of counts and neither.
    SourceError
        When the population lacks records and they shall not be counted.
    """
    if population is not None and margins:
        raise SettingError(
            "a population and margins of one are given",
            where="--population, --margin",
            mend="leave one of them out",
        )
    if population is None and not margins:
        if counts is not None:
            raise SettingError(
                "a column of counts is named, and no population",
                where="--population-counts",
                mend="name the population too, with --population FILE",
            )
        label = "nobody but the records of the table itself, which is cautious"
        return People(table, "sample", label)
    if margins:
        if counts is None:
            raise SettingError(
                "margins are given, and not which column holds the numbers of people",
                where="--margin",
                mend="name it with --population-counts",
            )
        sources = [margin if isinstance(margin, Source) else read(margin) for margin in margins]
        _check_covered(sources, table.attributes)
        told = [_margin(source, table.attributes, counts) for source in sources]
        people = estimate_population(told, seed, [source.name for source in sources]).table
        names = ", ".join(source.name for source in sources)
        where, label = names, f"an estimate, fitted to the margins in {names}"
    else:
        source = population if isinstance(population, Source) else read(population)
        people = read_population(source, table.attributes, counts)
        where, label = source.name, f"the people in {source.name}"
    found = with_population(table, people)
    choice = absent or ("count" if margins else "stop")
    if found.missing and choice == "stop":
        raise SourceError(
            f"{_nobody(table, people)}; the population lacks people for {found.missing:,} of the "
            f"{table.records:,} records",
            where=where,
            mend="write values the same way in both, or count such records as people with "
            "--absent count",
        )
    return People(found.table, "estimate" if margins else "file", label, found.missing)


def _check_covered(sources: Sequence[Source], attributes: Sequence[str]) -> None:
    known = {column for source in sources for column in source.columns}
    left_out = [name for name in attributes if name not in known]
    if left_out and len(left_out) < len(attributes):
        raise SourceError(
            f"no margin tells of {', '.join(left_out)}",
            where=", ".join(source.name for source in sources),
            mend="add a --margin that does, of one column or of several",
        )


def _margin(source: Source, attributes: Sequence[str], counts: str) -> FrequencyTable:
    own = [name for name in attributes if name in source.columns]
    if not own:
        raise SourceError(
            "it has none of the quasi-identifiers",
            where=source.name,
            mend=f"its columns must be some of {', '.join(attributes)}, and {counts}",
        )
    return read_population(source, own, counts)


def _nobody(table: FrequencyTable, people: FrequencyTable) -> str:
    """Name one cell of a record that nobody is like: a value that nobody has, if there is one."""
    for name, own, codes in zip(table.attributes, table.domains, table.codes, strict=True):
        theirs = set(people.domains[people.attributes.index(name)])
        strange = [i for i, value in enumerate(own) if value not in theirs]
        if strange:
            first = int(codes[np.isin(codes, strange)][0])
            return f"nobody has {name} {quoted(own[first])}"
    whole = people.project(table.attributes)
    living = dict(zip(_combinations(whole), whole.counts.tolist(), strict=True))
    values, fewer = next(
        (values, living.get(values, 0))
        for values, records in zip(_combinations(table), table.counts.tolist(), strict=True)
        if living.get(values, 0) < records
    )
    name, value = max(
        zip(table.attributes, values, strict=True),
        key=lambda pair: len(table.domains[table.attributes.index(pair[0])]),
    )
    has = "fewer people than records have" if fewer else "nobody has"
    return f"a record with {name} {quoted(value)} has a combination that {has}"


def _combinations(table: FrequencyTable) -> Iterator[tuple[str, ...]]:
    """Give the texts of each row."""
    columns = (
        [domain[code] for code in codes.tolist()]
        for domain, codes in zip(table.domains, table.codes, strict=True)
    )
    return zip(*columns, strict=True)
