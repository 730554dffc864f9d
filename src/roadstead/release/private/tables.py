"""Read and write groups.csv and records.csv.

Both files are comma-separated UTF-8 text with a header. Each line in groups.csv contains the cells
of a group, the noisy count of each class, and the number of released records of each class. Each
line in records.csv describes one record: the cells of its group, and its class. The order of the
groups depends only on the groups themselves, so the order does not reveal anything about the table
or the run.

``verify`` compares both files with the certificate. When a file is read, an error is raised if a
cell is not in the cut, or if a count is not a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.domains import AttributeCut, CutGroups, SetCut
from roadstead.differential.private_table import NO_TARGET
from roadstead.errors import RoleError, VerificationError, quoted
from roadstead.regular_files import require_regular
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.private.certificate import (
    PrivateCertificate,
    ReleasedMargins,
    ReleasedSample,
    read_private_certificate,
)
from roadstead.release.private.cut import CUT, CutDocument, cells_of, cut_of, places_of, read_cut
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
"""The distinct text values of a column, and the index of the value in each line."""


@dataclass(frozen=True, eq=False)
class ListedGroups:
    """Groups, with their noisy counts and their numbers of released records."""

    groups: CutGroups
    # The noisy counts, with the shape ``(groups, classes)``; 0 if a count is not listed.
    noisy: NDArray[np.int64] = field(repr=False)
    released: NDArray[np.int64] = field(repr=False)  # number of records, ``(groups, classes)``

    @property
    def records(self) -> int:
        """Return the number of released records."""
        return int(self.released.sum(dtype=object)) if self.released.size else 0

    @property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        """Return the cells for the codes of each attribute."""
        return tuple(cells_of(cut, sets) for cut, _, sets in self.groups.attributes)

    @property
    def repeated(self) -> int:
        """Count the groups that are equal to the previous group. The groups must be in order."""
        if self.groups.size < 2:  # noqa: PLR2004 - one is not another
            return 0
        same = [codes[1:] == codes[:-1] for codes in self.groups.codes]
        return int(np.logical_and.reduce(same).sum())


def in_order(
    groups: CutGroups, noisy: NDArray[np.int64], released: NDArray[np.int64]
) -> tuple[ListedGroups, NDArray[np.int64]]:
    """Sort the groups, and renumber the combinations. Also return each group's former position.

    `noisy` and `released` have the shape ``(groups, classes)``.
    """
    renumbered = [_renumbered(codes, sets) for _, codes, sets in groups.attributes]
    codes, combinations = zip(*renumbered, strict=True)
    order = np.lexsort(codes[::-1]).astype(np.int64)
    ordered = CutGroups(groups.cuts, codes, combinations)
    return ListedGroups(ordered.chosen(order), noisy[order], released[order]), order


def _renumbered(
    codes: NDArray[np.int32], combinations: tuple[tuple[int, ...], ...] | None
) -> tuple[NDArray[np.int32], tuple[tuple[int, ...], ...] | None]:
    """Number the combinations that occur, in ascending order."""
    if combinations is None:
        return codes, None
    used = sorted({combinations[code] for code in np.unique(codes)})
    number = {one: at for at, one in enumerate(used)}
    new = np.array([number.get(one, -1) for one in combinations], dtype=np.int32)
    return new[codes], tuple(used)


def groups_header(
    attributes: Sequence[str], target: str, classes: Sequence[str]
) -> tuple[str, ...]:
    """Return the column names of groups.csv."""
    kinds = ("noisy count", "records")
    return (*attributes, *(f"{kind} of {target}={label}" for kind in kinds for label in classes))


def records_header(attributes: Sequence[str], target: str | None) -> tuple[str, ...]:
    """Return the column names of records.csv."""
    return (*attributes, *(() if target is None else (target,)))


def check_names(attributes: Sequence[str], target: str, classes: Sequence[str]) -> None:
    """Reject names that would give two columns of a table the same name."""
    for header in (groups_header(attributes, target, classes), records_header(attributes, target)):
        for at, name in enumerate(header):
            if name in header[:at]:
                what = f"two columns of the release would have the name {quoted(name)}"
                fix = "rename the attribute, the target, or the class"
                raise RoleError(what, fix=fix)


def write_groups(listed: ListedGroups, target: str, classes: Sequence[str], path: Path) -> None:
    """Write groups.csv."""
    header = groups_header(_attributes(listed), target, classes)
    columns = [*_cells(listed), *_numbers(listed.noisy), *_numbers(listed.released)]
    _write(header, columns, np.arange(listed.groups.size), path)


def write_records(
    listed: ListedGroups, target: str | None, classes: Sequence[str], path: Path
) -> None:
    """Write records.csv."""
    header = records_header(_attributes(listed), target)
    groups, number = listed.released.shape
    cells = np.arange(groups * number)
    columns = [(texts, codes[cells // number]) for texts, codes in _cells(listed)]
    if target is not None:
        columns.append((classes, (cells % number).astype(np.int32)))
    _write(header, columns, np.repeat(cells, listed.released.reshape(-1)), path)


def write_lines(header: Sequence[str], lines: Lines, path: Path) -> None:
    """Write a table that was read with `read_lines`."""
    columns = list(zip(lines.texts, lines.codes, strict=True))
    _write(header, columns, np.arange(lines.size), path)


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
    """Write a header and lines.

    The header is written like any other line, because engines rename repeated column names.
    """
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


_BLOCK = 1 << 25
"""The size of a block in bytes. Each line must fit into one block."""
_LARGEST = 1 << 62


@dataclass(frozen=True)
class PrivateRelease:
    """A differentially private release, read from its files.

    In a release for general use, the distinct lines of the records replace the groups, and there
    are no noisy counts. Without a target, all records have one class without a name. In a
    generalized sample, the counts of the classes replace the noisy counts.
    """

    listed: ListedGroups
    target: str | None
    classes: tuple[str, ...]
    certificate: PrivateCertificate = field(repr=False)

    @property
    def for_every_use(self) -> bool:
        """Return whether the noisy counts are counts in margins."""
        return isinstance(self.certificate.released, ReleasedMargins)


def read_private(folder: Path) -> PrivateRelease:
    """Read a release from its folder, or raise a `VerificationError` if a file is damaged."""
    certificate = read_private_certificate(folder / CERTIFICATE)
    document = read_cut(folder / CUT)
    cuts = tuple(cut_of(entry) for entry in document.attributes)
    if isinstance(certificate.released, ReleasedMargins):
        listed, _ = read_records(folder, document, cuts)
        classes = document.classes or (NO_TARGET,)
        return PrivateRelease(listed, document.target, classes, certificate)
    if isinstance(certificate.released, ReleasedSample):
        listed, _ = read_records(folder, document, cuts)
        counted = ListedGroups(listed.groups, listed.released, listed.released)
        return PrivateRelease(counted, None, (NO_TARGET,), certificate)
    listed = read_groups(folder, document, cuts)
    return PrivateRelease(listed, document.target, document.classes, certificate)


@dataclass(frozen=True, eq=False)
class Lines:
    """The lines of a table, excluding the header."""

    texts: tuple[tuple[str, ...], ...] = field(repr=False)  # the distinct cells of each column
    # For each column, the index of each line's cell, with shape ``(lines,)``.
    codes: tuple[NDArray[np.int32], ...] = field(repr=False)

    @property
    def size(self) -> int:
        """Return the number of lines."""
        return self.codes[0].size


def read_lines(path: Path, header: Sequence[str]) -> Lines:
    """Read a table in the release as text. No cell is treated as missing.

    `header` lists the required column names.
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy
    from pyarrow import csv  # noqa: PLC0415 - heavy

    names = [str(at) for at in range(len(header))]
    kind = pa.dictionary(pa.int32(), pa.string())
    try:
        require_regular(path, own=True)
        table = csv.read_csv(
            path,
            read_options=csv.ReadOptions(column_names=names, block_size=_BLOCK),
            parse_options=csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
            convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, kind)),
        )
    except OSError as error:
        why = error.strerror or "the system refuses"
        raise VerificationError(f"the file cannot be read ({why})", where=path.name) from None
    except pa.ArrowInvalid:
        raise VerificationError(
            f"the file is not a UTF-8 table of {len(names):,} columns", where=path.name
        ) from None
    columns = [_column(column) for column in table.unify_dictionaries().columns]
    found = [known[codes[0]] for known, codes in columns]
    if found != list(header):
        at = next(i for i, name in enumerate(header) if found[i] != name)
        raise VerificationError(f"column {at + 1} is not {header[at]!r}", where=path.name)
    used = [_used(known, codes[1:]) for known, codes in columns]
    return Lines(tuple(known for known, _ in used), tuple(codes for _, codes in used))


