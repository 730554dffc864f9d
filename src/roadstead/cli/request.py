"""What commands make of options and a project file: an option goes before what the file says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from roadstead.cli.show import note
from roadstead.errors import SettingError
from roadstead.reports.wording import counted
from roadstead.requests.former_project import Project
from roadstead.requests.texts import split
from roadstead.tables.addresses import locate
from roadstead.tables.locations import Location
from roadstead.tables.reading import read
from roadstead.tables.source import Source


class Readable(Protocol):
    """Options that say where the table is, and how to read it; None where one was not given."""

    @property
    def data(self) -> str | None:
        """Path or address of the table."""
        ...

    @property
    def delimiter(self) -> str | None:
        """Character between cells."""
        ...

    @property
    def encoding(self) -> str | None:
        """Encoding of the file."""
        ...

    @property
    def header(self) -> bool | None:
        """Whether the first row names the columns."""
        ...

    @property
    def missing(self) -> list[str] | None:
        """Texts that stand for a missing value."""
        ...


def opened(
    options: Readable, project: Project, base: Path, by: Callable[..., Source] = read
) -> Source:
    """Open the table, and say what was found; relative paths of the project start at `base`.

    It is read by `read`, or by another function that takes the same.

    Raises
    ------
    SettingError
        When no table is named.
    """
    reading = project.reading
    source = by(
        _data(options, project, base),
        delimiter=first(options.delimiter, reading.delimiter),
        encoding=first(options.encoding, reading.encoding),
        header=first(options.header, reading.header),
        missing=first(options.missing, reading.missing),
    )
    unnamed = "".join(f"; the first has no name and is called {x}" for x in source.named_by_us)
    columns = counted(len(source.columns), "column")
    note(f"{source.name}: {source.format.describe()}, {columns}{unnamed}")
    return source


class RoleOptions(Protocol):
    """Options that name columns by role; None where one was not given."""

    @property
    def quasi(self) -> list[str] | None:
        """Quasi-identifiers."""
        ...

    @property
    def sensitive(self) -> list[str] | None:
        """Sensitive columns."""
        ...

    @property
    def identifying(self) -> list[str] | None:
        """Columns that are never released."""
        ...

    @property
    def insensitive(self) -> list[str] | None:
        """Other columns that are released."""
        ...

    @property
    def release(self) -> list[str] | None:
        """Columns released although they look like an identifier."""
        ...


def given_roles(options: RoleOptions) -> dict[str, tuple[str, ...]]:
    """Give the columns that options name, by role."""
    return {
        "quasi": split(options.quasi),
        "sensitive": split(options.sensitive),
        "identifying": split(options.identifying),
        "insensitive": split(options.insensitive),
        "release": split(options.release),
    }


def first(*values: Any) -> Any:  # noqa: ANN401 - of whatever type the option has
    """Give the first that was given."""
    return next((value for value in values if value is not None), None)


def located(option: str | None, project: str | None, base: Path) -> Location | None:
    """Find a table that an option names, or else the project file; it is a path or an address.

    Raises
    ------
    SourceError
        When it is an address that cannot be used.
    """
    if option is not None:
        return locate(option)
    return None if project is None else locate(project, base)


def _data(options: Readable, project: Project, base: Path) -> Location:
    found = located(options.data, project.data, base)
    if found is None:
        raise SettingError(
            "no table is named",
            fix="give its path or address, or a --project file that has it",
        )
    return found
