"""Check that the certified figures of a whole database agree with each other.

No file shows how many people and rows were left out. But the numbers of each table must add up, so
a contradiction shows that a figure was changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from roadstead.printable import named
from roadstead.release.verification.checks import Check, counted
from roadstead.release.verification.facts import wrong_time

if TYPE_CHECKING:
    from roadstead.policies.document import Policy
    from roadstead.release.database.certificate import DatabaseCertificate, ReleasedTable


def check_figures(certificate: DatabaseCertificate, policy: Policy) -> list[Check]:
    """Check the numbers of people and of rows, the suppression limit, and the days."""
    persons = certificate.persons
    limit = policy.suppression.most(persons.source)
    rows = next(_wrong_rows(certificate), None)
    return [
        Check(
            "the certified numbers of people add up",
            passed=persons.released + persons.left_out == persons.source,
            detail=f"{persons.released:,} released, {persons.left_out:,} left out, "
            f"{persons.source:,} in all",
        ),
        Check(
            "suppression is within the limit",
            passed=persons.left_out <= limit,
            detail=f"{persons.left_out:,} of {persons.source:,} people, limit {limit:,}",
        ),
        Check.of(
            "the certified numbers of rows add up",
            rows or _wrong_settings(certificate),
            counted(len(certificate.tables), "table"),
        ),
    ]


def _wrong_rows(certificate: DatabaseCertificate) -> Iterator[str]:
    """Describe each table whose numbers contradict each other."""
    persons = certificate.persons
    for name, table in certificate.tables.items():
        lost = table.lost
        if table.rules.is_of_persons:
            same = (table.rows_of_source, table.rows) == (persons.source, persons.released)
            if not same or lost.of_persons_left_out != persons.left_out:
                yield f"{named(name)} does not have one row per person"
        if not _adds_up(table):
            yield f"the numbers of rows of {named(name)} do not add up"
        people = table.people
        if people is not None and not people.released <= people.source <= table.rows_of_source:
            yield f"the numbers of people in {named(name)} cannot be true"
        if table.codes is not None and table.codes.least > table.codes.greatest:
            yield f"in {named(name)}, the smallest share of a code is above the largest share"
        if {column for pair in table.columns for column in pair} & {*table.left_out}:
            yield f"a column of {named(name)} is listed both as released and as left out"


def _adds_up(table: ReleasedTable) -> bool:
    """Return whether released rows and lost rows add up to the rows of the source."""
    lost = table.lost
    gone = lost.of_persons_left_out + lost.outside_the_days + lost.with_rare_codes
    if table.rules.person is None:  # a vocabulary can lose local concepts, and gain used concepts
        return gone == lost.generalized == 0
    return table.rows + gone == table.rows_of_source and lost.generalized <= table.rows


def _wrong_settings(certificate: DatabaseCertificate) -> str | None:
    """Explain why the days or the list of tables cannot be true, or return None."""
    dates = certificate.dates
    if dates is not None and (dates.days < 1 or dates.first > dates.last):
        return "the stated shift of dates, or the first and last day, cannot be true"
    if dates is not None and certificate.earliest_birth is not None:
        return "the earliest date of birth is given, although it follows from the dates"
    if set(certificate.tables_left_out) & set(certificate.tables):
        return "a table is listed both as released and as left out"
    return wrong_time(certificate.created)
