"""The project file: a request written down in TOML, to be edited, repeated and reviewed.

::

    data = "patients.csv"

    [roles]
    quasi = ["age", "sex", "zip"]
    identifying = ["name"]

    [privacy]
    k = 5
    suppression = 0.05

    [hierarchies]
    age = {kind = "intervals", widths = [5, 10, 20], top = 90}

Relative paths start at the file's folder. What is given on the command line goes before what the
file says.
"""

from __future__ import annotations

import tomllib
from dataclasses import field
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from roadstead.errors import SettingError
from roadstead.policies.document import SuppressedRecords

_STRICT = ConfigDict(extra="forbid")


@dataclass(frozen=True, config=_STRICT)
class Reading:
    """How to read the table, where it must be said."""

    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None


@dataclass(frozen=True, config=_STRICT)
class ProjectRoles:
    """Columns by role."""

    quasi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    identifying: tuple[str, ...] = ()
    insensitive: tuple[str, ...] = ()


@dataclass(frozen=True, config=_STRICT)
class Privacy:
    """The privacy model and how it is reached."""

    k: int | None = None
    suppression: float | None = None
    suppressed: SuppressedRecords | None = None


@dataclass(frozen=True, config=_STRICT)
class Quality:
    """The loss to be minimized."""

    quality: str | None = None
    aggregate: str | None = None
    weights: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, config=_STRICT)
class LevelLimits:
    """Lowest and highest level allowed, by attribute."""

    min: dict[str, int] = field(default_factory=dict)
    max: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, config=_STRICT)
class Searching:
    """How to search."""

    search: str | None = None
    time_limit: float | None = None
    seed: int | None = None


@dataclass(frozen=True, config=_STRICT)
class Project:
    """A project file.

    Attributes
    ----------
    data
        The table.
    out
        Folder for the release.
    reading, roles, privacy, quality, levels, search
        The request, part by part.
    hierarchies
        Declarations by attribute.
    hierarchy_folder
        Folder of hierarchy files.
    """

    data: str | None = None
    out: str | None = None
    hierarchy_folder: str | None = None
    reading: Reading = field(default_factory=Reading)
    roles: ProjectRoles = field(default_factory=ProjectRoles)
    privacy: Privacy = field(default_factory=Privacy)
    quality: Quality = field(default_factory=Quality)
    levels: LevelLimits = field(default_factory=LevelLimits)
    search: Searching = field(default_factory=Searching)
    hierarchies: dict[str, dict[str, Any]] = field(default_factory=dict)


_PROJECT: TypeAdapter[Project] = TypeAdapter(Project)


def read_project(path: Path) -> Project:
    """Read a project file.

    Raises
    ------
    SettingError
        When it cannot be read, is not TOML, or holds a key that is not known or a wrong value.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SettingError(
            "there is no such project file", where=str(path), mend="make one with roadstead scan"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(
            f"the project file cannot be read ({type(error).__name__})", where=str(path)
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise SettingError(f"not TOML: {error}", where=str(path), mend="correct it") from None
    except RecursionError:
        raise SettingError("nested too deeply", where=str(path), mend="correct it") from None
    try:
        return _PROJECT.validate_python(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        unknown = first["type"] == "unexpected_keyword_argument"
        what = "is not known" if unknown else first["msg"][:1].lower() + first["msg"][1:]
        raise SettingError(f"{place}: {what}", where=str(path), mend="correct it") from None
