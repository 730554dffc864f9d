"""Read SPSS files (``.sav``, ``.zsav``, and ``.por``), and write ``.sav`` files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.tables.formats.codebook import Codebook
from roadstead.tables.formats.format import Batches, Options
from roadstead.tables.formats.statistics.clocks import SPSS_CLOCK
from roadstead.tables.formats.statistics.reading import PackageFile, read_package
from roadstead.tables.formats.statistics.stamps import without_stamp
from roadstead.tables.formats.statistics.writing import columns_of, writing_package
from roadstead.tables.formats.versions import version_of

if TYPE_CHECKING:
    import pyarrow as pa

_STAMP = slice(92, 109)
"""The bytes of the header that contain the day and time of writing."""
_NO_STAMP = b"01 Jan 7000:00:00"


@dataclass(frozen=True)
class Spss:
    """An SPSS file: a portable file if `portable` is true, or a ``.sav`` file otherwise."""

    label: str
    endings: tuple[str, ...]
    portable: bool = False
    extra: str | None = "stats"
    modules: tuple[str, ...] = ("pyreadstat", "pandas")
    options: tuple[str, ...] = ("encoding",)
    written_as: str | None = "spss"

    def read(self, path: Path, options: Options) -> Batches:
        """Read a file with its labels, declared missing values, and levels of measurement."""
        import pyreadstat  # noqa: PLC0415 - an extra

        settings: dict[str, Any] = {"user_missing": True}
        if "encoding" in options:
            settings["encoding"] = options["encoding"]
        if self.portable:
            del settings["user_missing"]
        reader = pyreadstat.read_por if self.portable else pyreadstat.read_sav
        return read_package(PackageFile(path, reader, SPSS_CLOCK, settings))

    @property
    def writer(self) -> str:
        """The library that writes the file."""
        return version_of("pyreadstat")

    def write(self, rows: pa.RecordBatchReader, path: Path, codebook: Codebook) -> None:
        """Write a ``.sav`` file."""
        import pyreadstat  # noqa: PLC0415 - an extra

        columns = columns_of(rows, codebook, SPSS_CLOCK, labels=True)
        with writing_package(path, self.label):
            pyreadstat.write_sav(
                columns.frame(),
                str(path),
                column_labels=columns.descriptions,
                row_compress=True,
                variable_value_labels=columns.labels,  # type: ignore[arg-type] # codes may be texts
                variable_format=columns.shown,
                variable_measure=columns.measures,
                missing_ranges=columns.missing,
            )
        without_stamp(path, _STAMP, _NO_STAMP)


SPSS = Spss("SPSS", (".sav",))
PORTABLE = Spss("SPSS portable", (".sav",), portable=True)
