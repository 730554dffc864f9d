"""Build the frequency table, which counts the records of each distinct combination of values.

All measures, searches, and policies use only this table. The engine groups the records. Only the
distinct combinations are transferred, in batches that are converted to small integers. So memory
never contains all records or all strings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import RoleError, SourceError, quoted
from roadstead.tables import names
from roadstead.tables.arrow_arrays import as_numpy, encoded
from roadstead.tables.failures import engine_errors
from roadstead.tables.histograms import Histogram, histogram
from roadstead.tables.kept_bits import KeptBits
from roadstead.tables.texts import texts_of

if TYPE_CHECKING:
    import pyarrow as pa

    from roadstead.tables.source import Source

_LARGEST_KEY = np.iinfo(np.int64).max


class OutgrownError(Exception):
    """The error if there are more combinations than fit into memory."""


@dataclass(frozen=True, eq=False)
class Sizes:
    """The number of combinations of each size. `sizes` is ascending, without duplicates."""

    sizes: NDArray[np.int64]
    numbers: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FrequencyTable:
    """Distinct combinations of attribute values, encoded as integers, with their counts.

    Combinations are in ascending order of their codes, so the order of the records does not change
    the table. `domains` contains the distinct values of each attribute in code-point order; the
    empty string is the missing value. `codes` contains, for each attribute, the index of each
    combination's value in the domain. `counts` contains the number of records of each combination,
    which is 0 if the combination occurs only in the population. `alongside` contains the
    distributions of other columns within each combination. `population` contains the number of
    people with each combination, which is never below the number of records. `population` is None
    if no population is known. If there are too many combinations to transfer, each row is the sum
    of the combinations that become identical under a policy. In this case, `added_up` contains the
    sizes of these combinations. If needed, `kept` is the share of each row's information that an
    applied policy keeps. If a person can have several records, the table is a `PersonTable` of
    `tables/persons`.
    """

    attributes: tuple[str, ...]
    domains: tuple[tuple[str, ...], ...] = field(repr=False)
    codes: tuple[NDArray[np.int32], ...] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    alongside: tuple[Histogram, ...] = field(default=(), repr=False)
    population: NDArray[np.int64] | None = field(default=None, repr=False)
    added_up: Sizes | None = field(default=None, repr=False)
    kept: KeptBits | None = field(default=None, repr=False)

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    @property
    def units(self) -> int:
        """Return the number of protected units, which are people if the table has person IDs."""
        return self.records

    @property
    def combinations(self) -> FrequencyTable:
        """Return the table with one row for each distinct combination of values."""
        return self

    @property
    def distinct(self) -> int:
        """The number of rows."""
        return len(self.counts)

    def units_in(self, groups: NDArray[np.integer], number: int) -> NDArray[np.int64]:
        """Count the protected units in each of `number` groups.

        `groups` gives the group of each row. Rows with a negative group are not counted.
        """
        inside = groups >= 0
        found = np.bincount(groups[inside], self.counts[inside], minlength=number)
        return found.astype(np.int64)

    def texts(self) -> list[tuple[str, ...]]:
        """Return the values of each row."""
        columns = (
            [domain[code] for code in codes.tolist()]
            for domain, codes in zip(self.domains, self.codes, strict=True)
        )
        return list(zip(*columns, strict=True))

    @property
    def sizes(self) -> Sizes:
        """Return the sizes of the combinations that have records. Sizes may be repeated."""
        if self.added_up is not None:
            return self.added_up
        counts = self.counts[self.counts > 0]
        return Sizes(counts, np.ones(counts.size, dtype=np.int64))

    def project(self, attributes: Sequence[str]) -> FrequencyTable:
        """Keep these attributes, in this order, and merge combinations that become equal."""
        requested = _checked(attributes, self.attributes)
        places = [self.attributes.index(name) for name in requested]
        domains = tuple(self.domains[place] for place in places)
        table, target = canonical(requested, domains, [self.codes[p] for p in places], self.counts)
        alongside = tuple(one.merged(target, table.distinct) for one in self.alongside)
        people = None
        if self.population is not None:
            people = np.zeros(table.distinct, dtype=np.int64)
            np.add.at(people, target, self.population)
        kept = None
        if self.kept is not None:
            kept = self.kept.chosen(places).merged(target, table.distinct)
        return replace(table, alongside=alongside, population=people, kept=kept)

    def histogram(self, column: str) -> Histogram:
        """Return the distribution of a column in `alongside`."""
        for one in self.alongside:
            if one.column == column:
                return one
        what = "the column was not counted with the quasi-identifiers"
        raise RoleError(what, where=f"column {quoted(column)}", fix="list the column as sensitive")


def summarize(
    source: Source,
    attributes: Sequence[str],
    alongside: Sequence[str] = (),
    *,
    may_be_empty: bool = False,
    most: int | None = None,
    names_first: bool = False,
) -> FrequencyTable:
    """Return the frequency table of some columns of a source.

    The engine runs one GROUP BY query, or one such query for each column in `alongside`. For each
    column in `alongside`, the result contains the distribution of its values within each
    combination. `may_be_empty` allows a table without records, but not together with `alongside`.
    `most` is the maximum number of combinations in memory, including the values of an `alongside`
    column. More combinations raise OutgrownError. `names_first` indicates whether the number of
    values in the first column is nearly the number of combinations. Raises RoleError if a column is
    missing or named twice, or if no column is named.
    """
    requested = _checked(attributes, source.columns)
    _require_days(source, requested)
    if not alongside:
        return _grouped(
            source, requested, may_be_empty=may_be_empty, most=most, names_first=names_first
        )
    columns = [_checked((*requested, name), source.columns) for name in alongside]
    tables = [
        _without_last(_grouped(source, detailed, most=most, names_first=names_first))
        for detailed in columns
    ]
    return replace(tables[0], alongside=tuple(table.alongside[0] for table in tables))


def summarize_within(
    source: Source, attributes: Sequence[str], *, most: int
) -> FrequencyTable | None:
    """Return the result of `summarize`, or None if memory cannot hold all combinations."""
    try:
        return summarize(source, attributes, most=most)
    except OutgrownError:
        return None


def _grouped(
    source: Source,
    requested: tuple[str, ...],
    *,
    may_be_empty: bool = False,
    most: int | None = None,
    names_first: bool = False,
) -> FrequencyTable:
    encoders: list[_Encoder | _NamesEncoder] = [_Encoder() for _ in requested]
    if names_first:
        encoders[0] = _NamesEncoder()
    counts = [np.zeros(0, dtype=np.int64)]
    held = 0
    with engine_errors(source.name), texts_of(source, requested).counted(most) as batches:
        for batch in batches:
            held += batch.num_rows
            if most is not None and held > most:
                raise OutgrownError
            for at, encoder in enumerate(encoders):
                encoder.add(batch.column(at))
            counts.append(as_numpy(batch.column(len(requested))))
    total = np.concatenate(counts).astype(np.int64, copy=False)
    if not len(total) and may_be_empty:
        nothing = tuple(np.zeros(0, dtype=np.int32) for _ in requested)
        return FrequencyTable(requested, tuple(() for _ in requested), nothing, total)
    if not len(total):
        raise SourceError(
            "there are no records", where=source.name, fix="use a table that has records"
        )
    domains, codes = zip(*(encoder.finish() for encoder in encoders), strict=True)
    return canonical(requested, domains, codes, total)[0]


def _without_last(table: FrequencyTable) -> FrequencyTable:
    """Remove the last attribute from the combinations, and move its distribution to `alongside`."""
    *requested, column = table.attributes
    merged, row = canonical(tuple(requested), table.domains[:-1], table.codes[:-1], table.counts)
    entries = row, table.codes[-1], table.counts
    own = histogram(column, table.domains[-1], entries, merged.distinct)
    return replace(merged, alongside=(own,))


def _checked(attributes: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    requested = tuple(attributes)
    if not requested:
        raise RoleError("no attribute is named", fix="name at least one column")
    names.require(requested, columns)
    for name in requested:
        if requested.count(name) > 1:
            raise RoleError(
                "it is named twice", where=f"column {name!r}", fix="name each column once"
            )
    return requested


def _require_days(source: Source, attributes: Sequence[str]) -> None:
    """Reject instants whose time zone is unknown, because their day is then also unknown."""
    for name in attributes:
        if name in source.instants:
            raise SourceError(
                "the column contains points in time, but their day is unknown because the "
                "time zone is unknown",
                where=f"{source.name}, column {quoted(name)}",
                fix="make a column of days or local times, in the time zone of the people (in SQL: "
                "x AT TIME ZONE 'Europe/Lisbon'), and use that column",
            )


class _Encoder:
    """An encoder that assigns numbers to the values of one attribute, and sorts them at the end."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._parts: list[NDArray[np.integer]] = []

    def add(self, column: pa.Array) -> None:
        texts = encoded(_filled(column))
        numbers = self._numbers
        known = [numbers.setdefault(text, len(numbers)) for text in texts.dictionary.to_pylist()]
        # The integer type is the smallest that fits the numbers so far, because all numbers stay in
        # memory.
        kind = np.min_scalar_type(max(len(numbers) - 1, 0))
        lookup = np.array(known, dtype=kind)
        self._parts.append(lookup[as_numpy(texts.indices)])

    def finish(self) -> tuple[tuple[str, ...], NDArray[np.integer]]:
        """Return the sorted domain and the codes of all added strings, and reset the encoder."""
        texts = list(self._numbers)
        order = sorted(range(len(texts)), key=texts.__getitem__)
        rank = np.empty(len(texts), dtype=np.min_scalar_type(len(texts) - 1))
        rank[order] = np.arange(len(texts), dtype=rank.dtype)
        parts, self._parts, self._numbers = self._parts, [], {}
        codes = np.concatenate([rank[part] for part in parts])
        return tuple(texts[place] for place in order), codes


