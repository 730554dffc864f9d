"""What commands make of options and a project file: an option goes before what the file says."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from roadstead.cli.show import note
from roadstead.errors import SettingError
from roadstead.reports.wording import counted
from roadstead.tables.sources import Source, read
from roadstead.verbs.project import Project


class Readable(Protocol):
    """Options that say where the table is, and how to read it; None where one was not given."""

    @property
    def data(self) -> str | None:
        """Path of the table."""
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


def opened(options: Readable, project: Project, base: Path) -> Source:
    """Open the table, and say what was found; relative paths of the project start at `base`.

    Raises
    ------
    SettingError
        When no table is named.
    """
    reading = project.reading
    source = read(
        _data(options, project, base),
        delimiter=first(options.delimiter, reading.delimiter),
        encoding=first(options.encoding, reading.encoding),
        header=first(options.header, reading.header),
    )
    note(f"{source.name}: {source.format.describe()}, {counted(len(source.columns), 'column')}")
    return source


def first(*values: Any) -> Any:  # noqa: ANN401 - of whatever type the option has
    """Give the first that was given."""
    return next((value for value in values if value is not None), None)


def beside(path: str | None, base: Path) -> Path | None:
    """Find a path of the project file."""
    return None if path is None else base / path


def _data(options: Readable, project: Project, base: Path) -> Path:
    if options.data is not None:
        return Path(options.data)
    if project.data is not None:
        return base / project.data
    raise SettingError("no table is named", mend="give its path, or a --project file that has it")
