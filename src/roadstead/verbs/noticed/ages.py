"""Ages over 89 that the released cells of two columns show together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from roadstead.front_end import option
from roadstead.printable import named
from roadstead.release.persons.old_ages import old_ages_shown
from roadstead.reports.wording import counted

if TYPE_CHECKING:
    from roadstead.policies.document import Policy
    from roadstead.release.generalized import Generalized


def old_ages(policy: Policy, generalized: Generalized) -> Iterator[str]:
    """Say that a birth and a later date show ages over 89, and how to prevent it."""
    found = old_ages_shown(policy, generalized)
    if found is None:
        return
    born, seen, records = found
    yield (
        f"{named(born)} and {named(seen)} show an age over 89 in {counted(records, 'record')}. "
        "Safe Harbor requires one category for these ages. Replace "
        f"{named(born)} with the age, whose default hierarchy has the band 90+, or withhold it "
        f"with {option('identifiers', [born])}."
    )
