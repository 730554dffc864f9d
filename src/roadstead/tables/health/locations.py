"""Parse names of health data, such as ``omop:FOLDER`` or ``fhir:FOLDER``, and their options.

Options follow a question mark, as in a URL: ``omop:cdm?age_at=2024-12-31``. In a project file, the
folder is relative to the folder of the project file, so ``studies/omop:cdm`` means
``omop:studies/cdm``. A name that is also an existing path is always read as a path.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Literal, cast
from urllib.parse import parse_qsl

from roadstead.errors import SettingError, SourceError, quoted
from roadstead.near_names import did_you_mean
from roadstead.tables import files

Model = Literal["omop", "fhir"]

_OPTIONS: Mapping[str, tuple[str, ...]] = {"omop": ("age_at",), "fhir": ("code_system",)}
_PREFIXES = tuple(f"{model}:" for model in _OPTIONS)


@dataclass(frozen=True)
class HealthLocation:
    """The location of health data, with options for reading the data."""

    model: Model  # the common data model
    folder: Path  # the folder of the files
    options: Mapping[str, str] = field(default_factory=dict)  # the text after the question mark

    @property
    def name(self) -> str:
        """Return the table's name for messages, without revealing the location."""
        return f"{self.model}:{self.folder.absolute().name}"

    @property
    def address(self) -> str:
        """The full name with an absolute path."""
        asked = "&".join(f"{key}={value}" for key, value in self.options.items())
        return f"{self.model}:{self.folder.absolute()}{'?' if asked else ''}{asked}"


def parse(text: str | os.PathLike[str]) -> HealthLocation | None:
    """Parse the name of health data. Return None if the text is not such a name."""
    parts = Path(text).parts
    at = next((at for at, part in enumerate(parts) if part.startswith(_PREFIXES)), None)
    if at is None:
        return None
    model, _, first = parts[at].partition(":")
    rest = "/".join((first, *parts[at + 1 :]))  # after "omop:/", the first part is empty
    written, mark, asked = rest.rpartition("?")
    if not mark or "=" not in asked:  # the question mark belongs to the folder's name
        written, asked = rest, ""
    if not written.strip():
        raise SettingError("no folder is named", where=model, fix=f"write {model}:FOLDER")
    options = dict(parse_qsl(asked, keep_blank_values=True))
    for option in options:
        if option not in _OPTIONS[model]:
            takes = f"possible options: {', '.join(_OPTIONS[model])}"
            what = f"there is no option {quoted(option)}"
            fix = did_you_mean(option, _OPTIONS[model], takes, show=repr)
            raise SettingError(what, where=f"{model}:FOLDER", fix=fix)
    return HealthLocation(cast("Model", model), Path(*parts[:at]) / written, options)


def files_of(folder: Path, endings: tuple[str, ...], fix: str) -> list[Path]:
    """List the files in a folder with these extensions, in the order of their names."""
    with files.reading(folder):
        if not folder.is_dir():
            what = "this is a file, not a folder" if folder.exists() else "there is no such folder"
            raise SourceError(what, where=str(folder), fix=fix)
        found = sorted(
            entry
            for entry in folder.iterdir()
            if entry.is_file()
            and not entry.name.startswith(".")
            and entry.name.lower().endswith(endings)
        )
    if not found:
        raise SourceError(
            f"the folder has no file with the ending {', '.join(endings)}",
            where=str(folder),
            fix=fix,
        )
    return found


def day_of(text: str) -> date:
    """Parse the day for which ages are computed."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise SettingError(
            f"{quoted(text)} is not a date", where="age_at", fix="write it in this form: 2024-12-31"
        ) from None


def text_of(name: str) -> str:
    """Read a data file of this package as text."""
    return (resources.files(__package__) / "data" / name).read_text(encoding="utf-8")
