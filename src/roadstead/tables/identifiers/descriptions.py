"""Return the descriptions of columns, which are labels in the file or texts in a codebook."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from roadstead.tables.identifiers.vocabulary import is_called, meaning
from roadstead.tables.source import ProgramFile, Source

FILE_LABEL: Final = "label in the file"
DESCRIPTION: Final = "description in the codebook"


def descriptions_of(source: Source, name: str) -> dict[str, str]:
    """Return the descriptions of a column. Each key says, in words, where the description is."""
    form, codebook = source.format, source.codebook
    described = None if codebook is None else codebook.columns.get(name)
    found = {
        FILE_LABEL: form.codebook.of(name).description if isinstance(form, ProgramFile) else None,
        DESCRIPTION: None if described is None else described.notes.description,
    }
    return {place: text for place, text in found.items() if text}


def called_or_described(source: Source, name: str, *kinds: str) -> bool:
    """Return whether a column has a name or a description of one of these kinds."""
    return any(is_called(one, *kinds) for one in (name, *descriptions_of(source, name).values()))


def described_ages(source: Source, columns: Iterable[str]) -> dict[str, Literal["age"]]:
    """Return the columns that are described as ages, and whose names do not show a meaning."""
    return {
        name: "age"
        for name in columns
        if meaning(name) == "any" and called_or_described(source, name, "age")
    }


def of_description(reason: str, what: str) -> str:
    """Return a reason from the labels or the description of a column, with its origin."""
    if reason.startswith("named like "):
        place = what.partition(" in ")[2]
        return f"described in {place} like {reason.removeprefix('named like ')}"
    return f"{reason} (by its {what})"
