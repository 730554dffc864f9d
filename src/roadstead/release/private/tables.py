"""groups.csv and records.csv: the noisy counts, and as many records as are released of each group.

Both are plain comma-separated UTF-8 with a header. A group is a line with a cell for each
attribute, then for each class its noisy count and its number of records released. A record is a
line with the cells of its group and its class.

The order of the groups follows from them alone: attribute by attribute, each by its place in the
cut. So it says nothing, be it about the table or about the run that made the release.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.attribute_cuts import CutGroups
from roadstead.errors import RoleError, quoted
from roadstead.release.private.cells import cells_of
from roadstead.tables.dialect import Dialect
from roadstead.tables.sinks import write
from roadstead.tables.source import Csv

if TYPE_CHECKING:
    import pyarrow as pa

GROUPS = "groups.csv"
RECORDS = "records.csv"
_BATCH = 1 << 16
_WITHOUT_HEADER = Csv(Dialect(header=False))

Column: TypeAlias = tuple[Sequence[str], NDArray[np.int32]]
"""Texts, and which of them stands in each line."""


@dataclass(frozen=True, eq=False)
class ListedGroups:
    """Groups with their noisy counts, and how many records are released of each."""

    groups: CutGroups
    # Shape ``(groups, classes)``: noisy counts, 0 where one is not listed.
    noisy: NDArray[np.int64] = field(repr=False)
    released: NDArray[np.int64] = field(repr=False)  # shape ``(groups, classes)``: records released

    @property
    def records(self) -> int:
        """How many records are released."""
        return int(self.released.sum(dtype=object)) if self.released.size else 0

    @property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        """For each attribute, what its codes are called."""
        pairs = zip(self.groups.cuts, self.groups.combinations, strict=True)
        return tuple(cells_of(cut, combinations) for cut, combinations in pairs)

    @property
    def repeated(self) -> int:
        """How many groups are another one once more, where groups stand in order."""
        if self.groups.size < 2:  # noqa: PLR2004 - one is not another
            return 0
        same = [codes[1:] == codes[:-1] for codes in self.groups.codes]
        return int(np.logical_and.reduce(same).sum())


def in_order(
    groups: CutGroups, noisy: NDArray[np.int64], released: NDArray[np.int64]
) -> tuple[ListedGroups, NDArray[np.int64]]:
    """Bring groups into their order; combinations are numbered in theirs.

    `noisy`, `released`: shape ``(groups, classes)``: their counts. Returns the groups, and where
    each of them was before.
    """
    pairs = zip(groups.codes, groups.combinations, strict=True)
    renumbered = [_renumbered(codes, combinations) for codes, combinations in pairs]
    codes = tuple(codes for codes, _ in renumbered)
    order = np.lexsort(codes[::-1]).astype(np.int64)
    ordered = CutGroups(groups.cuts, codes, tuple(combinations for _, combinations in renumbered))
    return ListedGroups(ordered.chosen(order), noisy[order], released[order]), order


def _renumbered(
    codes: NDArray[np.int32], combinations: tuple[tuple[int, ...], ...] | None
) -> tuple[NDArray[np.int32], tuple[tuple[int, ...], ...] | None]:
    """Number the combinations that occur in ascending order."""
    if combinations is None:
        return codes, None
    used = sorted({combinations[code] for code in np.unique(codes)})
    number = {one: at for at, one in enumerate(used)}
    new = np.array([number.get(one, -1) for one in combinations], dtype=np.int32)
    return new[codes], tuple(used)


def groups_header(
    attributes: Sequence[str], target: str, classes: Sequence[str]
) -> tuple[str, ...]:
    """Name the columns of groups.csv."""
    return (
        *attributes,
        *(f"noisy count of {target}={label}" for label in classes),
        *(f"records of {target}={label}" for label in classes),
    )


def records_header(attributes: Sequence[str], target: str) -> tuple[str, ...]:
    """Name the columns of records.csv."""
    return (*attributes, target)


def check_names(attributes: Sequence[str], target: str, classes: Sequence[str]) -> None:
    """Refuse names by which two columns of a table would be one."""
    for header in (groups_header(attributes, target, classes), records_header(attributes, target)):
        for at, name in enumerate(header):
            if name in header[:at]:
                raise RoleError(
                    f"two columns of the release would be called {quoted(name)}",
                    fix="call the attribute, the target or the class otherwise",
                )


def write_groups(listed: ListedGroups, target: str, classes: Sequence[str], path: Path) -> None:
    """Write groups.csv."""
    header = groups_header(_attributes(listed), target, classes)
    columns = [*_cells(listed), *_numbers(listed.noisy), *_numbers(listed.released)]
    _write(header, columns, np.arange(listed.groups.size), path)


def write_records(listed: ListedGroups, target: str, classes: Sequence[str], path: Path) -> None:
    """Write records.csv."""
    header = records_header(_attributes(listed), target)
    groups, number = listed.released.shape
    cells = np.arange(groups * number)
    columns = [(texts, codes[cells // number]) for texts, codes in _cells(listed)]
    columns.append((classes, (cells % number).astype(np.int32)))
    _write(header, columns, np.repeat(cells, listed.released.reshape(-1)), path)


def _attributes(listed: ListedGroups) -> list[str]:
    return [cut.attribute for cut in listed.groups.cuts]


def _cells(listed: ListedGroups) -> Iterator[Column]:
    return zip(listed.cells, listed.groups.codes, strict=True)


def _numbers(counts: NDArray[np.int64]) -> Iterator[Column]:
    for column in counts.T:
        distinct, codes = np.unique(column, return_inverse=True)
        yield [str(number) for number in distinct.tolist()], codes.astype(np.int32)


def _write(
    header: Sequence[str], columns: Sequence[Column], lines: NDArray[np.int64], path: Path
) -> None:
    """Write lines; the header is one of them, as engines take two names for one more often."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    texts = [pa.array([name, *known]) for name, (known, _) in zip(header, columns, strict=True)]
    kind = pa.dictionary(pa.int32(), pa.string())
    schema = pa.schema([(f"{at}", kind) for at in range(len(columns))])

    def batch(places: Sequence[NDArray[np.int32]]) -> pa.RecordBatch:
        arrays = [
            pa.DictionaryArray.from_arrays(pa.array(place, pa.int32()), known)
            for place, known in zip(places, texts, strict=True)
        ]
        return pa.record_batch(arrays, schema=schema)

    def batches() -> Iterator[pa.RecordBatch]:
        yield batch([np.zeros(1, dtype=np.int32)] * len(columns))
        for begin in range(0, lines.size, _BATCH):
            part = lines[begin : begin + _BATCH]
            yield batch([codes[part] + np.int32(1) for _, codes in columns])

    write(pa.RecordBatchReader.from_batches(schema, batches()), path, _WITHOUT_HEADER)
