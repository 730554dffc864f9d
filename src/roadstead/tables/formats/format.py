"""The protocol of a file format, and what reading a file gives."""

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

    Labeled columns have their codes. A missing value is null.
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
        """The endings that a release may have; the first is the usual one."""

    @property
    def extra(self) -> str | None:
        """The extra of Roadstead that installs its libraries; None if it needs none."""

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that it imports."""

    @property
    def options(self) -> Collection[str]:
        """The options that it takes, such as ``sheet``."""

    @property
    def writer(self) -> str | None:
        """The library that writes it, with its version, such as ``XlsxWriter 3.3.1``."""

    @property
    def written_as(self) -> str | None:
        """The name of the format of a release: usually its own, or ``csv``; None for Parquet."""

    def read(self, path: Path, options: Options) -> Batches:
        """Read a file. Raises SourceError if it is damaged, or an option names nothing in it."""

    def write(self, rows: pa.RecordBatchReader, path: Path, codebook: Codebook) -> None:
        """Write a release to exactly this path; only called if `written_as` names this format.

        The same rows and codebook give the same bytes, with the same version of the libraries. The
        file holds nothing else: no author, no time, no path, and no label without records. Raises
        OutputError if the format cannot hold the table.
        """
