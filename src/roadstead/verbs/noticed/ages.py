"""Report ages over 89 that two released columns together reveal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from roadstead.front_end import option
from roadstead.hierarchies.written_numbers import FIRST_OLD_AGE
from roadstead.printable import named
from roadstead.release.persons.old_ages import old_ages_shown
from roadstead.reports.wording import counted

if TYPE_CHECKING:
    from roadstead.policies.document import Policy
    from roadstead.release.generalized import Generalized


def old_ages(policy: Policy, generalized: Generalized, *, applied: bool = False) -> Iterator[str]:
    """Yield sentences about birth dates and later dates that together reveal ages over 89.

    If `applied` is true, the policy exists already, and its hierarchies cannot be changed.
    """
    found = old_ages_shown(policy, generalized)
    if found is None:
        return
    born, bottom = named(found.born), found.latest - FIRST_OLD_AGE + 1
    way = (
        f"Put births before {bottom} into one band with bottom = {bottom} in the hierarchy of "
        f"{born}, or withhold it with {option('identifiers', [found.born])}."
    )
    if applied:
        way = f"Anonymize the table again, with bottom = {bottom} in the hierarchy of {born}."
    yield (
        f"{born} and {named(found.seen)} show an age over 89 in "
        f"{counted(found.records, 'record')}. Safe Harbor requires one category for these ages. "
        f"{way}"
    )
