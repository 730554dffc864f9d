"""Release of a policy that counts people, from the definition, in plain Python.

The tests compare it with every way to make such a release: in memory, in an engine, and as SQL. It
uses no code of the package.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations

Label = tuple[str, ...]


def kept_records(
    persons: Sequence[str],
    labels: Sequence[Label | None],
    k: int,
    knows: int | str = 1,
    leave_out: str = "rows",
) -> set[int]:
    """Places of the released records; a label is None if the policy covers no value."""
    rows = range(len(persons))
    if leave_out == "rows":
        whose = defaultdict(set)
        for at in rows:
            whose[labels[at]].add(persons[at])
        return {at for at in rows if labels[at] is not None and len(whose[labels[at]]) >= k}
    stays = set(persons) - {persons[at] for at in rows if labels[at] is None}
    while True:
        known = {person: _known(person, persons, labels, knows) for person in stays}
        having = Counter(one for own in known.values() for one in own)
        lost = {person for person, own in known.items() if any(having[one] < k for one in own)}
        if not lost:
            return {at for at in rows if persons[at] in stays}
        stays -= lost


def _known(
    person: str, persons: Sequence[str], labels: Sequence[Label | None], knows: int | str
) -> set[tuple[Label, ...]]:
    """Every multiset of a person's labels that an attacker may know."""
    own = sorted(
        label for who, label in zip(persons, labels, strict=True) if who == person and label
    )
    if knows == "all":
        return {tuple(own)}
    return {chosen for many in range(1, int(knows) + 1) for chosen in combinations(own, many)}
