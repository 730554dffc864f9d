"""Define the reader of health data for :mod:`roadstead.tables.reading`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.registry import required
from roadstead.tables.health.locations import day_of, parse
from roadstead.tables.locations import CdmLocation, FileLocation

if TYPE_CHECKING:
    import os

    from roadstead.tables.readers import Manner
    from roadstead.tables.source import Source

_ROOM = "health data"


def read_health(data: Any, manner: Manner) -> Source | None:  # noqa: ANN401 - any data
    """Read the files or the database of a health data model, or return None for other data."""
    if isinstance(data, FileLocation):
        return open_health(data.path, memory_limit=manner.memory_limit)
    if not isinstance(data, CdmLocation):
        return None
    read_cdm = required(_ROOM, "tables.health.omop:read_cdm")
    found: Source = read_cdm(data, memory_limit=manner.memory_limit)
    return found


def open_health(text: str | os.PathLike[str], *, memory_limit: str = "2GB") -> Source | None:
    """Open health data by its name, as a table with one row per person.

    `text` is ``omop:FOLDER`` or ``fhir:FOLDER``, with options. Returns None if the text is not the
    name of health data. Raises SettingError if an option is unknown or has an invalid value. Raises
    SourceError if the folder does not contain the expected data.
    """
    if (found := parse(text)) is None or Path(text).exists():
        return None
    source: Source
    if found.model == "omop":
        read_omop = required(_ROOM, "tables.health.omop:read_omop")
        age_at = found.options.get("age_at")
        day = None if age_at is None else day_of(age_at)
        source = read_omop(found.folder, age_at=day, memory_limit=memory_limit)
    else:
        read_fhir = required(_ROOM, "tables.health.fhir:read_fhir")
        system = found.options.get("code_system")
        source = read_fhir(found.folder, code_system=system, memory_limit=memory_limit)
    return replace(source, location=found)
