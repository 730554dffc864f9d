"""The population: how many people there are with each combination of values, in the table or not.

Some attackers know a person of whom they do not know whether the table holds them. What protects
that person is how many people of the population are alike, F, alongside how many of them are in the
table, f (paper 001, Re-identification risk). A population is a frequency table of its own, of
people instead of records; put alongside a table it adds F to the table's rows, and rows with f = 0.

Everybody in the table is somebody of the population, so F is never below f. A population that says
otherwise does not contain the table; it is raised to f, and how often is told, because nothing can
be promised by it then: the commands refuse it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from roadstead.errors import SourceError, quoted
from roadstead.tables.frequency import FrequencyTable, canonical, places, summarize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roadstead.tables.source import Source

_MOST_PEOPLE = 1e12
_WHOLE = re.compile(r"\d{1,15}(\.0*)?", re.ASCII)
"""A number of people; integers may have been stored as floating point."""


@dataclass(frozen=True, eq=False)
class Populated:
    """A table with its population.

    `missing`: records for which the population has nobody: by how much it had to be raised. If it
    is not zero, the population is not the one that the table is of, or is recorded otherwise.
    """

    table: FrequencyTable
    missing: int


def with_population(table: FrequencyTable, people: FrequencyTable) -> Populated:
    """Put a population alongside a table, in the place of one that it has.

    `people`: a frequency table with the same attributes, of which the counts are people. It may
    have other values, and further attributes. There is a row for each combination that occurs in
    either. Raises RoleError: the population lacks an attribute.
    """
    whole = people.project(table.attributes)
    domains, codes = [], []
    for i, (ours, theirs) in enumerate(zip(table.domains, whole.domains, strict=True)):
        domain = tuple(sorted({*ours, *theirs}))
        domains.append(domain)
        own, other = places(ours, domain)[table.codes[i]], places(theirs, domain)[whole.codes[i]]
        codes.append(np.concatenate([own, other]))
    nobody = np.zeros(whole.distinct, dtype=np.int64)
    counts = np.concatenate([table.counts, nobody])
    union, target = canonical(table.attributes, tuple(domains), codes, counts)
    known = np.zeros(union.distinct, dtype=np.int64)
    known[target[table.distinct :]] = whole.counts  # combinations are distinct
    alongside = tuple(
        one.merged(target[: table.distinct], union.distinct) for one in table.alongside
    )
    raised = np.maximum(known, union.counts)
    return Populated(
        replace(union, alongside=alongside, population=raised), int(np.sum(raised - known))
    )


def read_population(
    source: Source, attributes: Sequence[str], counts: str | None = None
) -> FrequencyTable:
    """Read a population from a table of people.

    `counts`: the column that says how many people a row stands for; None if each stands for one.
    Raises RoleError: a column is not there or named twice. Raises SourceError: it cannot be read, a
    count is no whole number, or there is nobody.
    """
    if counts is None:
        return summarize(source, attributes)
    table = summarize(source, (*attributes, counts))
    where = f"{source.name}, column {quoted(counts)}"
    numbers = np.array([_number(text, where) for text in table.domains[-1]], dtype=np.int64)
    if float(np.dot(table.counts.astype(float), numbers[table.codes[-1]])) > _MOST_PEOPLE:
        raise SourceError(
            "the counts add up to more people than there are", where=where, fix="correct them"
        )
    people = table.counts * numbers[table.codes[-1]]
    some = people > 0
    if not some.any():
        raise SourceError("all counts are 0", where=where, fix="name the column of the counts")
    codes = tuple(column[some] for column in table.codes)
    return replace(table, codes=codes, counts=people[some]).project(tuple(attributes))


def _number(text: str, where: str) -> int:
    if not _WHOLE.fullmatch(text):
        shown = f"count {quoted(text)}" if text else "a missing count"
        raise SourceError(
            f"{shown} is not a whole number",
            where=where,
            fix="write how many people each row stands for",
        )
    return int(text.partition(".")[0])
