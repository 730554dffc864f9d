"""Read a differentially private release back: its cuts, its groups and their counts.

What is read is what stands in the files; whether it is what was certified is checked by
``private_verify``. A cell that the cut does not have, or a count that is no number, is an error
here too, because nothing could be done with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.attribute_cuts import AttributeCut, CutGroups, SetCut
from roadstead.errors import VerificationError
from roadstead.regular_files import require_regular
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.private.cells import places_of
from roadstead.release.private.certificate import PrivateCertificate, read_private_certificate
from roadstead.release.private.cut import CUT, CutDocument, cut_of, read_cut
from roadstead.release.private.tables import GROUPS, ListedGroups, groups_header

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 1 << 25
"""A line must fit into it."""
_LARGEST = 1 << 62


@dataclass(frozen=True)
class PrivateRelease:
    """A differentially private release."""

    cuts: tuple[AttributeCut, ...]  # how detailed each attribute is
    groups: CutGroups  # the groups that are listed
    # Shape ``(groups, classes)``: noisy counts, 0 where one is not listed.
    noisy: NDArray[np.int64] = field(repr=False)
    released: NDArray[np.int64] = field(repr=False)  # shape ``(groups, classes)``: records released
    target: str
    classes: tuple[str, ...]
    certificate: PrivateCertificate = field(repr=False)  # what is said of it


def read_private(folder: Path) -> PrivateRelease:
    """Read a release from its folder.

    Raises
    ------
    VerificationError
        A file is missing or damaged.
    """
    certificate = read_private_certificate(folder / CERTIFICATE)
    document = read_cut(folder / CUT)
    cuts = tuple(cut_of(entry) for entry in document.attributes)
    listed = read_groups(folder, document, cuts)
    return PrivateRelease(
        cuts=cuts,
        groups=listed.groups,
        noisy=listed.noisy,
        released=listed.released,
        target=document.target,
        classes=document.classes,
        certificate=certificate,
    )


@dataclass(frozen=True, eq=False)
class Lines:
    """The lines of a table without its header."""

    texts: tuple[tuple[str, ...], ...] = field(repr=False)  # for each column its distinct cells
    # For each column, shape ``(lines,)``: which of them stands in each line.
    codes: tuple[NDArray[np.int32], ...] = field(repr=False)

    @property
    def size(self) -> int:
        """How many lines there are."""
        return self.codes[0].size


def read_lines(path: Path, header: Sequence[str]) -> Lines:
    """Read a table of the release; every cell is text, and none is missing.

    `header`: the names that its columns must have.
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
        raise VerificationError(f"it cannot be read ({why})", where=path.name) from None
    except pa.ArrowInvalid:
        raise VerificationError(
            f"it is not a table of {len(names):,} columns in UTF-8", where=path.name
        ) from None
    columns = [_column(column) for column in table.unify_dictionaries().columns]
    found = [known[codes[0]] for known, codes in columns]
    if found != list(header):
        at = next(i for i, name in enumerate(header) if found[i] != name)
        raise VerificationError(f"column {at + 1} is not {header[at]!r}", where=path.name)
    used = [_used(known, codes[1:]) for known, codes in columns]
    return Lines(tuple(known for known, _ in used), tuple(codes for _, codes in used))


def read_groups(folder: Path, document: CutDocument, cuts: Sequence[AttributeCut]) -> ListedGroups:
    """Read groups.csv: the groups of the cuts, and their counts."""
    classes = document.classes
    header = groups_header([cut.attribute for cut in cuts], document.target, classes)
    lines = read_lines(folder / GROUPS, header)
    begin, middle = len(cuts), len(cuts) + len(classes)
    return ListedGroups(
        _groups_of(lines, cuts),
        _counts_of(lines, range(begin, middle)),
        _counts_of(lines, range(middle, middle + len(classes))),
    )


def _groups_of(lines: Lines, cuts: Sequence[AttributeCut]) -> CutGroups:
    """Find the groups that lines name."""
    codes: list[NDArray[np.int32]] = []
    combinations: list[tuple[tuple[int, ...], ...] | None] = []
    for at, cut in enumerate(cuts):
        places = places_of(cut, lines.texts[at])
        known = [one for one in places if one is not None]
        if (foreign := len(places) - len(known)) > 0:
            raise VerificationError(
                f"{foreign:,} of the values of {cut.attribute!r} are not in the cut", where=GROUPS
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
    """Read columns of counts; ``(lines, columns)``."""
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
    """Give the distinct cells of a column, and which stands in each line."""
    parts = [part.indices.to_numpy(zero_copy_only=False) for part in column.chunks]
    return tuple(column.chunk(0).dictionary.to_pylist()), np.concatenate(parts).astype(np.int32)


def _used(
    known: tuple[str, ...], codes: NDArray[np.int32]
) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Leave out the texts that no line has, such as the column's name."""
    used = np.zeros(len(known), dtype=np.bool_)
    used[codes] = True
    number = (np.cumsum(used) - 1).astype(np.int32)
    return tuple(text for text, there in zip(known, used, strict=True) if there), number[codes]
