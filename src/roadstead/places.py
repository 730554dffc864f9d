"""Restrict the file access of pages and agents to allowed folders."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from roadstead.errors import SettingError
from roadstead.printable import named

TABLES = (
    *(".csv", ".tsv", ".txt", ".parquet", ".gz", ".zip"),
    *(".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
    *(".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt", ".rds", ".rdata", ".rda"),
    *(".arrow", ".feather", ".jsonl", ".ndjson", ".deid"),
    *(".dat", ".data", ".asc", ".prn", ".fwf", ".raw", ".tab"),
    *(".sqlite", ".sqlite3"),
)
"""The usual file name extensions of tables. A file at a typed path may have any extension."""
_MOST_LISTED = 500


@dataclass(frozen=True)
class Places:
    """The folders that may be read and written, as resolved paths."""

    allowed: tuple[Path, ...]

    @staticmethod
    def of(folders: tuple[Path, ...]) -> Places:
        """Create the places from the folders that the user names. Each folder must exist."""
        for folder in folders:
            if not folder.is_dir():
                raise SettingError(
                    "this is not a folder", where=str(folder), fix="allow a folder that exists"
                )
        return Places(tuple(dict.fromkeys(folder.resolve() for folder in folders)))

    def require(self, path: Path) -> Path:
        """Resolve symbolic links, and return the real path of a file or folder.

        The method raises a SettingError if the path is outside the allowed folders.
        """
        try:
            real = self.placed(path).resolve()
        except (OSError, RuntimeError, ValueError):  # a loop of links, or an impossible file name
            raise _elsewhere(path) from None
        if not any(real.is_relative_to(folder) for folder in self.allowed):
            raise _elsewhere(path)
        return real

    def placed(self, path: Path) -> Path:
        """Return an absolute path. Relative paths start at the first allowed folder.

        The method raises a SettingError if no file can have this name.
        """
        try:
            own = path.expanduser()
            (self.allowed[0] / own).exists()
        except (OSError, RuntimeError, ValueError):  # unknown home folder, too long, or a zero byte
            raise _elsewhere(path) from None
        return self.allowed[0] / own

    def require_no_way_out(self, real: Path) -> None:
        """Reject a folder with a link to a place outside the allowed folders."""
        try:
            links = [one for one in os.scandir(real) if one.is_symlink()] if real.is_dir() else []
        except OSError as error:
            raise SettingError(
                f"cannot be read ({error.strerror})",
                where=named(str(real)),
                fix="choose another file",
            ) from None
        for one in links:
            self.require(Path(one.path))

    def tables(self, folder: Path) -> Iterator[Path]:
        """Yield the subfolders of an allowed folder, followed by its tables.

        The method omits pipes, names that cannot be decoded, and links to places outside the
        allowed folders.
        """
        inside = [one for one in folder.iterdir() if self._is_listed(one)]
        inside.sort(key=lambda one: (not one.is_dir(), one.name.lower()))
        yield from inside[:_MOST_LISTED]

    def _is_listed(self, one: Path) -> bool:
        if one.name.startswith(".") or not one.name.isprintable():
            return False
        try:
            self.require(one)
        except SettingError:
            return False
        return os.path.isdir(one) or (  # noqa: PTH112 - false also where one may not look
            os.path.isfile(one) and one.name.lower().endswith(TABLES)  # noqa: PTH113 - as above
        )


def _elsewhere(path: Path) -> SettingError:
    return SettingError(
        "this path is outside the allowed folders",
        where=named(str(path)),
        fix="choose a path in an allowed folder, or allow the folder of this path when you start "
        "Roadstead",
    )
