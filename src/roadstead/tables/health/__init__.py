"""Common models of health data, read as one table with a row a person.

A hospital's data come in dozens of tables or in a file a patient, and de-identification speaks of
one record a person. Here two common forms are joined, in the engine, into that one table: the OMOP
Common Data Model, and FHIR R4 resources. :func:`open_health` opens ``omop:FOLDER`` and
``fhir:FOLDER``; :func:`write_condition_hierarchy` writes the groups that a vocabulary puts
conditions in.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roadstead.tables.health.condition_groups import write_condition_hierarchy
    from roadstead.tables.health.fhir import read_fhir
    from roadstead.tables.health.omop import read_omop
    from roadstead.tables.health.readers import open_health

__all__ = ["open_health", "read_fhir", "read_omop", "write_condition_hierarchy"]

_HOMES = {
    "open_health": "readers",
    "read_fhir": "fhir",
    "read_omop": "omop",
    "write_condition_hierarchy": "condition_groups",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever is exported
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{home}"), name)
