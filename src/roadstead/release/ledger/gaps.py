"""Find the limits of a comparison with an earlier release.

Two releases are compared in the columns that both have in the same form. An attacker may be able to
compare more if a column was renamed, is treated in another way, or is a quasi-identifier in only
one of the releases. The same applies if the new release does not know which records belong to one
person.
"""

from __future__ import annotations

from collections.abc import Iterator

from roadstead.policies.document import Policy
from roadstead.release.ledger.classes import PersonsOfClasses, ReleasedClasses
from roadstead.release.ledger.differences import same_rules
from roadstead.release.ledger.entry import EarlierRelease
from roadstead.release.ledger.facts import PartlyLaid


def gaps(
    one: EarlierRelease,
    earlier: tuple[Policy, ReleasedClasses],
    later: tuple[Policy, ReleasedClasses],
    *,
    persons: bool,
    same_records: bool,
) -> Iterator[PartlyLaid]:
    """Yield the reasons why the comparison with an earlier release is incomplete.

    `persons` states whether the later release counts people. `same_records` states whether both
    releases are of the same records.
    """
    (policy, classes), (own, new) = earlier, later
    if one.persons is not None:
        several = same_rules(own, policy) and _several(classes.persons)
        if not persons or (several and not _several(new.persons)):
            yield PartlyLaid(one.name, "people")
    if same_records:
        return  # no record was added, removed, or changed
    before, now = dict(classes.rows.named), dict(new.rows.named)
    added = tuple(x for x in now if x not in (*before, *policy.quasi))
    if added and any(x not in (*now, *own.quasi) for x in before):
        yield PartlyLaid(one.name, "columns", added)
    treated = tuple(x for x in now if x in policy.quasi or before.get(x, now[x]) != now[x])
    treated += tuple(x for x in before if x in own.quasi)
    if treated:
        yield PartlyLaid(one.name, "treated", treated)


def _several(persons: PersonsOfClasses | None) -> bool:
    """Return whether a person has several records in a class."""
    return persons is not None and max(persons.records, default=1) > 1
