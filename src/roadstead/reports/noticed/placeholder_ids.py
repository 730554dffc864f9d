"""Report values of the person ID that many different people share."""

from __future__ import annotations

from collections.abc import Iterator

from roadstead.front_end import option
from roadstead.printable import named
from roadstead.reports.wording import counted
from roadstead.tables.identifiers.placeholder_ids import placeholder_ids
from roadstead.tables.source import Source

SHARED_IDS = (
    "Some values of the person ID probably belong to several people, so the number of people can "
    "be too low."
)
"""The warning without counts, for the report that recipients read."""


def shared_ids(source: Source, person: str | None) -> Iterator[str]:
    """Report placeholders in the person ID column, without their values."""
    found = (
        None if person is None or person not in source.columns else placeholder_ids(source, person)
    )
    if person is None or found is None:
        return
    one = found.values == 1
    yield (
        f"{counted(found.values, 'value')} of {named(person)} {'has' if one else 'have'} "
        f"{found.records:,} records with {'' if one else 'up to '}{found.different:,} different "
        f"values of {named(found.of)}{'' if one else ' each'}. {'It is' if one else 'They are'} "
        "probably not the ID of one person, but Roadstead counts the records of each value as one "
        "person. Correct the IDs in the table, or name another person ID column with "
        f"{option('person', 'COLUMN')}. If {'it is' if one else 'they are'} declared missing, "
        "Roadstead refuses the table, because these records have no person ID."
    )