def read_groups(folder: Path, document: CutDocument, cuts: Sequence[AttributeCut]) -> ListedGroups:
    """Read groups.csv."""
    classes = document.classes
    if document.target is None:
        raise VerificationError(
            "the release does not have a target with classes to count", where=GROUPS
        )
    header = groups_header([cut.attribute for cut in cuts], document.target, classes)
    lines = read_lines(folder / GROUPS, header)
    begin, middle = len(cuts), len(cuts) + len(classes)
    return ListedGroups(
        _groups_of(lines, cuts),
        _counts_of(lines, range(begin, middle)),
        _counts_of(lines, range(middle, middle + len(classes))),
    )


def read_records(
    folder: Path, document: CutDocument, cuts: Sequence[AttributeCut]
) -> tuple[ListedGroups, bool]:
    """Return the distinct lines of records.csv, and whether the lines are in order."""
    lines = read_lines(
        folder / RECORDS, records_header([c.attribute for c in cuts], document.target)
    )
    groups = _groups_of(lines, cuts, RECORDS)
    classes = document.classes or (NO_TARGET,)
    label = np.zeros(lines.size, dtype=np.int32)
    if document.target is not None:
        known = {name: at for at, name in enumerate(classes)}
        if not {*lines.texts[-1]} <= {*known}:
            raise VerificationError("a class is not part of the release", where=RECORDS)
        label = np.array([known[one] for one in lines.texts[-1]], dtype=np.int32)[lines.codes[-1]]
    keys = np.stack([*groups.codes, label])
    distinct, row = np.unique(keys[:-1], axis=1, return_inverse=True)
    cells, size = row.reshape(-1) * len(classes) + label, distinct.shape[1] * len(classes)
    counts = np.bincount(cells, minlength=size).astype(np.int64).reshape(-1, len(classes))
    ordered = bool((np.lexsort(keys[::-1]) == np.arange(lines.size)).all())
    own = CutGroups(groups.cuts, tuple(map(np.ascontiguousarray, distinct)), groups.combinations)
    return ListedGroups(own, np.zeros_like(counts), counts), ordered


