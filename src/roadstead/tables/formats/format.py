"""Define what a file format is, and the result of reading a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.tables.extra_rows import SuspectRows
from roadstead.tables.formats.codebook import Codebook

if TYPE_CHECKING:
    import pyarrow as pa

Options = Mapping[str, str]
"""The options after the question mark in a path such as ``visits.xlsx?sheet=Visits``."""


@dataclass(frozen=True)
class Batches:
    """The rows of a file, in batches with one schema, and the codebook of the file.

    `suspect_rows` are the rows that do not look like records, and `details` describe the file like
    the details of the codebook. Both are complete after the last batch.

    Labeled columns contain codes. A missing value is null.
    """

    schema: pa.Schema
    rows: Iterator[pa.RecordBatch]
    codebook: Codebook
    suspect_rows: Sequence[SuspectRows] = ()
    details: Sequence[str] = ()


@dataclass(frozen=True)
class FileFormat:
    """A kind of file that Roadstead can read and, in most cases, write.

    `label` is the kind of file in words, such as ``Excel workbook``. `endings` are the file name
    extensions that a release may have, and begin with the usual extension. `extra` installs the
    libraries of the format, and `modules` are the modules that the format imports. `options` are
    the options of the format, such as ``sheet``. `written_as` is the format of a release, which may
    be ``csv``, or None for Parquet. `library` is the package that writes the file.

    A format from another package has the same attributes, but does not have to be a subclass.
    """

    label: str
    endings: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    written_as: str | None = None
    extra: str | None = None
    modules: tuple[str, ...] = ()
    library: str | None = None

    @property
    def writer(self) -> str | None:
        """Return the name and version of the library that writes the file.

        The bytes of the file may depend on the version.
        """
        from importlib.metadata import version  # noqa: PLC0415 - seldom used

        return None if self.library is None else f"{self.library} {version(self.library)}"

    def read(self, path: Path, options: Options) -> Batches:
        """Read a file.

        Raises SourceError if the file is damaged, or if it lacks a part that an option requests.
        """
        raise NotImplementedError

    def write(self, rows: pa.RecordBatchReader, path: Path, codebook: Codebook) -> None:
        """Write a release to exactly this path. The method is used if `written_as` is this format.

        If the versions of the libraries are the same, the same rows and codebook give the same
        bytes. The file does not contain other information, such as an author, a time, a path, or a
        label that no record has. Raises OutputError if the format cannot store the table.
        """
        raise NotImplementedError
