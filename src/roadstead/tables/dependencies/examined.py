"""Add the dependencies between columns to the findings about each column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roadstead.tables.dependencies.found import dependencies, likely_persons
from roadstead.tables.identifiers.judgment import Examined, with_persons

if TYPE_CHECKING:
    from roadstead.tables.source import Source


_ALONE: Final = 0.95
"""The approximate share of different IDs at which nearly every record has its own person."""


def with_dependencies(
    source: Source,
    examined: Examined,
    quasi: Sequence[str],
    hidden: Sequence[str] = (),
    person: str | None = None,
    forced: Sequence[str] = (),
) -> Examined:
    """Add objections and likely person IDs that need a comparison of several columns.

    `hidden` lists the columns that the user named as direct identifiers. Columns that look like a
    direct identifier are also treated as hidden. If nearly every record has a different `person`,
    another column may be the person ID. Columns in `forced` are released although they identify
    people.
    """
    known = {key.column for key in examined.persons}
    secret = [name for name, one in examined.judgments.items() if one.identifier]
    called = [key.column for key in examined.persons if key.doubt != "differs"]
    found = dependencies(
        source,
        examined.profiles,
        quasi,
        (*hidden, *secret),
        called if person is None else [person],
        named=person is not None,
        withheld=examined.briefly,
        forced=forced,
    )
    objections = {name: tuple(ones) for name, ones in examined.objections.items()}
    for name, ones in found.by_column().items():
        objections[name] = (*objections.get(name, ()), *ones)
    examined = replace(examined, objections=objections)
    if any(one.name == person and one.uniqueness >= _ALONE for one in examined.profiles):
        # Such an ID is a doubt about the person, but no evidence against a column.
        new = [key for key in likely_persons(source, quasi) if key.column not in known]
        return replace(examined, persons=(*examined.persons, *new))
    return with_persons(examined, [key for key in found.persons if key.column not in known])
