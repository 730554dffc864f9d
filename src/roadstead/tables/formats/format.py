"""The protocol of a file format, and the result of reading a file."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from roadstead.tables.formats.codebook import Codebook

if TYPE_CHECKING:
    import pyarrow as pa

Options = Mapping[str, str]
"""The options after the question mark in ``visits.xlsx?sheet=Visits``, by name."""


@dataclass(frozen=True)
class Batches:
    """The rows of a file in batches of one schema, with the codebook of the file.

    Labeled columns contain codes. A missing value is null.
    """

    schema: pa.Schema
    rows: Iterator[pa.RecordBatch]
    codebook: Codebook


class FileFormat(Protocol):
    """A kind of file that Roadstead reads, and in most cases writes."""

    @property
    def label(self) -> str:
        """The kind of file in words, such as ``Excel workbook``."""

    @property
    def endings(self) -> tuple[str, ...]:
        """The file name extensions that a release may have; the first is the usual one."""

    @property
    def extra(self) -> str | None:
        """The extra of Roadstead that installs the libraries of the format; None if not needed."""

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that the format imports."""

    @property
    def options(self) -> Collection[str]:
        """The options of the format, such as ``sheet``."""

    @property
    def writer(self) -> str | None:
        """The library that writes the file, with its version, such as ``XlsxWriter 3.3.1``."""

    @property
    def written_as(self) -> str | None:
        """The format of a release: usually the same format, or ``csv``; None for Parquet."""

    def read(self, path: Path, options: Options) -> Batches:
        """Read a file.

        Raises SourceError if the file is damaged, or lacks a part that an option names.
        """

    def write(self, rows: pa.RecordBatchReader, path: Path, codebook: Codebook) -> None:
        """Write a release to exactly this path; only called if `written_as` names this format.

        The same rows and codebook give the same bytes, with the same version of the libraries. The
        file does not contain other information, such as an author, a time, a path, or a label that
        no record has. Raises OutputError if the format cannot store the table.
        """
