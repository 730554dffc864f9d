"""Report person IDs that many people share, and IDs that may be two spellings of the same ID."""

from __future__ import annotations

from collections.abc import Iterator

from roadstead.front_end import option
from roadstead.printable import named
from roadstead.reports.wording import counted
from roadstead.tables.failures import engine_errors
from roadstead.tables.identifiers.placeholder_ids import placeholder_ids
from roadstead.tables.persons.spelled_ids import DIFFERENCES, spelled_ids
from roadstead.tables.source import Source
from roadstead.tables.texts import texts_of

SHARED_IDS = (
    "Some values of the person ID probably belong to several people, so the number of people can "
    "be too low."
)
"""The warning without counts, for the report that recipients read."""
SPELLED_IDS = (
    "Some person IDs may be two spellings of the same ID, so the number of people can be too high."
)
"""The other warning without counts."""


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
        f"{found.records:,} records with {'' if one else 'up to '}{found.different:,} "
        f"different values of {named(found.of)}{'' if one else ' each'}. "
        f"{'It is' if one else 'They are'} probably not the ID of one person, but "
        "Roadstead counts the records of each value as one person. Correct the IDs in the "
        f"table, or name another person ID column with {option('person', 'COLUMN')}. If "
        f"{'it is' if one else 'they are'} declared as missing, Roadstead refuses the "
        "table, because these records then have no person ID."
    )


def ids_in_two_spellings(source: Source, person: str | None) -> Iterator[str]:
    """Report IDs that may be other spellings of an ID, without their values."""
    if person is None or person not in source.columns:
        return
    with engine_errors(source.name):
        names = texts_of(source, [person]).distinct()
    for found in spelled_ids(names, source, person):
        one = found.pairs == 1
        yield (
            f"Warning: {counted(found.pairs, 'value')} of {named(person)} "
            f"{'differs' if one else 'differ'} from another value only in "
            f"{DIFFERENCES[found.kind]}. If two spellings belong to one person, Roadstead counts "
            "this person as two people, so a group can have fewer than k people. Always write the "
            "ID of a person in the same way."
        )
