"""The values that each attribute has, with their counts: one small GROUP BY an attribute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from roadstead.errors import SettingError, SourceError, quoted
from roadstead.front_end import option
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roadstead.search.in_engine.queries import Queries


@dataclass(frozen=True)
class EngineDomains:
    """What is known of a table before its combinations are: the records that have each value.

    `table` is a frequency table of the attributes with their domains, and without rows.
    """

    table: FrequencyTable
    counts: tuple[NDArray[np.int64], ...]

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.counts[0].sum())


def read_domains(queries: Queries, attributes: tuple[str, ...], most: int) -> EngineDomains:
    """Ask for the values of each attribute, of which none may have more than `most`."""
    found = [_values(queries, name, most) for name in attributes]
    domains = tuple(domain for domain, _ in found)
    if not domains[0]:
        raise SourceError(
            "there are no records", where=queries.name, fix="name a table that has some"
        )
    nothing = np.zeros(0, dtype=np.int64)
    codes = tuple(nothing.astype(np.int32) for _ in attributes)
    table = FrequencyTable(attributes, domains, codes, nothing)
    return EngineDomains(table, tuple(counts for _, counts in found))


def _values(
    queries: Queries, attribute: str, most: int
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    texts = queries.table.select(value=as_text(queries.table[attribute]))
    grouped = texts.group_by("value").aggregate(n=lambda rows: rows.count())
    numbers: dict[str, int] = {}
    for values, counts in queries.stream(grouped, ("value", "n"), most):
        numbers.update(zip(values.to_pylist(), counts.to_pylist(), strict=True))
        if len(numbers) > most:
            raise SettingError(
                f"it has more than {most:,} distinct values, too many to be held in memory",
                where=f"column {quoted(attribute)}",
                fix=f"leave it out of the quasi-identifiers, or raise {option('combinations')}",
            )
    domain = tuple(sorted(numbers))
    return domain, np.array([numbers[value] for value in domain], dtype=np.int64)
