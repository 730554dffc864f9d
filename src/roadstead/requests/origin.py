"""Where a request comes from: what was set, and the project file under it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Project:
    """A project file, or none."""

    values: Mapping[str, Any] = field(default_factory=dict)  # by place: {"privacy.k": 5}
    path: Path | None = None

    @property
    def base(self) -> Path:
        """The folder that its relative paths start at."""
        return Path() if self.path is None else self.path.parent

    def get(self, place: str) -> Any:  # noqa: ANN401 - of the field's type
        """Give what it says at a place; None for nothing."""
        return self.values.get(place)


@dataclass(frozen=True)
class Origin:
    """Where a request came from, so that the same can be written down again."""

    given: Mapping[str, Any] = field(default_factory=dict)  # what was set alongside it, by key
    project: Project = field(default_factory=Project)
