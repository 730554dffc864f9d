"""Store where a request comes from: the given options and the project file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Project:
    """The values in a project file. The values are empty if no project file is used."""

    values: Mapping[str, Any] = field(default_factory=dict)  # by place: {"privacy.k": 5}
    path: Path | None = None

    @property
    def base(self) -> Path:
        """Return the base folder for relative paths in the project file."""
        return Path() if self.path is None else self.path.parent

    @property
    def name(self) -> str:
        """Return the name of the project file, or an empty string."""
        return "" if self.path is None else self.path.name

    def get(self, place: str) -> Any:  # noqa: ANN401 - of the field's type
        """Return the value of a key such as ``privacy.k``, or None."""
        return self.values.get(place)


@dataclass(frozen=True)
class Origin:
    """The origin of a request. It is needed to write the request as a command or a call."""

    given: Mapping[str, Any] = field(default_factory=dict)  # the given options, by key
    project: Project = field(default_factory=Project)