def _groups_of(lines: Lines, cuts: Sequence[AttributeCut], where: str = GROUPS) -> CutGroups:
    codes: list[NDArray[np.int32]] = []
    combinations: list[tuple[tuple[int, ...], ...] | None] = []
    for at, cut in enumerate(cuts):
        places = places_of(cut, lines.texts[at])
        known = [one for one in places if one is not None]
        if (foreign := len(places) - len(known)) > 0:
            raise VerificationError(
                f"{foreign:,} of the values of {cut.attribute!r} are not in the cut", where=where
            )
        if isinstance(cut, SetCut):
            distinct = tuple(sorted(known))
            number = {one: place for place, one in enumerate(distinct)}
            combinations.append(distinct)
            numbers = [number[one] for one in known]
        else:
            combinations.append(None)
            numbers = [place for (place,) in known]
        codes.append(np.array(numbers, dtype=np.int32)[lines.codes[at]])
    return CutGroups(tuple(cuts), tuple(codes), tuple(combinations))


def _counts_of(lines: Lines, columns: range) -> NDArray[np.int64]:
    """Read columns of counts as an array of shape ``(lines, columns)``."""
    counts = np.zeros((lines.size, len(columns)), dtype=np.int64)
    for place, at in enumerate(columns):
        numbers = np.array([_count(text) for text in lines.texts[at]], dtype=np.int64)
        counts[:, place] = numbers[lines.codes[at]]
    return counts


def _count(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 20 and str(int(text)) == text:  # noqa: PLR2004 - digits
        number = int(text)
        if number < _LARGEST:
            return number
    raise VerificationError("a count is not a whole number of 0 or more", where=GROUPS)


def _column(column: pa.ChunkedArray) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Return the distinct cells of a column, and the index of each line's cell."""
    parts = [part.indices.to_numpy(zero_copy_only=False) for part in column.chunks]
    return tuple(column.chunk(0).dictionary.to_pylist()), np.concatenate(parts).astype(np.int32)


def _used(
    known: tuple[str, ...], codes: NDArray[np.int32]
) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Remove values that no line contains, such as the column's name."""
    used = np.zeros(len(known), dtype=np.bool_)
    used[codes] = True
    number = (np.cumsum(used) - 1).astype(np.int32)
    return tuple(text for text, there in zip(known, used, strict=True) if there), number[codes]
