"""Define rules for the tables of the OMOP Common Data Model."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

from pydantic import TypeAdapter

from roadstead.tables.database.rules import TableRules

LOCAL = 2_000_000_000
"""The lowest number of a concept that is local to a site and may have any name."""
CONCEPT, ANCESTORS = "concept", "concept_ancestor"
CONCEPTS = "_concept_id"
"""The suffix in the names of columns that contain concepts."""


@cache
def cdm_rules() -> dict[str, TableRules]:
    """Map the name of every table that can be released to the rules of the table."""
    text = (resources.files(__package__) / "data" / "omop.toml").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, TableRules]).validate_python(tomllib.loads(text))


def concept_columns(columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns of a vocabulary table that contain concept IDs."""
    return tuple(one for one in columns if one.startswith("concept_id") or one.endswith(CONCEPTS))
