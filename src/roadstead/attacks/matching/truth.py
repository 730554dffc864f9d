"""Find the released row of each person, which only the judge knows.

The judge applies the policy to the original. The resulting labels and the unchanged columns then
identify the released row. A record without a released row was omitted from the release. Equal rows
count as one row, because even the judge cannot assign them to single people.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.attacked_release import AttackedRelease
from roadstead.attacks.matching.columns import known_column
from roadstead.policies.document import Policy
from roadstead.tables.frequency import FrequencyTable, packed

Places = NDArray[np.int64]
_NOWHERE = -1


def released_rows(release: AttackedRelease, people: FrequencyTable) -> Places:
    """Return the released row for each row of people, or -1 if the row was not released.

    Suppressed records that are equal in all other columns share one row. In a private release, rows
    do not belong to people.
    """
    policy = release.policy
    if policy is None:
        return np.full(people.distinct, _NOWHERE, dtype=np.int64)
    moved = {rule.column for rule in (policy.persons.dates if policy.persons else ())} - {
        *policy.quasi
    }
    rows = release.rows
    shared = [
        name
        for name in rows.attributes
        if name in people.attributes and name not in moved and name != policy.linked_by
    ]
    labels = policy_labels(release, policy, people)
    masked = {name: _star(rows, name) for name in release.quasi}
    own, hidden = [], []
    for name in shared:
        if name in labels:
            own.append(labels[name])
            hidden.append(np.full(people.distinct, masked[name], dtype=np.int64))
        else:
            at = people.attributes.index(name)
            column = known_column(release, name, people.domains[at])
            assert column.own is not None  # noqa: S101 - as it is
            own.append(column.own[people.codes[at]].astype(np.int64))
            hidden.append(own[-1])
    there = [rows.codes[rows.attributes.index(name)].astype(np.int64) for name in shared]
    found, aside = _joined(there, [own, hidden])
    return np.where(found == _NOWHERE, aside, found)


def masked_rows(release: AttackedRelease) -> NDArray[np.bool_]:
    """Return which released rows do not show any quasi-identifier."""
    rows, quasi = release.rows, release.quasi
    if release.policy is None or not quasi:
        return np.zeros(rows.distinct, dtype=np.bool_)
    hidden = [rows.codes[rows.attributes.index(n)] == _star(rows, n) for n in quasi]
    found: NDArray[np.bool_] = np.logical_and.reduce(hidden)
    return found


def _star(rows: FrequencyTable, name: str) -> int:
    domain = rows.domains[rows.attributes.index(name)]
    return domain.index("*") if "*" in domain else _NOWHERE


def policy_labels(
    release: AttackedRelease, policy: Policy, people: FrequencyTable
) -> dict[str, NDArray[np.int64]]:
    """For each quasi-identifier, return the code of the label that the policy gives to each row."""
    quasi = [name for name in release.quasi if name in people.attributes]
    if policy.recoding is None or len(quasi) < len(policy.quasi):
        found = {}
        for name in quasi:
            at = people.attributes.index(name)
            own = known_column(release, name, people.domains[at]).own
            if own is not None:
                found[name] = own[people.codes[at]].astype(np.int64)
        return found
    at_all = [people.attributes.index(name) for name in policy.quasi]
    places = policy.recoding.place(
        FrequencyTable(
            policy.quasi,
            tuple(people.domains[one] for one in at_all),
            tuple(people.codes[one] for one in at_all),
            people.counts,
        )
    )
    found = {}
    for number, name in enumerate(policy.quasi):
        domain = release.rows.domains[release.rows.attributes.index(name)]
        code = {label: at for at, label in enumerate(domain)}
        parts = policy.recoding.attributes[number].labels
        label_of = np.array([code.get(label, _NOWHERE) for label in parts] + [_NOWHERE])
        part = np.append(policy.recoding.array[:, number], len(parts))
        found[name] = label_of[part[places]].astype(np.int64)
    return found


def _joined(
    rows: Sequence[NDArray[np.int64]], sides: Sequence[Sequence[NDArray[np.int64]]]
) -> list[Places]:
    """Match rows that are equal in all columns. A code of -1 does not match anything."""
    sizes = [int(column.max(initial=0)) + 2 for column in rows]
    every = [np.concatenate([one, *(side[at] for side in sides)]) for at, one in enumerate(rows)]
    keys = numbered([column + 1 for column in every], sizes)
    own, *others = np.split(keys, np.cumsum([rows[0].size, *(side[0].size for side in sides)])[:-1])
    first = np.full(int(keys.max(initial=0)) + 1, _NOWHERE, dtype=np.int64)
    first[own[::-1]] = np.arange(own.size)[::-1]
    found = []
    for side, key in zip(sides, others, strict=True):
        nowhere = np.logical_or.reduce([column == _NOWHERE for column in side])
        found.append(np.where(nowhere, _NOWHERE, first[key]))
    return found


def numbered(columns: Sequence[NDArray[np.integer]], sizes: Sequence[int]) -> NDArray[np.int64]:
    """Number the combinations, starting at 0. Equal combinations get the same number."""
    found = np.zeros(columns[0].size, dtype=np.int64)
    for key in packed(columns, list(sizes)):
        each, place = np.unique(key, return_inverse=True)
        pairs = found * each.size + place.reshape(-1)
        found = np.unique(pairs, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return found
