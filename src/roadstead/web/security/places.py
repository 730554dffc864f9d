"""Which files a page may name: those under folders that the start-up command allowed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from roadstead.errors import SettingError
from roadstead.printable import named
from roadstead.tables.addresses import is_address, locate
from roadstead.tables.health.locations import parse
from roadstead.tables.locations import CdmLocation, DatabaseLocation, FileLocation
from roadstead.tables.stores.other.open import OtherLocation

TABLES = (".csv", ".tsv", ".txt", ".parquet", ".gz")
_MOST_LISTED = 500


@dataclass(frozen=True)
class Places:
    """Folders that may be read from and written to, by their real paths."""

    allowed: tuple[Path, ...]

    @staticmethod
    def of(folders: tuple[Path, ...]) -> Places:
        """Take folders as they were named; each must be there."""
        for folder in folders:
            if not folder.is_dir():
                raise SettingError(
                    "is no folder", where=str(folder), fix="allow a folder that exists"
                )
        return Places(tuple(dict.fromkeys(folder.resolve() for folder in folders)))

    def require(self, path: Path) -> Path:
        """Give the real path, with links followed, of what lies in an allowed folder.

        Raises
        ------
        SettingError
            When it lies elsewhere.
        """
        real = path.expanduser()
        if not real.is_absolute() and self.allowed:
            real = self.allowed[0] / real
        try:
            real = real.resolve()
        except (OSError, RuntimeError, ValueError):  # a loop of links, or no name of a file
            real = Path("/")
        if not any(real.is_relative_to(folder) for folder in self.allowed):
            raise SettingError(
                "is not in a folder that this page may use",
                where=named(str(path)),
                fix="choose one listed here, or start roadstead explore with --allow FOLDER",
            )
        return real

    def address(self, text: str) -> str:
        """Check the path or address of a table: its files must lie in an allowed folder.

        Raises
        ------
        SettingError
            When they lie elsewhere, or nobody can say where they lie.
        """
        health = None if is_address(text) else parse(text)
        if health is not None:
            return replace(health, folder=self.require(health.folder)).address
        location = locate(text)
        if isinstance(location, FileLocation):
            return str(self.require(location.path))
        if isinstance(location, CdmLocation):
            return replace(location, person=self._inside(location.person)).address
        inside = self._inside(location)
        return text if inside is location else inside.address

    def _inside(self, location: DatabaseLocation) -> DatabaseLocation:
        """Refuse a database whose file lies elsewhere, or that may be a file for all we know."""
        if isinstance(location, OtherLocation):
            raise SettingError(
                "cannot be opened from the page",
                where=location.store,
                fix="name it when you start roadstead explore",
            )
        return (
            location if location.file is None else location.with_file(self.require(location.file))
        )

    def tables(self, folder: Path) -> Iterator[Path]:
        """List folders and tables of an allowed folder, the folders first."""
        inside = [one for one in folder.iterdir() if not one.name.startswith(".")]
        inside = [one for one in inside if one.is_dir() or one.name.lower().endswith(TABLES)]
        inside.sort(key=lambda one: (not one.is_dir(), one.name.lower()))
        yield from inside[:_MOST_LISTED]
