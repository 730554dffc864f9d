"""Define the protocol of a file format, and the result of reading a file."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from roadstead.tables.extra_rows import SuspectRows
from roadstead.tables.formats.codebook import Codebook

if TYPE_CHECKING:
    import pyarrow as pa

Options = Mapping[str, str]
"""The options after the question mark in a path such as ``visits.xlsx?sheet=Visits``."""


@dataclass(frozen=True)
class Batches:
    """The rows of a file, in batches with one schema, and the codebook of the file.

    `suspect_rows` are the rows that do not look like records. They are complete after the last
    batch.

    Labeled columns contain codes. A missing value is null.
    """

    schema: pa.Schema
    rows: Iterator[pa.RecordBatch]
    codebook: Codebook
    suspect_rows: Sequence[SuspectRows] = ()


class FileFormat(Protocol):
    """A kind of file that Roadstead can read and, in most cases, write."""

    @property
    def label(self) -> str:
        """The kind of file in words, such as ``Excel workbook``."""

    @property
    def endings(self) -> tuple[str, ...]:
        """Return the file name extensions that a release may have, the usual one first."""

    @property
    def extra(self) -> str | None:
        """Return the extra that installs the format's libraries, or None if there is no extra."""

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that the format imports."""

    @property
    def options(self) -> Collection[str]:
        """The options of the format, such as ``sheet``."""

    @property
    def writer(self) -> str | None:
        """Return the name and version of the library that writes the file."""

    @property
    def written_as(self) -> str | None:
        """Return the format of a release, which may be ``csv``, or None for Parquet."""

    def read(self, path: Path, options: Options) -> Batches:
        """Read a file.

        Raises SourceError if the file is damaged, or lacks a part that an option names.
        """

    def write(self, rows: pa.RecordBatchReader, path: Path, codebook: Codebook) -> None:
        """Write a release to exactly this path. Called only if `written_as` names this format.

        With the same versions of the libraries, the same rows and codebook give the same bytes. The
        file does not contain other information, such as an author, a time, a path, or a label that
        no record has. Raises OutputError if the format cannot store the table.
        """