class _NamesEncoder:
    """An encoder that looks up values only at the end. It is faster if values rarely repeat."""

    def __init__(self) -> None:
        self._parts: list[pa.Array] = []

    def add(self, column: pa.Array) -> None:
        self._parts.append(_filled(column))

    def finish(self) -> tuple[tuple[str, ...], NDArray[np.integer]]:
        import pyarrow as pa  # noqa: PLC0415 - heavy

        parts, self._parts = pa.chunked_array(self._parts), []
        numbered = encoded(parts).unify_dictionaries()
        del parts
        texts = numbered.chunk(0).dictionary.to_pylist()
        order = sorted(range(len(texts)), key=texts.__getitem__)
        rank = np.empty(len(texts), dtype=np.min_scalar_type(len(texts) - 1))
        rank[order] = np.arange(len(texts), dtype=rank.dtype)
        codes = np.concatenate([rank[as_numpy(part.indices)] for part in numbered.chunks])
        return tuple(texts[place] for place in order), codes


def _filled(column: pa.Array) -> pa.Array:
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column.fill_null("") if column.null_count else column  # `fill_null` imports pandas


def canonical(
    attributes: tuple[str, ...],
    domains: tuple[tuple[str, ...], ...],
    codes: Sequence[NDArray[np.integer]],
    counts: NDArray[np.int64],
) -> tuple[FrequencyTable, NDArray[np.int64]]:
    """Sort one or more combinations in canonical order, and merge equal combinations.

    Returns the table, and the number of the row that contains each given combination.
    """
    keys = packed(codes, [len(domain) for domain in domains])
    order = np.argsort(keys[0]) if len(keys) == 1 else np.lexsort(keys[::-1])
    first = np.zeros(len(order), dtype=bool)
    first[0] = True
    while keys:
        key = keys.pop()[order]
        first[1:] |= key[1:] != key[:-1]
    starts = np.flatnonzero(first)
    added = np.add.reduceat(counts[order], starts)
    chosen = order[starts]
    target = np.empty(len(order), dtype=np.int64)
    target[order] = np.cumsum(first) - 1
    del order, starts, first, key
    table = FrequencyTable(
        attributes=attributes,
        domains=domains,
        codes=tuple(column[chosen].astype(np.int32, copy=False) for column in codes),
        counts=added,
    )
    return table, target


def places(domain: Sequence[str], wider: Sequence[str]) -> NDArray[np.int32]:
    """Return the codes of a domain's values in a larger domain."""
    place = {value: code for code, value in enumerate(wider)}
    return np.array([place[value] for value in domain], dtype=np.int32)


def packed(codes: Sequence[NDArray[np.integer]], sizes: list[int]) -> list[NDArray[np.int64]]:
    """Pack the codes into mixed-radix integers that sort in the same order as the combinations.

    Each integer contains as many attributes as fit. The first integer is the most significant.
    """
    keys: list[NDArray[np.int64]] = []
    room = 0
    for column, size in zip(codes, sizes, strict=True):
        if room < size:
            keys.append(column.astype(np.int64))
            room = _LARGEST_KEY
        else:
            keys[-1] *= size
            keys[-1] += column
        room //= size
    return keys
